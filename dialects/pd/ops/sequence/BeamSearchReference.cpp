//! Reference kernel of beam search.
#include "dialects/pd/ops/sequence/BeamSearch.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

/// A continuation of a prefix.
struct Continuation {
  int64_t prefix, id;
  double score;
  bool wasOver;
};

} // namespace

LogicalResult BeamSearchOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                             llvm::MutableArrayRef<Tensor> results, RandomState *) {
  const Tensor *ids = operandOf(getOperation(), operands, getIds());
  std::vector<int64_t> previous = integersOf(operands[0]), offsets = integersOf(operands[3]);
  auto endId = static_cast<int64_t>(getEndId());
  auto beam = static_cast<size_t>(getBeamSize());
  int64_t width = operands[2].dims()[1];
  std::vector<Continuation> selected;
  for (size_t source = 0; source + 1 < offsets.size(); ++source) {
    std::vector<Continuation> all;
    for (int64_t prefix = offsets[source]; prefix < offsets[source + 1]; ++prefix) {
      double before = realAt(operands[1], prefix);
      if (previous[static_cast<size_t>(prefix)] == endId) {
        all.push_back({prefix, endId, before, true});
        continue;
      }
      for (int64_t place = prefix * width; place < (prefix + 1) * width; ++place) {
        double score = realAt(operands[2], place);
        all.push_back({prefix, ids ? loadScalar(*ids, place).integer : place - prefix * width,
                       getIsAccumulated() ? score : before + std::log(score), false});
      }
    }
    auto isBetter = [](const Continuation &a, const Continuation &b) {
      return std::pair(a.score, a.prefix) > std::pair(b.score, b.prefix);
    };
    llvm::stable_sort(all, isBetter);
    if (all.size() > beam) {
      if (!isBetter(all[beam - 1], all[beam])) // the definition does not say which one is kept
        return failure();
      all.resize(beam);
    }
    llvm::stable_sort(all, [](const Continuation &a, const Continuation &b) { return a.prefix < b.prefix; });
    if (!llvm::all_of(all, [&](const Continuation &one) { return one.wasOver && one.id == endId; }))
      selected.insert(selected.end(), all.begin(), all.end());
  }
  auto count = static_cast<int64_t>(selected.size());
  std::vector<int64_t> chosen, parents, ends(previous.size() + 1);
  results[1] = Tensor(results[1].dtype(), {count, 1});
  for (auto [i, one] : llvm::enumerate(selected)) {
    chosen.push_back(one.id);
    parents.push_back(one.prefix);
    setReal(results[1], static_cast<int64_t>(i), one.score);
  }
  for (size_t prefix = 0; prefix < previous.size(); ++prefix)
    ends[prefix + 1] = ends[prefix] + llvm::count(parents, static_cast<int64_t>(prefix));
  results[0] = vectorOf(results[0].dtype(), chosen).reshaped({count, 1});
  results[2] = vectorOf(results[2].dtype(), parents);
  results[3] = vectorOf(results[3].dtype(), ends);
  return success();
}

} // namespace proa::pd
