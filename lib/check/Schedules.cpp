#include "lib/check/Schedules.h"

#include "lib/base/support/TemporaryFolder.h"
#include "lib/compiler/compile/Target.h"
#include "lib/runtime/emulator/Emulator.h"

#include <cstdlib>

namespace proa::check {

bool isEmulated(const CheckOptions &options) {
  if (options.target.empty())
    return false;
  Result<ProgramTarget> target = chooseTarget(options.target);
  return target && target->kind == TargetKind::CudaEmulated;
}

CaseResult checkInAllSchedules(const CheckOptions &options,
                               const std::function<CaseResult(const CheckOptions &)> &check) {
  Result<TemporaryFolder> cache = TemporaryFolder::create();
  CheckOptions own = options;
  if (own.cacheDirectory == "off" && cache)
    own.cacheDirectory = cache->path();
  CaseResult result;
  for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
    emulator::setScheduling({.fixed = {}, .rotation = rotation, .seed = options.seed});
    result = check(own);
    if (result.status == Status::Passed)
      continue;
    if (rotation > 0 && result.status == Status::Failed)
      result.diagnostics.add("schedules",
                             "rotation " + std::to_string(rotation) +
                                 " differs from the rotations before it: the result depends on the order "
                                 "of threads");
    break;
  }
  emulator::setScheduling({});
  return result;
}

} // namespace proa::check
