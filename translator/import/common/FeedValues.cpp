#include "translator/import/common/FeedValues.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace proa::import {

RankedTensorType withKnownDims(const ImportOptions &options, const std::string &feed, RankedTensorType type) {
  auto known = options.feedDims.find(feed);
  if (known == options.feedDims.end() || static_cast<int64_t>(known->second.size()) != type.getRank())
    return type;
  llvm::SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, actual] : llvm::zip(shape, known->second))
    if (ShapedType::isDynamic(dim) && actual >= 0)
      dim = actual;
  return type.clone(shape);
}

Value constantOf(const Tensor &tensor, RankedTensorType type, OpBuilder &builder) {
  auto elements = pd::attributeFromTensor(builder.getContext(), tensor);
  return elements.getType() == type
             ? pd::ConstantOp::create(builder, builder.getUnknownLoc(), type, elements).getResult()
             : Value();
}

std::string unreadValuesText(const std::vector<std::string> &names) {
  constexpr size_t shown = 5;
  std::string text = "the program has no fetch op, so the values that no op reads are fetched: ";
  for (size_t i = 0; i < std::min(names.size(), shown); ++i)
    text += (i == 0 ? "'" : ", '") + names[i] + "'";
  if (names.size() > shown)
    text += " and " + std::to_string(names.size() - shown) + " others";
  return text;
}

} // namespace proa::import
