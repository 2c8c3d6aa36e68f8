/// Random numbers that are a function of a key and a counter: Philox4x32-10 of Salmon et al., "Parallel
/// random numbers: as easy as 1, 2, 3" (SC 2011). The number of an element depends on its position, not on
/// the thread that computes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace proa::runtime {

using PhiloxBlock = std::array<uint32_t, 4>;

inline constexpr int philoxRounds = 10;
inline constexpr std::array<uint32_t, 2> philoxFactors{0xD2511F53, 0xCD9E8D57},
    philoxKeySteps{0x9E3779B9, 0xBB67AE85};

/// Four random words for a counter and a key.
constexpr PhiloxBlock philox(PhiloxBlock counter, uint64_t key) {
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < philoxRounds; ++round) {
    uint64_t a = uint64_t(philoxFactors[0]) * counter[0], b = uint64_t(philoxFactors[1]) * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ k0, static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ k1, static_cast<uint32_t>(a)};
    k0 += philoxKeySteps[0];
    k1 += philoxKeySteps[1];
  }
  return counter;
}

/// The numbers of one execution of one op. `call` 0 is left to ops with a seed of their own.
struct RandomCall {
  uint64_t key = 0;
  uint64_t call = 0;

  /// Words 4 * block to 4 * block + 3 of the op's sequence.
  PhiloxBlock block(uint64_t block) const {
    return philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                   static_cast<uint32_t>(call), static_cast<uint32_t>(call >> 32)},
                  key);
  }
};

/// An endless sequence for one element, for distributions that take an unknown number of draws. A
/// UniformRandomBitGenerator of the standard library.
class RandomStream {
public:
  using result_type = uint64_t;
  /// Streams with different `element` share no block with each other; the top bit keeps them apart from
  /// RandomCall::block.
  RandomStream(const RandomCall &call, uint64_t element)
      : call(call), next((element << 24) | (uint64_t(1) << 63)) {}
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return UINT64_MAX; }
  uint64_t operator()() {
    if (used == 2) {
      words = call.block(next++);
      used = 0;
    }
    uint64_t value = words[2 * used] | uint64_t(words[2 * used + 1]) << 32;
    ++used;
    return value;
  }
  /// In [0, 1), of 53 bits.
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

private:
  RandomCall call;
  uint64_t next;
  PhiloxBlock words = {};
  size_t used = 2;
};

/// Hands each execution of an op its place in the sequence of a seed.
class RandomGenerator {
public:
  explicit RandomGenerator(uint64_t seed = 0) : seed(seed) {}
  RandomCall next() { return {seed, ++calls}; }
  /// As `count` executions of ops that another rank has.
  void skip(uint64_t count) { calls += count; }

  /// The state, with which another generator can continue the sequence.
  uint64_t key() const { return seed; }
  uint64_t callCount() const { return calls; }
  void restore(uint64_t key, uint64_t callCount) {
    seed = key;
    calls = callCount;
  }

private:
  uint64_t seed;
  uint64_t calls = 0;
};

} // namespace proa::runtime
