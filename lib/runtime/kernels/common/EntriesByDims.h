/// A cache of what a library kernel prepares for each set of dims.
#pragma once

#include "lib/runtime/plan/Library.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace proa::runtime {

/// Entries that a kernel creates once for each set of dims, for one step of one session: a geometry, a plan
/// of oneDNN. With more sets of dims than `most`, all are created again.
template <class Entry> class EntriesByDims final : public KernelState {
public:
  /// The entries of a call's step.
  static EntriesByDims &of(Call &call) {
    if (!call.state())
      call.state() = std::make_unique<EntriesByDims>();
    return static_cast<EntriesByDims &>(*call.state());
  }

  /// Forgets all where the weights of which entries know are others than the last time: their generation has
  /// another number.
  void use(uint64_t weights) {
    if (generation != weights)
      byDims.clear();
    generation = weights;
  }

  /// The entry for the dims of the first `inputs` inputs and for `more`. make() gives a Result<Entry>, whose
  /// errors are handed on.
  template <class Make>
  Result<Entry *> find(const Call &call, size_t inputs, Make make, std::span<const int64_t> more = {}) {
    key.clear();
    for (size_t i = 0; i < inputs; ++i) {
      key.push_back(-1); // separates the operands
      key.insert(key.end(), call.input(i).dims.begin(), call.input(i).dims.end());
    }
    key.insert(key.end(), more.begin(), more.end());
    auto found = byDims.find(key);
    if (found != byDims.end())
      return &found->second;
    Result<Entry> entry = make();
    if (!entry)
      return entry.diagnostics();
    constexpr size_t most = 64;
    if (byDims.size() >= most)
      byDims.clear();
    return &byDims.emplace(key, std::move(*entry)).first->second;
  }

  /// Any entry, or null: the only one of a step whose dims are known before the run.
  Entry *first() { return byDims.empty() ? nullptr : &byDims.begin()->second; }

private:
  std::map<std::vector<int64_t>, Entry> byDims;
  std::vector<int64_t> key; ///< kept for its memory
  uint64_t generation = 0;
};

} // namespace proa::runtime
