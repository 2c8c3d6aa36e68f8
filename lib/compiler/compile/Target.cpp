#include "lib/compiler/compile/Target.h"

#include "lib/compiler/cuda/CudaProgram.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdlib>

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

int defaultDevice() {
  const char *local = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  unsigned rank = 0;
  if (!local || llvm::StringRef(local).getAsInteger(10, rank))
    return 0;
  auto count = cuda::countDevices();
  return count ? static_cast<int>(rank % static_cast<unsigned>(std::max(1, *count))) : 0;
}

bool ranksShareDevices(int64_t ranks) {
  const char *local = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  int64_t processes = 1;
  if (local && llvm::StringRef(local).getAsInteger(10, processes))
    processes = 1;
  auto count = cuda::countDevices();
  return count && processes * ranks > *count;
}

/// "cuda:1" has a number.
static std::optional<ProgramTarget> targetNamed(llvm::StringRef name) {
  for (TargetKind kind : allTargets)
    if (name == nameOf(kind))
      return ProgramTarget{kind, kind == TargetKind::Cuda ? defaultDevice() : 0};
  ProgramTarget target{TargetKind::Cuda};
  bool isNumbered =
      name.consume_front("cuda:") && !name.getAsInteger(10, target.device) && target.device >= 0;
  return isNumbered ? std::optional(target) : std::nullopt;
}

Result<ProgramTarget> chooseTarget(const std::string &targets) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(targets).split(names, ',');
  Diagnostics unknown, obstacles;
  std::optional<ProgramTarget> chosen;
  for (llvm::StringRef name : names) {
    std::optional<ProgramTarget> target = targetNamed(name);
    if (!target) {
      unknown.add("target '" + name.str() + "'",
                  "expected cpu, cuda, cuda:N (the number of a device) or cuda-emulated");
      continue;
    }
    if (chosen)
      continue;
    auto context = target->kind == TargetKind::Cuda ? cuda::cudaContext(target->device) : cuda::CudaContext();
    if (context)
      chosen = *target;
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
