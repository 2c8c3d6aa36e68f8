// Time of dist-propagate on a chain of MLP layers, with the parameters split by columns and rows.
#include "dialects/dist/Dist.h"
#include "dialects/pd/ir/Pd.h"
#include "passes/spmd/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace proa {
namespace {

/// Layers of matmul, add, gelu, matmul, add: `ops` ops.
std::string chain(int64_t ops) {
  std::string arguments = "%v0: tensor<64x128xf32>", body, last = "%v0";
  for (int64_t layer = 0; layer < ops / 5; ++layer) {
    arguments += fmt::format(
        ", %a{0}: tensor<128x512xf32> {{dist.sharding = #dist.sharding<@m, [{{}}, {{\"mp\"}}]>}}, "
        "%b{0}: tensor<512xf32>, %c{0}: tensor<512x128xf32> {{dist.sharding = "
        "#dist.sharding<@m, [{{\"mp\"}}, {{}}]>}}, %d{0}: tensor<128xf32>",
        layer);
    body += fmt::format(
        "%p{0} = pd.matmul {1}, %a{0} : (tensor<64x128xf32>, tensor<128x512xf32>) -> tensor<64x512xf32>\n"
        "%q{0} = pd.add %p{0}, %b{0} : (tensor<64x512xf32>, tensor<512xf32>) -> tensor<64x512xf32>\n"
        "%r{0} = pd.gelu %q{0} : (tensor<64x512xf32>) -> tensor<64x512xf32>\n"
        "%s{0} = pd.matmul %r{0}, %c{0} : (tensor<64x512xf32>, tensor<512x128xf32>) -> tensor<64x128xf32>\n"
        "%t{0} = pd.add %s{0}, %d{0} : (tensor<64x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>\n",
        layer, last);
    last = fmt::format("%t{}", layer);
  }
  return fmt::format(
      "dist.mesh @m = <[\"dp\"=2, \"mp\"=4]>\nfunc.func @main({}) -> tensor<64x128xf32> {{\n{}return {} : "
      "tensor<64x128xf32>\n}}\n",
      arguments, body, last);
}

void propagate(benchmark::State &state) {
  mlir::DialectRegistry registry;
  registry.insert<pd::PdDialect, dist::DistDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(chain(state.range(0)), &context);
  if (!module)
    return state.SkipWithError("the program is not valid");
  mlir::PassManager manager(&context);
  manager.enableVerifier(false);
  manager.addPass(createPropagate());
  for (auto _ : state) {
    state.PauseTiming();
    mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
    state.ResumeTiming();
    if (failed(manager.run(*copy)))
      return state.SkipWithError("dist-propagate failed");
    state.PauseTiming();
    copy = nullptr;
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(propagate)->RangeMultiplier(10)->Range(1000, 100000)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace proa
