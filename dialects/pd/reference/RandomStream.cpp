#include "dialects/pd/reference/RandomStream.h"

#include <numeric>
#include <utility>

namespace proa::pd {

Sequence::Words Sequence::block(uint64_t index) const {
  auto low = [](uint64_t word) { return static_cast<uint32_t>(word & 0xFFFFFFFF); };
  auto high = [](uint64_t word) { return static_cast<uint32_t>(word >> 32); };
  Words word{low(index), high(index), low(call), high(call)};
  uint64_t firstKey = low(key), secondKey = high(key);
  for (int round = 0; round < 10; ++round) {
    uint64_t first = 0xD2511F53ULL * word[0], second = 0xCD9E8D57ULL * word[2];
    word = {high(second) ^ word[1] ^ low(firstKey), low(second), high(first) ^ word[3] ^ low(secondKey),
            low(first)};
    firstKey += 0x9E3779B9ULL;  // the golden ratio
    secondKey += 0xBB67AE85ULL; // the square root of 3 less 1
  }
  return word;
}

double Sequence::unit(uint64_t index, size_t half) const {
  Words words = block(index);
  uint64_t bits = uint64_t(words[2 * half + 1]) << 32 | words[2 * half];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

Stream::Stream(const Sequence &sequence, uint64_t element)
    : sequence(sequence), first((element << 24) | (uint64_t(1) << 63)) {}

uint64_t Stream::operator()() {
  Sequence::Words words = sequence.block(first + taken / 2);
  size_t half = 2 * (taken++ % 2);
  return uint64_t(words[half + 1]) << 32 | words[half];
}

uint64_t Stream::below(uint64_t count) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>((*this)()) * count) >> 64);
}

std::vector<int64_t> shuffled(const Sequence &sequence, int64_t count) {
  std::vector<int64_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), int64_t(0));
  Stream stream(sequence, 0);
  for (size_t remaining = out.size(); remaining > 1; --remaining)
    std::swap(out[remaining - 1], out[stream.below(remaining)]);
  return out;
}

} // namespace proa::pd
