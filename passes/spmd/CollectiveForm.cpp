#include "passes/spmd/CollectiveForm.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "lib/spmd/Refine.h"

using namespace mlir;

namespace proa {

CollectiveForm::CollectiveForm(OpBuilder &builder, Operation *op, const pd::ShardingRule &rule,
                               ValueRange operands, const FactorAxes &axes, FlatSymbolRefAttr symbol,
                               LocalTypes types, llvm::ArrayRef<RankedTensorType> resultTypes)
    : LocalFormBuilder(builder, op, rule, operands), axes(axes), symbol(symbol), types(types),
      mesh(*types.meshes.meshOf(symbol)), resultTypes(resultTypes) {}

/// The parts of the mesh axes that the factor does not use.
llvm::SmallVector<spmd::PartialAxis> CollectiveForm::otherTerms(unsigned factor,
                                                                spmd::Reduction reduction) const {
  llvm::SmallVector<spmd::PartialAxis> others;
  for (unsigned axis = 0; axis < mesh.axes.size(); ++axis) {
    // Cut the axis at the ends of the sub-axes of the factor.
    llvm::SmallVector<spmd::AxisRef> used;
    for (const spmd::AxisRef &own : axes[factor])
      if (own.axis == axis)
        used.push_back(own);
    llvm::sort(used, [](const spmd::AxisRef &a, const spmd::AxisRef &b) { return a.pre < b.pre; });
    int64_t pre = 1;
    used.push_back({axis, mesh.axes[axis].size, 1});
    for (const spmd::AxisRef &next : used) {
      if (next.pre > pre)
        others.push_back({{axis, pre, next.pre / pre}, reduction});
      pre = next.pre * next.size;
    }
  }
  return others;
}

Value CollectiveForm::createStep(spmd::StepKind kind, Value local, RankedTensorType result,
                                 RankedTensorType global, const spmd::Placement &from,
                                 const spmd::Placement &to) {
  auto shardingOf = [&](const spmd::Placement &placement) {
    return dist::shardingOf(spmd::canonical(mesh, placement), symbol, mesh);
  };
  return dist::createStep(getBuilder(), op()->getLoc(), kind, local, result, global, shardingOf(from),
                          shardingOf(to));
}

/// The dims of a value in a collective. With the types of one position, others may have other dims, and all
/// positions must state the same: those that the collective does not change are dynamic.
static RankedTensorType statedType(RankedTensorType local, bool isOfPosition) {
  if (!isOfPosition)
    return local;
  return local.clone(SmallVector<int64_t>(static_cast<size_t>(local.getRank()), ShapedType::kDynamic));
}

Value CollectiveForm::byPart(unsigned factor, llvm::ArrayRef<int64_t> values) {
  OpBuilder &builder = getBuilder();
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, builder.getI64Type());
  Value all = pd::ConstantOp::create(builder, op()->getLoc(), type, DenseElementsAttr::get(type, values));
  spmd::Placement whole{std::vector<spmd::DimPlacement>(1)}, split = whole;
  split.dims[0].axes.assign(axes[factor].begin(), axes[factor].end());
  Value own = createStep(spmd::StepKind::Slice, all, type.clone({1}), type, whole, split);
  return pd::ReshapeOp::create(builder, op()->getLoc(), own, Value(), builder.getDenseI64ArrayAttr({}));
}

static spmd::Reduction neutralReduction(Type element) {
  return element.isInteger(1) ? spmd::Reduction::Any : spmd::Reduction::Sum;
}

Value CollectiveForm::gather(Value local, int64_t dim, unsigned factor, int64_t size) {
  auto type = cast<RankedTensorType>(local.getType());
  SmallVector<int64_t> joined(type.getShape());
  joined[static_cast<size_t>(dim)] = size;
  SmallVector<int64_t> global(statedType(type, types.position.has_value()).getShape());
  global[static_cast<size_t>(dim)] = size;
  spmd::Placement to{std::vector<spmd::DimPlacement>(static_cast<size_t>(type.getRank()))};
  auto others = otherTerms(factor, neutralReduction(type.getElementType()));
  to.partial.assign(others.begin(), others.end());
  spmd::Placement from = to;
  from.dims[static_cast<size_t>(dim)].axes.assign(axes[factor].begin(), axes[factor].end());
  return createStep(spmd::StepKind::AllGather, local, type.clone(joined), type.clone(global), from, to);
}

Value CollectiveForm::reduce(Value local, pd::ReductionKind kind, unsigned factor) {
  auto type = cast<RankedTensorType>(local.getType());
  spmd::Reduction reduction = reductionOf({0, pd::FactorKind::Reduction, kind});
  spmd::Placement to{std::vector<spmd::DimPlacement>(static_cast<size_t>(type.getRank()))};
  auto others = otherTerms(factor, reduction);
  to.partial.assign(others.begin(), others.end());
  spmd::Placement from = to;
  for (const spmd::AxisRef &axis : axes[factor])
    from.partial.push_back({axis, reduction});
  return createStep(spmd::StepKind::AllReduce, local, type, statedType(type, types.position.has_value()),
                    from, to);
}

/// Joins the whole dimension, pads it, and takes the range of the device.
Value CollectiveForm::window(Value local, int64_t dim, unsigned factor, int64_t size,
                             llvm::ArrayRef<std::pair<int64_t, int64_t>> ranges, double fill) {
  OpBuilder &builder = getBuilder();
  Location location = op()->getLoc();
  Value whole = gather(local, dim, factor, size);
  int64_t before = 0, after = 0;
  SmallVector<int64_t> begins, ends;
  for (auto [begin, end] : ranges) {
    before = std::max(before, -begin);
    after = std::max(after, end - size);
  }
  for (auto [begin, end] : ranges) {
    begins.push_back(begin + before);
    ends.push_back(end + before);
  }
  auto type = cast<RankedTensorType>(whole.getType());
  SmallVector<int64_t> paddings(2 * static_cast<size_t>(type.getRank()), 0);
  paddings[2 * static_cast<size_t>(dim)] = before;
  paddings[2 * static_cast<size_t>(dim) + 1] = after;
  Value padded = pd::PadOp::create(builder, location, whole, builder.getDenseI64ArrayAttr(paddings),
                                   builder.getF64FloatAttr(fill));
  auto bound = [&](ArrayRef<int64_t> values) -> Value {
    return pd::ReshapeOp::create(builder, location, byPart(factor, values), Value(),
                                 builder.getDenseI64ArrayAttr({1}));
  };
  Value first = bound(begins), last = bound(ends);
  auto none = builder.getDenseI64ArrayAttr({});
  return pd::SliceOp::create(builder, location, padded, first, last, Value(),
                             builder.getDenseI64ArrayAttr({dim}), none, none, none);
}

} // namespace proa
