#include "passes/kernels/DimensionClasses.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa {

unsigned DimensionClasses::add(unsigned count) {
  unsigned first = parents.size();
  for (unsigned i = 0; i < count; ++i)
    parents.push_back(first + i);
  return first;
}

unsigned DimensionClasses::find(unsigned node) const {
  while (parents[node] != node)
    node = parents[node];
  return node;
}

void DimensionClasses::joinOperand(linalg::LinalgOp op, OpOperand &operand, Value value) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [dim, expression] : llvm::enumerate(map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expression))
      join(firstOfValue[value] + dim, firstOfLoops[op] + loop.getPosition());
}

/// In a group of a reshape where all dimensions but one are 1, this one has the size of the dimension that
/// they become.
void DimensionClasses::joinReshape(Value source, Value result, ArrayRef<ReassociationIndices> groups) {
  bool expands = cast<ShapedType>(source.getType()).getRank() < cast<ShapedType>(result.getType()).getRank();
  Value folded = expands ? source : result, unfolded = expands ? result : source;
  auto type = cast<ShapedType>(unfolded.getType());
  for (auto [dim, group] : llvm::enumerate(groups)) {
    auto isUnit = [&](int64_t inner) { return type.getDimSize(inner) == 1; };
    if (llvm::count_if(group, isUnit) + 1 != int64_t(group.size()))
      continue;
    const auto *left = llvm::find_if_not(group, isUnit);
    join(firstOfValue[folded] + dim, firstOfValue[unfolded] + *left);
  }
}

void DimensionClasses::joinSizes(Operation &op) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    joinReshape(expand.getSrc(), expand.getResult(), expand.getReassociationIndices());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    joinReshape(collapse.getSrc(), collapse.getResult(), collapse.getReassociationIndices());
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    joinEmpty(empty);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    for (int64_t dim = 0; dim < cast.getType().getRank(); ++dim)
      join(firstOfValue[cast.getSource()] + dim, firstOfValue[cast.getResult()] + dim);
}

/// Dims with the size of a dim of another value.
void DimensionClasses::joinEmpty(tensor::EmptyOp op) {
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes())) {
    auto value = dyn_cast<Value>(size);
    auto source = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    std::optional<int64_t> index = source ? source.getConstantIndex() : std::nullopt;
    if (index && firstOfValue.contains(source.getSource()))
      join(firstOfValue[op.getResult()] + dim,
           firstOfValue[source.getSource()] + static_cast<unsigned>(*index));
  }
}

DimensionClasses::DimensionClasses(func::FuncOp function, Kind kind) {
  auto addValue = [&](Value value) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      firstOfValue[value] = add(type.getRank());
  };
  for (BlockArgument argument : function.getArguments())
    addValue(argument);
  for (Operation &op : function.getBody().front()) {
    for (Value result : op.getResults())
      addValue(result);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      linalgOps.push_back(linalgOp);
      firstOfLoops[&op] = add(linalgOp.getNumLoops());
    }
  }
  if (kind == Kind::Sizes)
    for (Operation &op : function.getBody().front())
      joinSizes(op);
  for (linalg::LinalgOp op : linalgOps) {
    for (OpOperand &operand : op->getOpOperands())
      if (firstOfValue.contains(operand.get()) &&
          (kind == Kind::Sizes || operand.get().getDefiningOp<linalg::LinalgOp>()))
        joinOperand(op, operand, operand.get());
    for (OpOperand &init : op.getDpsInitsMutable())
      joinOperand(op, init, op.getTiedOpResult(&init));
  }
  for (linalg::LinalgOp op : linalgOps)
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction)
        reduced.insert(find(firstOfLoops[op] + loop));
}

SmallVector<unsigned> DimensionClasses::of(Value value) const {
  SmallVector<unsigned> classes;
  unsigned first = firstOfValue.lookup(value);
  for (int64_t dim = 0; dim < cast<RankedTensorType>(value.getType()).getRank(); ++dim)
    classes.push_back(find(first + dim));
  return classes;
}

SmallVector<unsigned> DimensionClasses::ofLoops(linalg::LinalgOp op) const {
  SmallVector<unsigned> classes;
  unsigned first = firstOfLoops.lookup(op);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    classes.push_back(find(first + loop));
  return classes;
}

Value peelReshapes(Value result, SmallVectorImpl<Operation *> &reshapes) {
  while (Operation *op = result.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    reshapes.push_back(op);
    result = op->getOperand(0);
  }
  return result;
}

} // namespace proa
