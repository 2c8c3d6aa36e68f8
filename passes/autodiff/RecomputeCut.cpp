#include "passes/autodiff/RecomputeCut.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/Pd.h"
#include "passes/autodiff/MinimumCut.h"

using namespace mlir;

namespace proa::autodiff {
namespace {

/// Ops that cost about as much as reading their result.
bool isCheap(Operation *op) {
  if (isa<pd::ContractionOpInterface>(op))
    return false;
  return op->hasTrait<pd::ElementwiseTrait>() || op->hasTrait<pd::MovesElements>() ||
         isa<pd::ScalarOpInterface, pd::ReductionOpInterface, pd::IndexingMapOpInterface>(op);
}

class CutSearch {
public:
  CutSearch(const ValueLifetimes &lifetimes, const RecomputeChoice &choice)
      : lifetimes(lifetimes), choice(choice) {
    found.position = lifetimes.peakPosition();
  }

  RecomputeCut run() {
    findNeeded();
    findSegments();
    solve();
    return std::move(found);
  }

private:
  bool isBefore(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && !op->hasTrait<OpTrait::ConstantLike>() && lifetimes.positionOf(op) <= found.position;
  }

  /// The values that ops after the position read, and the bytes that are alive across it.
  void findNeeded() {
    for (size_t i = 0; i <= found.position && i < lifetimes.size(); ++i)
      for (Value result : lifetimes.at(i)->getResults()) {
        if (lifetimes.lastUseOf(result) > found.position)
          found.keptBefore += lifetimes.bytesOf(result);
        if (isBefore(result) && llvm::any_of(result.getUsers(), [&](Operation *user) {
              return lifetimes.positionOf(user) > found.position;
            }))
          needed.push_back(result);
      }
  }

  /// The boundaries of the segments: each within its share of the kept bytes, where the fewest bytes flow.
  void findSegments() {
    if (choice.segments < 2)
      return;
    std::vector<int64_t> kept(found.position + 2, 0), flowing(found.position + 2, 0);
    for (size_t i = 0; i <= found.position; ++i)
      for (Value result : lifetimes.at(i)->getResults()) {
        int64_t bytes = lifetimes.bytesOf(result);
        kept[i + 1] += lifetimes.lastUseOf(result) > found.position ? bytes : 0;
        flowing[i] += bytes;
        flowing[lastForwardUse(result)] -= bytes;
      }
    for (size_t i = 1; i < kept.size(); ++i) {
      kept[i] += kept[i - 1];
      flowing[i] += flowing[i - 1];
    }
    size_t begin = 0;
    for (int64_t k = 1; k < choice.segments; ++k) {
      // From half a segment before its ideal position to half a segment after it.
      auto upTo = [&](double share) {
        auto bytes = static_cast<int64_t>(share * static_cast<double>(kept.back()));
        return static_cast<size_t>(llvm::lower_bound(kept, bytes) - kept.begin());
      };
      double total = static_cast<double>(choice.segments);
      size_t from = std::max(begin, upTo((static_cast<double>(k) - 0.5) / total));
      size_t to = std::min(upTo((static_cast<double>(k) + 0.5) / total), found.position);
      if (from >= to)
        continue;
      auto least = std::min_element(flowing.begin() + static_cast<std::ptrdiff_t>(from),
                                    flowing.begin() + static_cast<std::ptrdiff_t>(to));
      cuts.push_back(static_cast<size_t>(least - flowing.begin()));
      begin = cuts.back() + 1;
    }
  }

  /// The last op before the position that reads the value or an alias of it.
  size_t lastForwardUse(Value value) const {
    size_t last = lifetimes.positionOf(value.getDefiningOp());
    for (Operation *user : value.getUsers()) {
      size_t position = lifetimes.positionOf(user);
      if (position > found.position)
        continue;
      bool isAlias =
          user->getNumResults() == 1 && lifetimes.rootOf(user->getResult(0)) == lifetimes.rootOf(value);
      last = std::max(last, isAlias ? lastForwardUse(user->getResult(0)) : position);
    }
    return last;
  }

  bool flowsToNextSegment(Value value) const {
    auto cut = llvm::lower_bound(cuts, lifetimes.positionOf(value.getDefiningOp()));
    return cut != cuts.end() && lastForwardUse(value) > *cut;
  }

  bool mayBeRecomputed(Value value) const {
    Operation *op = value.getDefiningOp();
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
        !llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return false;
    if (isCheap(op))
      return !flowsToNextSegment(value);
    bool inLastSegment = cuts.empty() || lifetimes.positionOf(op) > cuts.back();
    return choice.segments > 0 && !inLastSegment && !flowsToNextSegment(value);
  }

  /// The cost of keeping a value in bytes: 0 if it is live until the end anyway.
  int64_t costOf(Value value) const {
    Value root = lifetimes.rootOf(value);
    if (isa<BlockArgument>(root) || lifetimes.lastUseOf(root) + 1 == lifetimes.size())
      return 0;
    return lifetimes.bytesOf(root);
  }

  /// Adds a node for the op that computes a value and one for the value, which may be kept.
  void solve() {
    llvm::DenseMap<Value, size_t> indices;
    std::vector<Value> values;
    auto numberOf = [&](Value value) {
      auto [entry, isNew] = indices.try_emplace(value, values.size());
      if (isNew)
        values.push_back(value);
      return entry->second;
    };
    for (Value value : needed)
      numberOf(value);
    std::vector<std::pair<size_t, size_t>> reads;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!mayBeRecomputed(values[i]))
        continue;
      for (Value operand : values[i].getDefiningOp()->getOperands())
        if (isBefore(operand))
          reads.emplace_back(numberOf(operand), i);
    }
    size_t source = 2 * values.size(), sink = source + 1;
    MinimumCut network(sink + 1);
    for (auto [operand, result] : reads)
      network.addEdge(2 * operand + 1, 2 * result, MinimumCut::unlimited);
    for (auto [i, value] : llvm::enumerate(values)) {
      network.addEdge(2 * i, 2 * i + 1, costOf(value));
      if (!mayBeRecomputed(value))
        network.addEdge(source, 2 * i, MinimumCut::unlimited);
    }
    for (Value value : needed)
      network.addEdge(2 * indices[value] + 1, sink, MinimumCut::unlimited);
    found.keptAfter = network.cut(source, sink);
    for (auto [i, value] : llvm::enumerate(values))
      if (network.isOnSinkSide(2 * i) && network.isOnSinkSide(2 * i + 1))
        found.recomputed.insert(value);
  }

  const ValueLifetimes &lifetimes;
  const RecomputeChoice &choice;
  RecomputeCut found;
  std::vector<Value> needed;
  std::vector<size_t> cuts; ///< the last op of each segment but the last
};

} // namespace

RecomputeCut findRecomputeCut(const ValueLifetimes &lifetimes, const RecomputeChoice &choice) {
  return CutSearch(lifetimes, choice).run();
}

} // namespace proa::autodiff
