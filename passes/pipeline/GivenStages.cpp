#include "passes/pipeline/GivenStages.h"

#include "dialects/dist/StageMark.h"
#include "passes/pipeline/MicroBatchLoop.h"

using namespace mlir;

namespace proa {
namespace {

/// The first stage that may have an op, and the op whose given stage is the reason.
struct FirstStage {
  int64_t stage = 0;
  Operation *reason = nullptr;
};

LogicalResult refuse(Operation *op, int64_t stage, const FirstStage &needed) {
  InFlightDiagnostic error = op->emitError() << "its given stage " << stage << " contradicts stage "
                                             << needed.stage << " of an op whose result it needs";
  error.attachNote(needed.reason->getLoc()) << "the op of stage " << needed.stage;
  return error;
}

} // namespace

FailureOr<std::vector<int64_t>> sortByGivenStages(SmallVector<Operation *> &ops, int64_t stageCount) {
  llvm::DenseMap<Operation *, FirstStage> first;
  bool hasGiven = false;
  for (Operation *op : ops) {
    FirstStage own;
    for (Value value : valuesReadBy(op))
      if (auto found = first.find(value.getDefiningOp());
          found != first.end() && found->second.stage > own.stage)
        own = found->second;
    if (std::optional<int64_t> given = dist::stageOf(op->getLoc())) {
      hasGiven = true;
      if (*given >= stageCount)
        return op->emitError() << "is given stage " << *given << ", expected a stage below " << stageCount;
      if (own.stage > *given)
        return refuse(op, *given, own);
      own = {*given, op};
    }
    first[op] = own;
  }
  std::vector<int64_t> stages;
  if (!hasGiven)
    return stages;
  llvm::stable_sort(ops, [&](Operation *a, Operation *b) { return first[a].stage < first[b].stage; });
  for (Operation *op : ops)
    stages.push_back(dist::stageOf(op->getLoc()).value_or(-1));
  return stages;
}

} // namespace proa
