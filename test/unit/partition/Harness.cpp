#include "test/unit/partition/Harness.h"

#include "dialects/dist/Placements.h"
#include "dialects/pd/reference/HostScalar.h"
#include "lib/compiler/compile/Registration.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

using namespace mlir;

namespace proa::test {

MLIRContext &context() {
  static MLIRContext *shared = [] {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllPasses();
    auto *created = new MLIRContext(registry);
    created->loadAllAvailableDialects();
    return created;
  }();
  return *shared;
}

OwningOpRef<ModuleOp> run(ModuleOp module, const std::string &pipeline) {
  OwningOpRef<ModuleOp> clone = module.clone();
  PassManager pm(&context());
  if (failed(parsePassPipeline(pipeline, pm)) || failed(pm.run(*clone)))
    return {};
  return clone;
}

static spmd::Placement replicated(size_t rank) { return {std::vector<spmd::DimPlacement>(rank)}; }

Arguments randomArguments(func::FuncOp function, const spmd::Mesh &mesh,
                          const std::function<Tensor(Type)> &create) {
  Arguments arguments{{}, std::vector<std::vector<Tensor>>(mesh.size())};
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto placement =
        dist::placementOf(function.getArgAttrOfType<dist::ShardingAttr>(i, dist::shardingAttribute), mesh);
    // One term for each coordinate on the partial axes.
    std::map<int64_t, Tensor> terms;
    Locals locals;
    spmd::Placement dims{placement.dims};
    for (int64_t position = 0; position < mesh.size(); ++position) {
      int64_t coordinate = spmd::partialCoordinate(mesh, placement, position);
      if (!terms.contains(coordinate))
        terms[coordinate] = create(type);
      locals.push_back(shardAt(mesh, dims, terms[coordinate], position));
      arguments.local[position].push_back(locals.back());
    }
    auto shape = cast<RankedTensorType>(type).getShape().vec();
    arguments.whole.push_back(*moved(mesh, placement, replicated(shape.size()), shape, locals, 0));
  }
  return arguments;
}

std::string differenceOf(const Tensor &actual, const Tensor &expected, double tolerance) {
  if (actual.dims() != expected.dims())
    return "is " + actual.describe() + ", expected " + expected.describe();
  for (int64_t i = 0; i < expected.size(); ++i) {
    double own = pd::loadScalar(actual, i).real(), value = pd::loadScalar(expected, i).real();
    bool isEqual = own == value || (std::isnan(own) && std::isnan(value)) ||
                   std::abs(own - value) <= tolerance * (1 + std::abs(value));
    if (!isEqual)
      return fmt::format("element {} is {}, expected {}", i, own, value);
  }
  return {};
}

std::string differenceOf(func::FuncOp global, const std::vector<func::FuncOp> &programs,
                         const spmd::Mesh &mesh, const Arguments &arguments, double tolerance) {
  auto expected = runGlobal(global, arguments.whole);
  if (!expected)
    return "the single-device program: " + expected.diagnostics().text();
  auto actual = runOnRanks(mesh, programs, arguments.local);
  if (!actual)
    return actual.diagnostics().text();
  for (auto [i, whole, locals] : llvm::enumerate(*expected, *actual)) {
    auto placement =
        dist::placementOf(global.getResultAttrOfType<dist::ShardingAttr>(i, dist::shardingAttribute), mesh);
    for (int64_t position = 0; position < mesh.size(); ++position) {
      auto joined = moved(mesh, placement, replicated(whole.dims().size()), whole.dims(), locals, position);
      std::string difference = joined ? differenceOf(*joined, whole, tolerance) : joined.diagnostics().text();
      if (!difference.empty())
        return fmt::format("result {}, position {}: {}", i, position, difference);
    }
  }
  return {};
}

} // namespace proa::test
