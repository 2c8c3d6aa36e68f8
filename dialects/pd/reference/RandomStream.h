/// Random numbers by the definition of Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1,
/// 2, 3", SC 2011), for the reference kernels: what dialects/pd/ops/random/Random.td says of keys and
/// counters, written once more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace proa::pd {

/// The numbers of one execution of one op.
class Sequence {
public:
  using Words = std::array<uint32_t, 4>;
  Sequence(uint64_t key, uint64_t call) : key(key), call(call) {}

  Words block(uint64_t number) const;
  /// In [0, 1), of 53 bits: half `part` of a block.
  double unit(uint64_t number, size_t part) const;

private:
  uint64_t key, call;
};

/// Endless numbers of 64 bits of one element of a sequence; a generator as the standard library's
/// distributions want it.
class Stream {
public:
  using result_type = uint64_t;
  Stream(const Sequence &sequence, uint64_t element);
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return UINT64_MAX; }
  uint64_t operator()();
  /// In [0, 1), of 53 bits.
  double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  /// In [0, count).
  uint64_t below(uint64_t count);

private:
  Sequence sequence;
  uint64_t first; ///< block; the top bit keeps those of streams apart from the others
  uint64_t taken = 0;
};

/// Which counters the random ops of one run take.
class RandomState {
public:
  explicit RandomState(uint64_t modelSeed = 0) : modelSeed(modelSeed) {}
  /// Those of the next op; a seed other than 0 is its key, and it takes none of the run's.
  Sequence next(uint64_t seed = 0) { return seed != 0 ? Sequence(seed, 0) : Sequence(modelSeed, ++calls); }

private:
  uint64_t modelSeed, calls = 0;
};

/// 0 to count - 1, the last place first exchanged with one at or before it (Fisher and Yates).
std::vector<int64_t> shuffled(const Sequence &sequence, int64_t count);

} // namespace proa::pd
