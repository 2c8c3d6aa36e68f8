#include "dialects/pd/ops/graph/Sampling.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/sequence/Rows.h"

using namespace mlir;

namespace proa::pd {

LogicalResult inferTdmChildOf(std::optional<Location> location, RankedTensorType x, RankedTensorType tree,
                              int64_t children, std::optional<Type> dtype, Results &results) {
  if (children < 1 || tree.getRank() != 2 || (!tree.isDynamicDim(1) && tree.getDimSize(1) != 3 + children)) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: tree_info must have rank 2 and 3 + child_nums columns, found "
                                   << tree << " for " << children;
    return inferenceError(location, text);
  }
  llvm::SmallVector<int64_t> shape(x.getShape());
  shape.push_back(children);
  results.append(2, RankedTensorType::get(shape, dtype.value_or(IntegerType::get(x.getContext(), 32))));
  return success();
}

void addNeighbors(RankedTensorType row, RankedTensorType nodes, Results &results) {
  int64_t count = nodes.hasStaticShape() ? nodes.getNumElements() : ShapedType::kDynamic;
  results.push_back(row.clone({ShapedType::kDynamic}));
  results.push_back(RankedTensorType::get({count}, IntegerType::get(row.getContext(), 32)));
  results.push_back(row.clone({ShapedType::kDynamic}));
}

LogicalResult inferTdmSamplerOf(std::optional<Location> location, RankedTensorType x,
                                llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<int64_t> layers,
                                bool withPositive, std::optional<Type> dtype, Results &results) {
  if (layers.size() != counts.size() + 1 || !llvm::is_sorted(layers))
    return inferenceError(location, "C1: layer_offset_lod must ascend and have one element more than "
                                    "neg_samples_num_list, found " +
                                        llvm::Twine(layers.size()) + " and " + llvm::Twine(counts.size()));
  int64_t width = 0;
  for (auto [layer, count] : llvm::enumerate(counts)) {
    int64_t nodes = layers[layer + 1] - layers[layer];
    if (count < 0 || count >= nodes)
      return inferenceError(location, "C2: layer " + llvm::Twine(layer) + " has " + llvm::Twine(nodes) +
                                          " nodes, " + llvm::Twine(count) + " are to be drawn");
    width += count + (withPositive ? 1 : 0);
  }
  int64_t items = x.hasStaticShape() ? x.getNumElements() : ShapedType::kDynamic;
  Type type = dtype.value_or(IntegerType::get(x.getContext(), 32));
  results.append(3, RankedTensorType::get({items, width}, type));
  return success();
}

FailureOr<SmallVector<Value>> TdmChildOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression tree = e.wrap(getTreeInfo());
  Expression children = slice(tree, 1, 3, toTheEnd), items = slice(tree, 1, 0, 1);
  Expression found = gatherRows(children, asInts(e.wrap(getX())));
  int64_t last = found.rank() - 1;
  // A node whose first child is 0 has no children, and node 0 is not a node.
  auto isOne = [&](Expression node) {
    return e.wrap(e.create<NotEqualOp>(node, e.constant(0, node.type().getElementType())));
  };
  Expression hasChildren =
      e.wrap(e.create<LogicalAndOp>(isOne(slice(found, last, 0, 1)), isOne(insertDim(e.wrap(getX()), last))));
  Expression kept = found * e.cast(hasChildren, found.type().getElementType());
  Expression itemOf = dropDim(gatherRows(items, asInts(kept)), last + 1);
  Expression leaves = e.cast(isOne(itemOf), found.type().getElementType()) *
                      e.cast(hasChildren, found.type().getElementType());
  Type dtype = tensorType(getChild()).getElementType();
  return SmallVector<Value>{e.cast(kept, dtype), e.cast(leaves, dtype)};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/graph/Sampling.cpp.inc"
#include "dialects/pd/ops/graph/Sampling.methods.inc"
