#include "lib/compiler/compile/DescribeTarget.h"

#include "dialects/proa/Proa.h"
#include "lib/base/target/FactsFile.h"
#include "lib/compiler/codegen/CompileKernels.h"
#include "lib/compiler/compile/Backend.h"
#include "lib/runtime/host/CpuFeatures.h"

#include "llvm/ADT/STLExtras.h"

namespace proa {
namespace {

/// The known CPU with the instructions of `options.cpu`, or of this machine.
Result<CpuFacts> cpuOf(const CompileOptions &options) {
  if (Result<void> valid = runtime::checkVectorLimit(); !valid)
    return valid.diagnostics();
  Result<std::vector<std::string>> features =
      options.cpu.empty() ? Result(runtime::cpuFeatures()) : cpuFeaturesOf(options.cpu);
  if (!features)
    return features.diagnostics();
  auto has = [&](const char *feature) { return llvm::is_contained(*features, feature); };
  const char *name = has("avx512f") ? "avx512" : has("avx2") ? "avx2" : "generic";
  return *knownFacts<CpuFacts>(name);
}

} // namespace

Result<TargetFacts> targetFactsOf(const CompileOptions &options) {
  auto cpu = cpuOf(options);
  if (!cpu)
    return cpu.diagnostics();
  TargetFacts facts{std::move(*cpu), std::nullopt};
  CompileOptions chosen = options;
  if (Result<void> found = Backend::create(options.target)->chooseChip(chosen); !found)
    return found.diagnostics();
  if (options.target == TargetKind::CudaEmulated)
    facts.gpu = *knownFacts<GpuFacts>(CodegenOptions().emulatedChip);
  else if (options.target == TargetKind::Cuda)
    facts.gpu = *knownFacts<GpuFacts>(chosen.chip);
  if (!options.targetFacts.empty())
    if (Result<void> applied = applyFactsFile(options.targetFacts, facts); !applied)
      return applied.diagnostics();
  return facts;
}

Result<void> describeTarget(mlir::ModuleOp module, const CompileOptions &options) {
  auto facts = targetFactsOf(options);
  if (!facts)
    return facts.diagnostics();
  setTarget(module, *facts);
  return {};
}

} // namespace proa
