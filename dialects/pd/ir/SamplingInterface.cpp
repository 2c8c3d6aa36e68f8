#include "dialects/pd/ir/SamplingInterface.h"

#include "dialects/pd/ir/Pd.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace proa::pd {

/// Places of the ops that a composite decomposes to, which are erased again.
static std::optional<int64_t> placesOfDecomposition(Operation *op) {
  Block scratch;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&scratch);
  Operation *clone = builder.clone(*op);
  if (failed(cast<DecomposableOpInterface>(clone).tryDecompose(builder)))
    return std::nullopt;
  std::optional<int64_t> positions = 0;
  for (Operation &created : scratch) {
    bool isUnknown = created.getNumRegions() > 0 && mayTakePositions(&created);
    std::optional<int64_t> own = &created == clone ? 0
                                 : isUnknown       ? std::nullopt
                                                   : sequencePositionsOf(&created);
    positions = positions && own ? std::optional(*positions + *own) : std::nullopt;
  }
  return positions;
}

std::optional<int64_t> sequencePositionsOf(Operation *op) {
  if (auto sampling = dyn_cast<SamplingOpInterface>(op))
    return sampling.getSequencePlaces();
  // Composites that sample have an effect, so that equal ones are not merged.
  if (isa<DecomposableOpInterface>(op) && !isMemoryEffectFree(op))
    return placesOfDecomposition(op);
  return 0;
}

bool mayTakePositions(Operation *op) {
  SmallPtrSet<Operation *, 4> visited;
  auto mayTake = [&](auto &self, Operation *root) -> bool {
    return root
        ->walk([&](Operation *inner) {
          bool takes = inner->getNumRegions() == 0 && sequencePositionsOf(inner) != 0;
          if (auto call = dyn_cast<CallOpInterface>(inner))
            if (Operation *callee = call.resolveCallable(); callee && visited.insert(callee).second)
              takes |= self(self, callee);
          return takes ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  return mayTake(mayTake, op);
}

} // namespace proa::pd

#include "dialects/pd/ir/SamplingInterface.cpp.inc"
