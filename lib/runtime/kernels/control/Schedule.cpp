/// The library kernel "binomial_schedule" (iterations; snapshots; results: kinds, numbers).
/// dialects/pd/ops/autodiff/Recompute.td says what it computes.
#include "lib/base/support/BinomialSchedule.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/OutputMemory.h"

#include "dialects/pd/ops/autodiff/Recompute.kernels.inc"

namespace proa::runtime {
namespace {

Result<void> schedule(Call &call, int64_t snapshots) {
  Result<std::vector<int64_t>> iterations = integersOf(call.input(0));
  if (!iterations)
    return iterations.diagnostics();
  if (iterations->size() != 1)
    return failure("the number of iterations has {} elements, expected one", iterations->size());
  std::vector<LoopAction> actions = binomialSchedule(iterations->front(), snapshots);
  const int64_t dims[] = {static_cast<int64_t>(actions.size())};
  OutputMemory memory;
  Result<View> kinds = memory.get(call, 0, DType::Int64, dims),
               numbers = memory.get(call, 1, DType::Int64, dims);
  if (!kinds || !numbers)
    return kinds ? numbers.diagnostics() : kinds.diagnostics();
  for (size_t i = 0; i < actions.size(); ++i) {
    kinds->as<int64_t>()[i] = actions[i].kind;
    numbers->as<int64_t>()[i] = actions[i].argument;
  }
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeBinomialSchedule(const BinomialScheduleAttributes &op,
                                                            const KernelRequest &request) {
  Checks checks(request);
  int64_t snapshots = op.snapshots;
  checks.expectOperands(1, 0);
  checks.expect(snapshots > 0, "snapshots must be positive");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([snapshots](Call &call) { return schedule(call, snapshots); });
}

} // namespace proa::runtime
