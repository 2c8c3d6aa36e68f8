#include "dialects/pd/ops/loss/Kernels.h"
#include "dialects/pd/builders/TensorBuilder.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

namespace {

bool fits(RankedTensorType type, llvm::ArrayRef<int64_t> shape) {
  return succeeded(verifyCompatibleShape(type.getShape(), shape));
}

/// The gradient of the first operand: the derivative of each sample times its cotangent.
SmallVector<Value> scaledDerivative(OpBuilder &builder, Operation *op, Value derivative, Value cotangent) {
  SmallVector<Value> gradients(op->getNumOperands());
  if (!cotangent)
    return gradients;
  TensorBuilder e(builder, op);
  gradients[0] = e.wrap(derivative) * e.reshape(e.wrap(cotangent), {-1, 1, 1, 1});
  return gradients;
}

} // namespace

LogicalResult inferYoloLossOf(std::optional<Location> location, const YoloLossShape &given,
                              Results &results) {
  RankedTensorType x = given.x, box = given.box;
  int64_t batch = x.getRank() == 4 ? x.getDimSize(0) : 0, boxes = box.getRank() == 3 ? box.getDimSize(1) : 0;
  bool isValid = x.getRank() == 4 && fits(box, {batch, boxes, 4}) && fits(given.label, {batch, boxes}) &&
                 (!given.score || fits(tensorType(given.score), {batch, boxes}));
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!isValid) {
    stream << "C1: x must have rank 4, gt_box be [N, B, 4], gt_label and gt_score [N, B], found " << x << ", "
           << box << " and " << given.label;
    return inferenceError(location, text);
  }
  auto pairs = static_cast<int64_t>(given.anchors.size() / 2),
       count = static_cast<int64_t>(given.mask.size());
  bool areAnchors = given.anchors.size() % 2 == 0 && count > 0 && given.classes > 0 &&
                    llvm::all_of(given.anchors, [](int64_t extent) { return extent > 0; }) &&
                    llvm::all_of(given.mask, [&](int64_t anchor) { return anchor >= 0 && anchor < pairs; });
  if (!areAnchors)
    return inferenceError(
        location, "C2: anchors must hold pairs of positive numbers and anchor_mask numbers of them, found " +
                      llvm::Twine(given.anchors.size()) + " and " + llvm::Twine(count));
  if (!x.isDynamicDim(1) && x.getDimSize(1) != count * (5 + given.classes))
    return inferenceError(location, "C3: x must have " + llvm::Twine(count * (5 + given.classes)) +
                                        " channels, found " + llvm::Twine(x.getDimSize(1)));
  if (given.ratio <= 0)
    return inferenceError(location,
                          "C4: downsample_ratio must be positive, found " + llvm::Twine(given.ratio));
  results.push_back(x.clone({batch}));
  results.push_back(x.clone({batch, count, x.getDimSize(2), x.getDimSize(3)}));
  results.push_back(RankedTensorType::get({batch, boxes}, IntegerType::get(x.getContext(), 32)));
  results.push_back(x);
  return success();
}

LogicalResult inferWarprnntOf(std::optional<Location> location, RankedTensorType input,
                              llvm::ArrayRef<RankedTensorType> others, int64_t blank, Results &results) {
  int64_t batch = input.getRank() == 4 ? input.getDimSize(0) : 0;
  bool isValid = input.getRank() == 4 && others[0].getRank() == 2 &&
                 fits(others[0], {batch, others[0].getDimSize(1)}) && fits(others[1], {batch}) &&
                 fits(others[2], {batch});
  if (!isValid) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "C1: input must have rank 4, label be [batch, U] and the lengths vectors, found " << input << ", "
        << others[0] << ", " << others[1] << " and " << others[2];
    return inferenceError(location, text);
  }
  if (blank < 0 || (!input.isDynamicDim(3) && blank >= input.getDimSize(3)))
    return inferenceError(location, "C2: blank must be a class, found " + llvm::Twine(blank));
  results.push_back(input.clone({batch}));
  results.push_back(input);
  return success();
}

Values YoloLossOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return scaledDerivative(builder, getOperation(), getXDerivative(), cotangents[0]);
}

Values WarprnntOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  return scaledDerivative(builder, getOperation(), getWarprnntgrad(), cotangents[0]);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/loss/Kernels.cpp.inc"
#include "dialects/pd/ops/loss/Kernels.methods.inc"
