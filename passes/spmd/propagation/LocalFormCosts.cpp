#include "passes/spmd/propagation/LocalFormCosts.h"

#include "dialects/pd/sharding/CloneOnTypes.h"
#include "passes/spmd/CollectiveForm.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"

#include <set>

using namespace mlir;

namespace proa::sharding {

double LocalFormCosts::seconds(const Node &node, unsigned mesh, const FactorAxes &axes) {
  if (!needsLocalForm(node.rule->rule, axes))
    return 0;
  std::vector<int64_t> key{mesh};
  for (const FactorSplit &list : axes) {
    key.push_back(static_cast<int64_t>(list.size()));
    key.push_back(static_cast<int64_t>(list.blocks.size()));
    key.insert(key.end(), list.blocks.begin(), list.blocks.end());
    for (const spmd::AxisRef &axis : list)
      key.insert(key.end(), {int64_t(axis.axis), axis.pre, axis.size});
  }
  auto [entry, isNew] = known.try_emplace({node.rule, std::move(key)}, 0.0);
  if (isNew)
    entry->second = compute(node, mesh, axes);
  return entry->second;
}

/// All positions, because one that the form does not cover would be an error of the partitioner.
double LocalFormCosts::compute(const Node &node, unsigned mesh, const FactorAxes &axes) {
  ScopedDiagnosticHandler silent(node.op->getContext(), [](mlir::Diagnostic &) { return success(); });
  OpPlacements split = placementsOf(node.rule->local, axes);
  std::set<std::vector<const void *>> seen;
  double slowest = 0;
  for (int64_t position = 0; position < meshes[mesh].size(); ++position) {
    SmallVector<Type> locals;
    std::vector<const void *> key;
    auto add = [&](TypeRange types, ArrayRef<spmd::Placement> all) {
      for (auto [type, placement] : llvm::zip_equal(types, all)) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        locals.push_back(tensor ? Type(dist::localType(tensor, placement, meshes[mesh], position)) : type);
        key.push_back(locals.back().getAsOpaquePointer());
      }
    };
    add(node.op->getOperandTypes(), split.operands);
    add(node.op->getResultTypes(), split.results);
    if (seen.insert(std::move(key)).second)
      slowest = std::max(slowest, secondsAt(node, mesh, axes, locals, position));
  }
  return slowest;
}

double LocalFormCosts::secondsAt(const Node &node, unsigned mesh, const FactorAxes &axes,
                                 ArrayRef<Type> locals, int64_t position) {
  size_t count = node.op->getNumOperands();
  SmallVector<RankedTensorType> results;
  for (Type type : locals.drop_front(count))
    results.push_back(dyn_cast<RankedTensorType>(type));
  if (llvm::is_contained(results, RankedTensorType()))
    return refused;
  Block scratch;
  Operation *clone = pd::cloneOnTypes(scratch, node.op, locals.take_front(count));
  OpBuilder builder(node.op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  CollectiveForm form(builder, node.op, node.rule->local, clone->getOperands(), axes, meshes.symbol(mesh),
                      LocalTypes{placements, meshes[mesh].deviceAt(position)}, results);
  FailureOr<SmallVector<Value>> values = node.rule->local.localForm(form);
  if (failed(values) || !llvm::all_of(llvm::zip_equal(*values, results), [](auto pair) {
        return succeeded(verifyCompatibleShape(std::get<0>(pair).getType(), std::get<1>(pair)));
      }))
    return refused;
  double seconds = 0;
  for (Operation &op : scratch)
    if (auto step = dyn_cast<dist::StepOpInterface>(op))
      seconds += secondsOf(step);
    else if (auto send = dyn_cast<dist::SendOp>(op))
      seconds += reshards.messageSeconds(send.getX().getType());
  return seconds;
}

double LocalFormCosts::secondsOf(dist::StepOpInterface step) {
  // Shards of constants.
  if (step.getStepKind() == spmd::StepKind::Slice || step.getStepKind() == spmd::StepKind::ToPartial)
    return 0;
  // The dims that the step does not change are the dims of the position (CollectiveForm).
  RankedTensorType global = step.getGlobal();
  SmallVector<int64_t> dims;
  for (auto [dim, local] : llvm::zip_equal(global.getShape(), step.getX().getType().getShape()))
    dims.push_back(ShapedType::isDynamic(dim) ? local : dim);
  // Copies: a lookup may move the other one.
  spmd::Placement from = placements.placementOf(step.getFrom()), to = placements.placementOf(step.getTo());
  return reshards.seconds(meshes.indexOf(step.getFrom().getMesh()), from, to, global.clone(dims));
}

} // namespace proa::sharding
