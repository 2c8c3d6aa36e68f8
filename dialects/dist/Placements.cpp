//! Shardings as placements of lib/base/spmd, and back.
#include "dialects/dist/Placements.h"

#include "lib/base/spmd/Refine.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace proa::dist {

spmd::AxisRef axisRefOf(AxisAttr axis, const spmd::Mesh &mesh) {
  unsigned index = *mesh.indexOf(axis.getName().str());
  return axis.isFull() ? mesh.full(index) : spmd::AxisRef{index, axis.getPre(), axis.getSize()};
}

LogicalResult verifyAxis(EmitError emitError, AxisAttr axis, const spmd::Mesh &mesh) {
  std::optional<unsigned> index = mesh.indexOf(axis.getName().str());
  if (!index) {
    InFlightDiagnostic error = emitError() << "C3: expected an axis of the mesh, found \"" << axis.getName()
                                           << "\"; the axes are";
    for (const spmd::MeshAxis &known : mesh.axes)
      error << " \"" << known.name << "\"";
    return error;
  }
  int64_t size = mesh.axes[*index].size;
  if (axis.isFull())
    return success();
  int64_t product = 0;
  if (llvm::MulOverflow(axis.getPre(), axis.getSize(), product) || size % product != 0 ||
      axis.getSize() == size)
    return emitError() << "C3: expected a sub-axis of \"" << axis.getName() << "\", which has size " << size
                       << ", found \"" << axis.getName() << "\":(" << axis.getPre() << ")" << axis.getSize();
  return success();
}

bool reduces(Reduction reduction, Type element) {
  bool isBool = element.isInteger(1), isReal = isa<IntegerType, FloatType>(element) && !isBool;
  switch (reduction) {
  case Reduction::Any:
  case Reduction::All:
    return isBool;
  case Reduction::Max:
  case Reduction::Min:
    return isReal;
  case Reduction::Avg:
    return isa<FloatType, ComplexType>(element);
  case Reduction::Sum:
  case Reduction::Prod:
    return !isBool;
  }
  return false;
}

static LogicalResult verifyReduction(EmitError emitError, Reduction reduction, Type element) {
  if (!reduces(reduction, element))
    return emitError() << "C6: expected an element type that '" << stringifyReduction(reduction)
                       << "' reduces, found " << element;
  return success();
}

/// Whether the axes increase in the order of the mesh, with no two that are one larger sub-axis.
static bool areOrdered(ArrayRef<AxisAttr> axes, const spmd::Mesh &mesh) {
  for (size_t i = 1; i < axes.size(); ++i) {
    spmd::AxisRef a = axisRefOf(axes[i - 1], mesh), b = axisRefOf(axes[i], mesh);
    if (std::pair(a.axis, a.pre) >= std::pair(b.axis, b.pre) || (a.axis == b.axis && a.pre * a.size == b.pre))
      return false;
  }
  return true;
}

LogicalResult verifySharding(EmitError emitError, ShardingAttr sharding, const spmd::Mesh &mesh,
                             RankedTensorType type) {
  if (static_cast<size_t>(type.getRank()) != sharding.getDims().size())
    return emitError() << "C2: expected a sharding with " << type.getRank() << " dimensions, found "
                       << sharding.getDims().size();
  SmallVector<AxisAttr> axes(sharding.getReplicated());
  for (DimShardingAttr dim : sharding.getDims())
    llvm::append_range(axes, dim.getAxes());
  for (PartialAttr partial : sharding.getPartial())
    llvm::append_range(axes, partial.getAxes());
  for (AxisAttr axis : axes)
    if (failed(verifyAxis(emitError, axis, mesh)))
      return failure();
  // Attributes that passes create are verified only in debug builds.
  for (auto [i, axis] : llvm::enumerate(axes))
    for (AxisAttr other : ArrayRef(axes).take_front(i))
      if (overlap(axisRefOf(axis, mesh), axisRefOf(other, mesh)))
        return emitError() << "C3: expected each axis at most once, found " << sharding;
  spmd::Placement placement = placementOf(sharding, mesh);
  bool isOrdered = areOrdered(sharding.getReplicated(), mesh);
  for (PartialAttr partial : sharding.getPartial())
    isOrdered &= areOrdered(partial.getAxes(), mesh);
  auto dims = [](const spmd::Placement &p) { return p.dims; };
  bool hasUnit = llvm::any_of(axes, [&](AxisAttr axis) { return axisRefOf(axis, mesh).size == 1; });
  if (!isOrdered || hasUnit || dims(canonical(mesh, placement)) != dims(placement))
    return emitError()
           << "C4: expected adjacent sub-axes as one, partial and replicated axes in the order of the "
              "mesh, and no axes of size 1, found "
           << sharding;
  for (auto [dim, size] : llvm::zip(sharding.getDims(), type.getShape()))
    if (int64_t sum = llvm::sum_of(dim.getBlocks(), int64_t(0)); !dim.getBlocks().empty() && sum != size)
      return emitError() << "C5: expected blocks that add up to the dim size "
                         << (ShapedType::isDynamic(size) ? "(it is dynamic)" : std::to_string(size))
                         << ", found " << sum;
  for (PartialAttr partial : sharding.getPartial())
    if (failed(verifyReduction(emitError, partial.getReduction(), type.getElementType())))
      return failure();
  return success();
}

spmd::Placement placementOf(ShardingAttr sharding, const spmd::Mesh &mesh) {
  spmd::Placement placement;
  for (DimShardingAttr dim : sharding.getDims()) {
    spmd::DimPlacement &target = placement.dims.emplace_back();
    for (AxisAttr axis : dim.getAxes())
      target.axes.push_back(axisRefOf(axis, mesh));
    if (!target.axes.empty())
      target.blocks.assign(dim.getBlocks().begin(), dim.getBlocks().end());
  }
  for (PartialAttr partial : sharding.getPartial())
    for (AxisAttr axis : partial.getAxes())
      placement.partial.push_back(
          {axisRefOf(axis, mesh), static_cast<spmd::Reduction>(partial.getReduction())});
  llvm::sort(placement.partial, [](const spmd::PartialAxis &a, const spmd::PartialAxis &b) {
    return std::pair(a.axis.axis, a.axis.pre) < std::pair(b.axis.axis, b.axis.pre);
  });
  return placement;
}

ShardingAttr shardingOf(const spmd::Placement &placement, FlatSymbolRefAttr symbol, const spmd::Mesh &mesh) {
  MLIRContext *context = symbol.getContext();
  auto axisOf = [&](const spmd::AxisRef &ref) {
    const spmd::MeshAxis &axis = mesh.axes[ref.axis];
    bool isFull = ref == mesh.full(ref.axis);
    return AxisAttr::get(context, axis.name, isFull ? 0 : ref.pre, isFull ? 0 : ref.size);
  };
  SmallVector<DimShardingAttr> dims;
  for (const spmd::DimPlacement &dim : placement.dims)
    dims.push_back(DimShardingAttr::get(context, llvm::map_to_vector(dim.axes, axisOf), /*isClosed=*/true,
                                        /*priority=*/0, dim.blocks));
  SmallVector<PartialAttr> partial;
  for (unsigned value = 0; value <= getMaxEnumValForReduction(); ++value) {
    SmallVector<AxisAttr> axes;
    for (const spmd::PartialAxis &p : placement.partial)
      if (static_cast<unsigned>(p.reduction) == value)
        axes.push_back(axisOf(p.axis));
    if (!axes.empty())
      partial.push_back(PartialAttr::get(context, static_cast<Reduction>(value), axes));
  }
  return ShardingAttr::get(context, symbol, dims, {}, partial);
}

RankedTensorType localType(RankedTensorType global, const spmd::Placement &placement) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::zip(placement.dims, global.getShape()))
    shape.push_back(
        ShapedType::isDynamic(size) ? size : spmd::evenLocalSize(dim, size).value_or(ShapedType::kDynamic));
  return global.clone(shape);
}

RankedTensorType localType(RankedTensorType global, const spmd::Placement &placement, const spmd::Mesh &mesh,
                           int64_t position) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::zip(placement.dims, global.getShape())) {
    int64_t count = 0;
    if (!ShapedType::isDynamic(size))
      for (const spmd::Range &range : spmd::localRanges(mesh, dim, size, position))
        count += range.size();
    shape.push_back(ShapedType::isDynamic(size) ? size : count);
  }
  return global.clone(shape);
}

bool isLocalType(RankedTensorType local, RankedTensorType global, const spmd::Placement &placement) {
  if (local.getElementType() != global.getElementType() || local.getRank() != global.getRank() ||
      local.getEncoding() != global.getEncoding())
    return false;
  for (auto [dim, size, shard] : llvm::zip(placement.dims, global.getShape(), local.getShape())) {
    if (ShapedType::isDynamic(shard) || ShapedType::isDynamic(size))
      continue;
    // Shards differ by at most one element for each block.
    int64_t shards = dim.shardCount(), least = 0, most = 0;
    for (int64_t block : dim.blocks.empty() ? std::vector{size} : dim.blocks) {
      least += block / shards;
      most += llvm::divideCeil(block, shards);
    }
    if (shard < least || shard > most)
      return false;
  }
  return true;
}

Value createStep(OpBuilder &builder, Location location, spmd::StepKind kind, Value x, RankedTensorType local,
                 RankedTensorType global, ShardingAttr from, ShardingAttr to) {
  auto create = [&]<class Op>(Op) -> Value {
    return Op::create(builder, location, local, x, global, from, to);
  };
  switch (kind) {
  case spmd::StepKind::Slice:
    return create(SliceOp());
  case spmd::StepKind::ToPartial:
    return create(ToPartialOp());
  case spmd::StepKind::AllGather:
    return create(AllGatherOp());
  case spmd::StepKind::AllToAll:
    return create(AllToAllOp());
  case spmd::StepKind::Permute:
    return create(PermuteOp());
  case spmd::StepKind::ReduceScatter:
    return create(ReduceScatterOp());
  case spmd::StepKind::AllReduce:
    return create(AllReduceOp());
  }
  return {};
}

MeshAttr lookupMesh(Operation *op, FlatSymbolRefAttr symbol) {
  auto mesh = SymbolTable::lookupNearestSymbolFrom<MeshOp>(op, symbol);
  return mesh ? mesh.getMesh() : MeshAttr();
}

MeshAttr lookupMesh(SymbolTableCollection &symbols, Operation *op, FlatSymbolRefAttr symbol) {
  auto mesh = symbols.lookupNearestSymbolFrom<MeshOp>(op, symbol);
  return mesh ? mesh.getMesh() : MeshAttr();
}

} // namespace proa::dist
