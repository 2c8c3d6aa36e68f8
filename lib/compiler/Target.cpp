#include "lib/compiler/Target.h"

#include "lib/compiler/CudaProgram.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace proa {

static constexpr TargetKind allTargets[] = {TargetKind::Cpu, TargetKind::Cuda, TargetKind::CudaEmulated};

const char *nameOf(TargetKind target) {
  switch (target) {
  case TargetKind::Cpu:
    return "cpu";
  case TargetKind::Cuda:
    return "cuda";
  case TargetKind::CudaEmulated:
    return "cuda-emulated";
  }
  return "";
}

Result<TargetKind> chooseTarget(const std::string &targets) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(targets).split(names, ',');
  Diagnostics unknown, obstacles;
  std::optional<TargetKind> chosen;
  for (llvm::StringRef name : names) {
    const auto *known = llvm::find_if(allTargets, [&](TargetKind kind) { return name == nameOf(kind); });
    if (known == std::end(allTargets)) {
      unknown.add("target '" + name.str() + "'", "expected cpu, cuda or cuda-emulated");
      continue;
    }
    if (chosen)
      continue;
    auto context = *known == TargetKind::Cuda ? cudaContext() : CudaContext();
    if (context)
      chosen = *known;
    for (const Diagnostic &obstacle : context ? Diagnostics() : context.diagnostics())
      obstacles.add("target '" + name.str() + "'", obstacle.message);
  }
  if (!unknown.empty())
    return unknown;
  if (!chosen)
    return obstacles;
  return *chosen;
}

} // namespace proa
