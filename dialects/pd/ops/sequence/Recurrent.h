/// Types of recurrent layers over sequences.
#pragma once

#include "dialects/pd/autodiff/GradientByKernel.h"
#include "dialects/pd/ops/sequence/Labels.h"

#include "mlir/IR/TypeUtilities.h"

namespace proa::pd {

/// x [rows, gates * D], weight [D, gates * D], offsets.
mlir::LogicalResult checkGates(std::optional<mlir::Location> location, mlir::Value x, mlir::Value weight,
                               mlir::Value offsets, int64_t gates);
/// x's type with D instead of gates * D columns.
inline mlir::RankedTensorType stateType(mlir::Value x, mlir::Value weight) {
  return tensorType(x).clone({tensorType(x).getDimSize(0), tensorType(weight).getDimSize(0)});
}

/// The initial states: [sequences, D].
inline mlir::RankedTensorType initialType(mlir::Value offsets, mlir::Value weight) {
  return tensorType(weight).clone({sequenceCount(offsets), tensorType(weight).getDimSize(0)});
}

/// Emits an error unless `bias` has `columns` times D elements and the states are [sequences, D], if given.
mlir::LogicalResult checkStates(std::optional<mlir::Location> location, mlir::Value weight,
                                mlir::Value offsets, mlir::Value bias, int64_t columns,
                                llvm::ArrayRef<mlir::Value> states);

template <class Adaptor>
mlir::LogicalResult inferGru(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(checkGates(location, adaptor.getX(), adaptor.getWeight(), adaptor.getOffsets(), 3)) ||
      failed(checkStates(location, adaptor.getWeight(), adaptor.getOffsets(), adaptor.getBias(), 3,
                         {adaptor.getH0()})))
    return mlir::failure();
  results.push_back(stateType(adaptor.getX(), adaptor.getWeight()));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferGruGrad(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(checkGates(location, adaptor.getX(), adaptor.getWeight(), adaptor.getOffsets(), 3)))
    return mlir::failure();
  auto weight = tensorType(adaptor.getWeight());
  results.push_back(adaptor.getX().getType());
  results.push_back(weight);
  results.push_back(initialType(adaptor.getOffsets(), adaptor.getWeight()));
  results.push_back(weight.clone({1, weight.getDimSize(1)}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferLstm(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(checkGates(location, adaptor.getX(), adaptor.getWeight(), adaptor.getOffsets(), 4)) ||
      failed(checkStates(location, adaptor.getWeight(), adaptor.getOffsets(), adaptor.getBias(),
                         adaptor.getUsePeepholes() ? 7 : 4, {adaptor.getH0(), adaptor.getC0()})))
    return mlir::failure();
  results.append(2, stateType(adaptor.getX(), adaptor.getWeight()));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferLstmGrad(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(checkGates(location, adaptor.getX(), adaptor.getWeight(), adaptor.getOffsets(), 4)))
    return mlir::failure();
  results.push_back(adaptor.getX().getType());
  results.push_back(adaptor.getWeight().getType());
  results.push_back(adaptor.getBias().getType());
  results.append(2, initialType(adaptor.getOffsets(), adaptor.getWeight()));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferGruUnit(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto input = tensorType(adaptor.getInput()), hidden = tensorType(adaptor.getHiddenPrev());
  auto weight = tensorType(adaptor.getWeight());
  bool fits = input.getRank() == 2 && hidden.getRank() == 2 && weight.getRank() == 2;
  if (fits) {
    int64_t width = hidden.getDimSize(1);
    int64_t gates = mlir::ShapedType::isDynamic(width) ? width : 3 * width;
    fits = succeeded(mlir::verifyCompatibleShape({hidden.getDimSize(0), gates}, input.getShape())) &&
           succeeded(mlir::verifyCompatibleShape({width, gates}, weight.getShape()));
  }
  if (failed(require(location, fits,
                     "C1: input must be [batch, 3 D], hidden_prev [batch, D] and weight [D, 3 D]",
                     adaptor.getOperands())))
    return mlir::failure();
  if (adaptor.getActivation() > 3 || adaptor.getGateActivation() > 3)
    return inferenceError(location, "C2: activation and gate_activation must be 0 to 3");
  results.push_back(input);
  results.append(2, hidden);
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/sequence/Recurrent.h.inc"
