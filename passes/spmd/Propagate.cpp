//! dist-propagate: shardings of all values from annotations of some.
#include "passes/spmd/Passes.h"

#include "dialects/dist/Dist.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/proa/Proa.h"
#include "passes/remarks/Remarks.h"
#include "passes/spmd/ShardedForm.h"
#include "passes/spmd/propagation/Annotations.h"
#include "passes/spmd/propagation/Explain.h"
#include "passes/spmd/propagation/Materialize.h"
#include "passes/spmd/propagation/WholeDims.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_PROPAGATE
#include "passes/spmd/Passes.h.inc"

namespace {

class PropagatePass : public impl::PropagateBase<PropagatePass> {
public:
  using PropagateBase::PropagateBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (memoryLimit < 0) {
      module.emitError() << getArgumentName() << ": expected a memory-limit of at least 0, found "
                         << int64_t(memoryLimit);
      return signalPassFailure();
    }
    FailureOr<sharding::Meshes> meshes = sharding::findMeshes(module);
    if (failed(meshes))
      return signalPassFailure();
    std::optional<sharding::ValueMeshes> meshOfValue;
    if (meshes->list.size() > 1)
      meshOfValue = sharding::ValueMeshes::assign(module, *meshes);
    sharding::ShardingGraph graph(*meshes);
    if (failed(graph.build(module, meshOfValue ? &*meshOfValue : nullptr)) ||
        failed(sharding::readAnnotations(graph)))
      return signalPassFailure();
    sharding::PlacementPool pool;
    sharding::ReshardCosts costs(*meshes, pool, targetOf(module).device(), memoryLimit);
    sharding::LocalFormCosts forms(module, *meshes, costs);
    sharding::Propagation propagation(graph, costs, forms);
    propagation.run();
    sharding::Assignment assignment(graph, pool, costs, forms);
    assignment.run();
    remark(graph, assignment, pool);
    for (const std::string &value : explain)
      if (failed(sharding::explain(value, module, graph, propagation, assignment, pool, llvm::errs())))
        return signalPassFailure();
    sharding::materialize(graph, assignment, pool);
    if (check && failed(verifyShardedForm(module)))
      signalPassFailure();
  }

private:
  /// Which splits are lost, and why. Constants have none to lose.
  void remark(const sharding::ShardingGraph &graph, const sharding::Assignment &assignment,
              const sharding::PlacementPool &pool) {
    if (!PassRemarks::areEnabled(&getContext()))
      return;
    PassRemarks remarks(getArgumentName());
    for (auto [index, node] : llvm::enumerate(graph.nodes)) {
      StringRef name = node.op->getName().getStringRef();
      if (!node.rule && !node.op->hasTrait<OpTrait::ConstantLike>())
        remarks.missed(node.op) << name << " runs whole on each device: " << pd::whyWhole(node.op);
      for (const sharding::WholeDim &dim : wholeDimsOf(graph, assignment, pool, unsigned(index)))
        remarks.missed(node.op) << name << ": " << dim.text(graph.meshes[graph.meshOf(node)]);
    }
  }
};

} // namespace
} // namespace proa
