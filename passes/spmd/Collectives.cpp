#include "passes/spmd/Collectives.h"

#include "dialects/dist/InterfaceAttributes.h"
#include "passes/spmd/FactorAxes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <set>

using namespace mlir;

namespace proa {

dist::StepOpInterface collectiveOf(Operation *op) {
  auto step = dyn_cast<dist::StepOpInterface>(op);
  bool communicates =
      step && step.getStepKind() != spmd::StepKind::Slice && step.getStepKind() != spmd::StepKind::ToPartial;
  return communicates && isa<RankedTensorType>(op->getResult(0).getType()) ? step : dist::StepOpInterface();
}

bool isMovable(Operation *op) { return !op->hasTrait<OpTrait::IsTerminator>() && isMemoryEffectFree(op); }

bool dependsOn(Operation *op, const llvm::SmallPtrSetImpl<Operation *> &ops) {
  return op
      ->walk([&](Operation *inner) {
        bool depends = llvm::any_of(inner->getOperands(), [&](Value operand) {
          return operand.getDefiningOp() && ops.contains(operand.getDefiningOp());
        });
        return depends ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

int64_t EvenCollective::bytes() const {
  auto result = cast<RankedTensorType>(operation->getResult(0).getType());
  return std::max(op().getX().getType().getNumElements(), result.getNumElements()) *
         elementBytes(result.getElementType());
}

namespace {

/// Finds the dimension and axes of a collective.
class Reader {
public:
  Reader(dist::StepOpInterface op, const spmd::Mesh &mesh, MeshPlacements &meshes)
      : mesh(mesh), from(meshes.placementOf(op.getFrom())), to(meshes.placementOf(op.getTo())) {
    result.operation = op;
  }

  std::optional<EvenCollective> read() {
    bool isRead = false;
    switch (result.op().getStepKind()) {
    case spmd::StepKind::AllReduce:
      isRead = readReduction();
      break;
    case spmd::StepKind::ReduceScatter:
      isRead = readReduction() && readDim(from, to) && haveReducedAxes();
      break;
    case spmd::StepKind::AllGather:
      isRead = readDim(to, from);
      break;
    default:
      break;
    }
    if (!isRead || !hasFullAxes() || !isEven())
      return std::nullopt;
    readOtherAxes();
    return result;
  }

private:
  /// The axes that are reduced, none of them in part only.
  bool readReduction() {
    for (const spmd::PartialAxis &axis : from.partial) {
      if (llvm::is_contained(to.partial, axis))
        continue;
      if (llvm::any_of(to.partial, [&](const spmd::PartialAxis &p) { return overlap(p.axis, axis.axis); }))
        return false;
      result.reduction = axis.reduction;
      result.axes.push_back(axis.axis);
    }
    return true;
  }

  /// The dimension that is split further by `fine`, and the added axes. An all_gather gives the axes; the
  /// axes of a reduce_scatter are the reduced ones, in the order of the dimension.
  bool readDim(const spmd::Placement &coarse, const spmd::Placement &fine) {
    bool isFound = false;
    reduced = result.axes;
    for (size_t d = 0; d < fine.dims.size(); ++d) {
      const spmd::DimPlacement &few = coarse.dims[d], &many = fine.dims[d];
      if (few == many)
        continue;
      if (isFound || !many.blocks.empty() || many.axes.size() <= few.axes.size() ||
          !std::equal(few.axes.begin(), few.axes.end(), many.axes.begin()))
        return false;
      isFound = true;
      result.dim = d;
      result.axes.assign(many.axes.begin() + static_cast<ptrdiff_t>(few.axes.size()), many.axes.end());
    }
    return isFound;
  }

  bool haveReducedAxes() const {
    return reduced.size() == result.axes.size() && llvm::all_of(reduced, [&](const spmd::AxisRef &axis) {
             return llvm::is_contained(result.axes, axis);
           });
  }

  bool hasFullAxes() {
    for (const spmd::AxisRef &axis : result.axes)
      result.shards *= axis.size;
    return llvm::all_of(result.axes, [&](const spmd::AxisRef &axis) { return axis == mesh.full(axis.axis); });
  }

  /// With dims of one device a local type may be static although shards differ.
  bool isEven() const {
    RankedTensorType global = result.op().getGlobal();
    RankedTensorType before = dist::localType(global, from), after = dist::localType(global, to);
    return before.hasStaticShape() && after.hasStaticShape() && before.getNumElements() > 0 &&
           before == result.op().getX().getType() && after == result.op()->getResult(0).getType();
  }

  void readOtherAxes() {
    std::set<unsigned> others;
    for (const spmd::Placement *placement : {&from, &to}) {
      for (const spmd::DimPlacement &dim : placement->dims)
        for (const spmd::AxisRef &axis : dim.axes)
          others.insert(axis.axis);
      for (const spmd::PartialAxis &axis : placement->partial)
        others.insert(axis.axis.axis);
    }
    for (const spmd::AxisRef &axis : result.axes)
      others.erase(axis.axis);
    result.otherAxes.assign(others.begin(), others.end());
  }

  const spmd::Mesh &mesh;
  spmd::Placement from, to;
  llvm::SmallVector<spmd::AxisRef> reduced;
  EvenCollective result;
};

} // namespace

std::optional<EvenCollective> evenCollectiveOf(dist::StepOpInterface op, MeshPlacements &meshes) {
  return Reader(op, *meshes.meshOf(op.getFrom().getMesh()), meshes).read();
}

bool ReplicatedValues::contains(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  // Iterative, because chains of ops are long: operands are computed before the ops that use them.
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Value next = stack.back();
    size_t count = stack.size();
    Operation *op = next.getDefiningOp();
    if (op && !isa<dist::StepOpInterface>(op) && op->getNumRegions() == 0)
      for (Value operand : op->getOperands())
        if (!known.contains(operand))
          stack.push_back(operand);
    if (stack.size() > count)
      continue;
    known[next] = compute(next);
    stack.pop_back();
  }
  return known[value];
}

bool ReplicatedValues::isReplicated(dist::ShardingAttr sharding) {
  if (sharding.getMesh() != mesh)
    return false;
  auto isUsed = [&](const spmd::AxisRef &axis) {
    return llvm::any_of(axes, [&](const spmd::AxisRef &own) { return overlap(own, axis); });
  };
  const spmd::Placement &placement = meshes.placementOf(sharding);
  return llvm::none_of(placement.dims,
                       [&](const spmd::DimPlacement &dim) { return llvm::any_of(dim.axes, isUsed); }) &&
         llvm::none_of(placement.partial, [&](const spmd::PartialAxis &axis) { return isUsed(axis.axis); });
}

bool ReplicatedValues::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto sharding =
        function ? dist::argumentSharding(function, argument.getArgNumber()) : dist::ShardingAttr();
    return sharding && isReplicated(sharding);
  }
  Operation *op = value.getDefiningOp();
  if (auto step = dyn_cast<dist::StepOpInterface>(op))
    return isReplicated(step.getTo());
  if (op->getNumRegions() > 0 || !isa_and_present<pd::PdDialect>(op->getDialect()))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return known.lookup(operand); });
}

} // namespace proa
