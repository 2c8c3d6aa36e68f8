/// Optimizers, and the ops of loss scaling and gradient handling.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"

namespace proa::pd {

/// The result types of an update: the types of `updated` without null values. Emits C1 and C2 of Update.td.
mlir::LogicalResult inferUpdate(std::optional<mlir::Location> location, mlir::Value param, mlir::Value grad,
                                mlir::Value learningRate, llvm::ArrayRef<mlir::Value> updated,
                                Results &results);

template <class Adaptor>
mlir::LogicalResult inferMomentum(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferUpdate(location, adaptor.getParam(), adaptor.getGrad(), adaptor.getLearningRate(),
                     {adaptor.getParam(), adaptor.getVelocity(), adaptor.getMasterParam()}, results);
}

template <class Adaptor>
mlir::LogicalResult inferRmsprop(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (adaptor.getCentered() && !adaptor.getMeanGrad())
    return inferenceError(location, "C3: mean_grad is missing, which 'centered' needs");
  mlir::Value meanGrad = adaptor.getMeanGrad() ? adaptor.getMeanGrad() : adaptor.getMeanSquare();
  return inferUpdate(
      location, adaptor.getParam(), adaptor.getGrad(), adaptor.getLearningRate(),
      {adaptor.getParam(), adaptor.getMoment(), adaptor.getMeanSquare(), meanGrad, adaptor.getMasterParam()},
      results);
}

template <class Adaptor>
mlir::LogicalResult inferSparseMomentum(std::optional<mlir::Location> location, Adaptor adaptor,
                                        Results &results) {
  auto param = tensorType(adaptor.getParam());
  if (param.getRank() != 2 || adaptor.getAxis() > 1)
    return inferenceError(location, "C1: param must have rank 2 and axis be 0 or 1, found rank " +
                                        llvm::Twine(param.getRank()) + " and axis " +
                                        llvm::Twine(adaptor.getAxis()));
  results.append(2, param);
  return mlir::success();
}

/// The operands of an update in the type of the computation: the type of the master parameter, or the widened
/// parameter type.
class UpdateBuilder {
public:
  /// `master` may be null; it is used if `multiPrecision`.
  UpdateBuilder(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value param, mlir::Value master,
                bool multiPrecision);

  TensorBuilder &builder() { return e; }
  Expression param() { return start; }
  Expression tensor(mlir::Value value) { return e.cast(e.computed(value), element); }
  /// A one-element tensor as a number that broadcasts; `otherwise` if it is null.
  Expression number(mlir::Value value, double otherwise = 1);
  Expression constant(double value) { return e.constant(value, element); }
  /// sqrt(sum x^2) as a number.
  Expression norm(Expression x);

  /// The op's results: `values`, followed by the new master parameter if there is one.
  llvm::SmallVector<mlir::Value> finish(llvm::ArrayRef<Expression> values);
  /// The op's results if `skip` (null: never) is false, else `old`; one entry for each result except the
  /// master parameter.
  llvm::SmallVector<mlir::Value> finishUnless(mlir::Value skip, llvm::ArrayRef<Expression> values,
                                              llvm::ArrayRef<mlir::Value> old);

private:
  TensorBuilder e;
  mlir::Value master;
  bool startsFromMaster;
  mlir::Type element;
  Expression start;
};

/// sign(p) * max(|p| - rate * l1, 0) / (1 + rate * l2).
Expression proximalStep(UpdateBuilder &update, Expression p, Expression rate, double l1, double l2);

mlir::LogicalResult inferUnscaleOf(std::optional<mlir::Location> location, mlir::ValueRange x,
                                   mlir::Value scale, Results &results);
mlir::LogicalResult inferLossScalingOf(std::optional<mlir::Location> location, mlir::ValueRange x,
                                       llvm::ArrayRef<mlir::Value> numbers, Results &results);
mlir::LogicalResult inferCoalesceOf(std::optional<mlir::Location> location, mlir::ValueRange x,
                                    mlir::Type dtype, int64_t alignment, Results &results);
mlir::LogicalResult inferAddNOf(std::optional<mlir::Location> location, mlir::ValueRange inputs,
                                Results &results);

template <class Adaptor>
mlir::LogicalResult inferUnscale(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferUnscaleOf(location, adaptor.getX(), adaptor.getScale(), results);
}

template <class Adaptor>
mlir::LogicalResult inferLossScaling(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  return inferLossScalingOf(location, adaptor.getX(),
                            {adaptor.getPrevLossScaling(), adaptor.getInGoodSteps(), adaptor.getInBadSteps(),
                             adaptor.getFoundInfinite()},
                            results);
}

template <class Adaptor>
mlir::LogicalResult inferAddN(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferAddNOf(location, adaptor.getInputs(), results);
}

template <class Adaptor>
mlir::LogicalResult inferAccumulates(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  for (mlir::Value value : adaptor.getOperands().drop_front())
    results.push_back(value.getType());
  return mlir::success();
}

/// Distance in elements between the starts of two tensors of `bytes` bytes in a coalesced buffer; 0: no
/// padding.
template <class Adaptor> int64_t coalesceAlignment(Adaptor adaptor) {
  // Paddle's smallest chunk of host memory.
  constexpr int64_t smallestChunk = 4096;
  int64_t given = static_cast<int64_t>(adaptor.getAlignSize());
  return adaptor.getUseAlign() ? (given > 0 ? given : smallestChunk) : 0;
}

/// Distance in elements from the start of a tensor in a coalesced buffer to the next, at an alignment in
/// bytes.
int64_t coalescedElements(mlir::RankedTensorType type, int64_t alignment);

template <class Adaptor>
mlir::LogicalResult inferCoalesce(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferCoalesceOf(location, adaptor.getInput(), adaptor.getDtype(), coalesceAlignment(adaptor),
                         results);
}

} // namespace proa::pd
