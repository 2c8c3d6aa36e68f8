/// The random numbers of the reference kernels, by Philox4x32-10 (Salmon et al., "Parallel random numbers: as
/// easy as 1, 2, 3", SC 2011). Keys and counters follow dialects/pd/ops/random/Random.td; the code is
/// independent of the runtime's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace proa::pd {

/// The random numbers of one execution of one op.
class Sequence {
public:
  using Words = std::array<uint32_t, 4>;
  Sequence(uint64_t key, uint64_t call) : key(key), call(call) {}

  Words block(uint64_t index) const;
  /// A number in [0, 1) with 53 bits, from half `half` (0 or 1) of a block.
  double unit(uint64_t index, size_t half) const;

private:
  uint64_t key, call;
};

/// An unbounded stream of 64-bit numbers for one element: a uniform random bit generator of the standard
/// library.
class Stream {
public:
  using result_type = uint64_t;
  Stream(const Sequence &sequence, uint64_t element);
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return UINT64_MAX; }
  uint64_t operator()();
  /// A number in [0, 1) with 53 bits.
  double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  /// A number in [0, count).
  uint64_t below(uint64_t count);

private:
  Sequence sequence;
  uint64_t first; ///< first block; its top bit is set, so that it differs from blocks of Sequence::unit()
  uint64_t taken = 0;
};

/// Assigns keys and counters to the random ops of one run.
class RandomState {
public:
  explicit RandomState(uint64_t modelSeed = 0) : modelSeed(modelSeed) {}
  /// The sequence of the next op. A seed other than 0 is the op's key; such an op does not advance the
  /// counter.
  Sequence next(uint64_t seed = 0) { return seed != 0 ? Sequence(seed, 0) : Sequence(modelSeed, ++calls); }

private:
  uint64_t modelSeed, calls = 0;
};

/// A random permutation of 0 to count - 1, by the Fisher-Yates shuffle from the last position down.
std::vector<int64_t> shuffled(const Sequence &sequence, int64_t count);

} // namespace proa::pd
