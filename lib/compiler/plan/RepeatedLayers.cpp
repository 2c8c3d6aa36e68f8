#include "lib/compiler/plan/RepeatedLayers.h"

#include <algorithm>

namespace proa {
namespace {

/// Ops begin to begin + length. Each equals the op `period` later, if that is in the range.
struct Sequence {
  size_t period = 1, begin = 0, length = 0;
};

/// The longest sequence with a period.
Sequence longestOf(const std::vector<uint64_t> &hashes, size_t period) {
  Sequence best{period, 0, 0};
  size_t run = 0;
  for (size_t i = 0; i + period < hashes.size(); ++i) {
    run = hashes[i] == hashes[i + period] ? run + 1 : 0;
    if (run >= period && run + period > best.length)
      best = {period, i + 1 - run, run + period};
  }
  return best;
}

/// The shortest period of those whose sequences have nearly the most ops: a multiple of it has as many.
Sequence longestSequence(const std::vector<uint64_t> &hashes) {
  constexpr double nearly = 0.85;
  std::vector<Sequence> found;
  size_t most = 0;
  for (size_t period = 1; 2 * period <= hashes.size(); ++period) {
    found.push_back(longestOf(hashes, period));
    most = std::max(most, found.back().length);
  }
  for (const Sequence &sequence : found)
    if (sequence.length > 0 && static_cast<double>(sequence.length) >= nearly * static_cast<double>(most))
      return sequence;
  return {};
}

/// Positions in steps of about equal size, each moved to where the fewest bytes flow.
RepeatedLayers unequalLayers(const std::vector<double> &crossing, size_t size, size_t pieces) {
  RepeatedLayers layers{{0}, {0}};
  for (size_t piece = 1; piece < pieces; ++piece) {
    size_t low = std::max(layers.begins.back() + 1, (2 * piece - 1) * size / (2 * pieces));
    size_t high = std::min(size, (2 * piece + 1) * size / (2 * pieces));
    if (low >= high)
      continue;
    auto least = std::min_element(crossing.begin() + static_cast<std::ptrdiff_t>(low),
                                  crossing.begin() + static_cast<std::ptrdiff_t>(high));
    layers.begins.push_back(static_cast<size_t>(least - crossing.begin()));
    layers.kinds.push_back(static_cast<int>(piece));
  }
  return layers;
}

} // namespace

RepeatedLayers findRepeatedLayers(const std::vector<uint64_t> &hashes, const std::vector<double> &crossing,
                                  size_t pieces) {
  Sequence sequence = longestSequence(hashes);
  if (2 * sequence.length < hashes.size())
    return unequalLayers(crossing, hashes.size(), pieces);
  size_t end = sequence.begin + sequence.length, repeats = sequence.length / sequence.period;
  size_t begin = sequence.begin;
  for (size_t i = begin; i + repeats * sequence.period <= end; ++i)
    if (crossing[i] < crossing[begin])
      begin = i;
  // One layer less, if it then begins where less flows.
  for (size_t i = begin; repeats > 2 && i < sequence.begin + sequence.period; ++i)
    if (crossing[i] < crossing[begin])
      begin = i;
  repeats = (end - begin) / sequence.period;
  RepeatedLayers layers;
  auto add = [&](size_t at, int kind) {
    layers.begins.push_back(at);
    layers.kinds.push_back(kind);
  };
  int kind = 0;
  if (begin > 0)
    add(0, kind++);
  for (size_t i = 0; i < repeats; ++i)
    add(begin + i * sequence.period, kind);
  if (begin + repeats * sequence.period < hashes.size())
    add(begin + repeats * sequence.period, kind + 1);
  return layers;
}

} // namespace proa
