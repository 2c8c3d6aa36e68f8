#include "passes/pipeline/OptimizerBarrier.h"

#include "dialects/pd/ir/FunctionAttributes.h"

#include <set>

using namespace mlir;

namespace proa {
namespace {

/// The ranks whose gradients a value depends on, and the first op that combined gradients of several ranks.
struct Origin {
  std::set<int64_t> ranks;
  Operation *joined = nullptr;

  void add(const Origin &other) {
    ranks.insert(other.ranks.begin(), other.ranks.end());
    joined = joined ? joined : other.joined;
  }
};

} // namespace

Operation *findOptimizerBarrier(func::FuncOp function, const MicroBatchLoop &loop,
                                const StageAssignment &assignment, const pipeline::Shape &shape) {
  llvm::DenseMap<Value, Origin> origins;
  for (auto [i, sum] : llvm::enumerate(loop.sums))
    origins[loop.loop.getResult(sum.index)] = {{shape.rankOf(assignment.stageOfSum(i))}};
  for (Operation *op = loop.loop->getNextNode(); op; op = op->getNextNode()) {
    Origin own;
    for (Value value : valuesReadBy(op))
      if (auto found = origins.find(value); found != origins.end())
        own.add(found->second);
    if (op->hasTrait<OpTrait::IsTerminator>() || own.ranks.empty())
      continue;
    if (own.ranks.size() > 1 && !own.joined)
      own.joined = op;
    for (Value result : op->getResults())
      origins[result] = own;
  }
  Operation *exit = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(exit->getOperands()))
    if (function.getResultAttr(static_cast<unsigned>(i), pd::stateAttribute))
      if (auto found = origins.find(value); found != origins.end() && found->second.joined)
        return found->second.joined;
  return nullptr;
}

} // namespace proa
