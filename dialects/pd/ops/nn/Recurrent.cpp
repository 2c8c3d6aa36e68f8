#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/nn/RecurrentOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

LogicalResult inferRnnOf(std::optional<Location> location, const RnnShape &rnn, Results &results) {
  if (rnn.x.getRank() != 3)
    return inferenceError(location, "C1: x must have rank 3, found rank " + llvm::Twine(rnn.x.getRank()));
  int64_t gates = rnn.mode == RnnMode::Lstm ? 4 : rnn.mode == RnnMode::Gru ? 3 : 1;
  if (rnn.layers <= 0 || rnn.hidden <= 0)
    return inferenceError(location, "C5: num_layers and hidden_size must be positive, found " +
                                        llvm::Twine(rnn.layers) + " and " + llvm::Twine(rnn.hidden));
  int64_t cells = rnn.layers * rnn.directions, batch = rnn.x.getDimSize(1);
  size_t states = rnn.mode == RnnMode::Lstm ? 2 : 1;
  llvm::SmallVector<int64_t> stateShape{cells, batch, rnn.hidden};
  bool isStateGood = rnn.states.size() == states && llvm::all_of(rnn.states, [&](Value state) {
                       return succeeded(verifyCompatibleShape(tensorType(state).getShape(), stateShape));
                     });
  if (!isStateGood) {
    std::string found;
    llvm::raw_string_ostream out(found);
    llvm::interleaveComma(rnn.states, out, [&](Value state) { out << state.getType(); });
    std::string size = ShapedType::isDynamic(batch) ? "batch" : std::to_string(batch);
    return inferenceError(location, "C3: pre_state must be " + llvm::Twine(states) +
                                        " tensors of the dimensions [" + llvm::Twine(cells) + ", " + size +
                                        ", " + llvm::Twine(rnn.hidden) + "], found " +
                                        (found.empty() ? "none" : found));
  }
  auto expectedWeights = static_cast<size_t>(4 * cells);
  if (rnn.weights.size() != expectedWeights)
    return inferenceError(location, "C4: weight_list must have " + llvm::Twine(expectedWeights) +
                                        " tensors, found " + llvm::Twine(rnn.weights.size()));
  for (auto [i, weight] : llvm::enumerate(rnn.weights)) {
    RankedTensorType type = tensorType(weight);
    int64_t rank = i < expectedWeights / 2 ? 2 : 1;
    bool isValid =
        type.getRank() == rank && (type.isDynamicDim(0) || type.getDimSize(0) == gates * rnn.hidden);
    if (isValid)
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << "C4: tensor " << i << " of weight_list must have rank " << rank
                                   << " and " << gates * rnn.hidden << " rows, found " << type;
    return inferenceError(location, text);
  }
  Type element = rnn.x.getElementType();
  results.push_back(
      RankedTensorType::get({rnn.x.getDimSize(0), batch, rnn.directions * rnn.hidden}, element));
  results.append(states, RankedTensorType::get(stateShape, element));
  return success();
}

LogicalResult checkRnnCotangents(std::optional<Location> location, ValueRange cotangents, TypeRange out) {
  if (compatibleTypes(out, cotangents.getTypes()))
    return success();
  return inferenceError(location, "C6: out_gradient and state_gradient must have the types of out and state");
}

FailureOr<llvm::SmallVector<Value>> RnnOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  llvm::SmallVector<Value> given(cotangents);
  for (auto [cotangent, result] : llvm::zip(given, getOperation()->getResults()))
    if (!cotangent)
      cotangent = zerosLike(builder, getLoc(), result);
  if (getResetsBefore()) { // no kernel has its gradient
    ValueRange inputs = getOperands().drop_back(getSequenceLength() ? 1 : 0);
    auto gradients = gradientOfFormula(builder, getLoc(), inputs, cotangents, [&](ValueRange in) {
      Operation *copy = builder.clone(*getOperation());
      for (auto [i, value] : llvm::enumerate(in))
        copy->setOperand(i, value);
      return copy;
    });
    if (succeeded(gradients) && getSequenceLength())
      gradients->push_back(Value());
    return gradients;
  }
  auto gradient = RnnGradientOp::create(
      builder, getLoc(), getX(), getPreState(), getWeightList(), getSequenceLength(), given[0],
      llvm::ArrayRef<Value>(given).drop_front(), getDropoutProbAttr(), getIsBidirecAttr(), getInputSizeAttr(),
      getHiddenSizeAttr(), getNumLayersAttr(), getModeAttr(), getSeedAttr(), getIsTestAttr());
  llvm::SmallVector<Value> gradients(gradient.getGradients());
  if (getSequenceLength())
    gradients.push_back(Value());
  return gradients;
}

std::optional<int64_t> RnnOp::getMultiplyAdds() {
  // Every weight matrix is applied once for each element of a sequence.
  int64_t total = 0;
  for (Value weight : getWeightList()) {
    RankedTensorType type = tensorType(weight);
    if (type.getRank() != 2)
      continue;
    llvm::SmallVector<int64_t> dimSizes(type.getShape());
    llvm::append_range(dimSizes, tensorType(getX()).getShape().take_front(2));
    std::optional<int64_t> product = productOfDims(dimSizes);
    if (!product || __builtin_add_overflow(total, *product, &total))
      return std::nullopt;
  }
  return total;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Recurrent.cpp.inc"
#include "dialects/pd/ops/nn/Recurrent.methods.inc"
#include "dialects/pd/ops/nn/Recurrent.scalar.inc"
