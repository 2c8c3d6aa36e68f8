// Attention over a paged cache by generated kernels for the GPU, run by the emulator and compared with sums
// in double precision.
#include "test/unit/codegen/KernelText.h"

#include "lib/runtime/emulator/Emulator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace proa;
using namespace proa::testing;

namespace {

struct PagedAttention {
  const char *type = "f32";
  int64_t heads = 1, groups = 1, head = 64, value = 64, blockSize = 16;
  std::vector<int64_t> lengths{1};
  int64_t blocksOfSequence = 1; ///< columns of the block table
  int64_t slices = 1;

  auto batch() const { return static_cast<int64_t>(lengths.size()); }
  int64_t blocks() const { return batch() * blocksOfSequence + 3; }
  DType dtype() const {
    return std::string(type) == "f32"   ? DType::Float32
           : std::string(type) == "f16" ? DType::Float16
                                        : DType::BFloat16;
  }
  double tolerance() const {
    return dtype() == DType::Float32 ? 1e-5 : dtype() == DType::Float16 ? 4e-3 : 3e-2;
  }
  /// The keys of a sequence that are used.
  int64_t keysOf(int64_t b) const {
    return std::clamp<int64_t>(lengths[static_cast<size_t>(b)], 0, blocksOfSequence * blockSize);
  }

  std::string text() const {
    std::string q = fmt::format("tensor<{}x{}x{}x{}>", batch(), heads, head, type),
                k = fmt::format("tensor<{}x{}x{}x{}x{}>", blocks(), groups, blockSize, head, type),
                v = fmt::format("tensor<{}x{}x{}x{}x{}>", blocks(), groups, blockSize, value, type),
                t = fmt::format("tensor<{}x{}xi32>", batch(), blocksOfSequence),
                n = fmt::format("tensor<{}xi32>", batch()),
                out = fmt::format("tensor<{}x{}x{}x{}>", batch(), heads, value, type);
    return fmt::format("func.func private @attention(%q: {0}, %k: {1}, %v: {2}, %t: {3}, %n: {4}) -> {5}\n"
                       "    attributes {{proa.device_kernel = #proa.device_kernel<op>}} {{\n"
                       "%0 = pd.paged_attention %q, %k, %v, %t, %n\n"
                       "    {{scale = 0.3 : f64, proa.attention = #proa.attention<split_keys = {6}>}}\n"
                       "    : ({0}, {1}, {2}, {3}, {4}) -> {5}\nreturn %0 : {5}\n}}\n",
                       q, k, v, t, n, out, slices);
  }

  /// q, the caches, the block table and the lengths. Rows without keys are NaN, and their entries -1.
  std::vector<Tensor> inputs() const {
    std::vector<Tensor> tensors{randomTensor(dtype(), {batch(), heads, head}, -2, 2, 1),
                                randomTensor(dtype(), {blocks(), groups, blockSize, head}, -2, 2, 2),
                                randomTensor(dtype(), {blocks(), groups, blockSize, value}, -2, 2, 3),
                                Tensor(DType::Int32, {batch(), blocksOfSequence}),
                                Tensor(DType::Int32, {batch()})};
    std::vector<int32_t> order(static_cast<size_t>(blocks()));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    std::vector<bool> isUsed(static_cast<size_t>(blocks() * blockSize));
    size_t next = 0;
    for (int64_t b = 0; b < batch(); ++b) {
      tensors[4].as<int32_t>()[b] = static_cast<int32_t>(lengths[static_cast<size_t>(b)]);
      for (int64_t block = 0; block < blocksOfSequence; ++block) {
        int32_t &entry = tensors[3].as<int32_t>()[b * blocksOfSequence + block];
        entry = block * blockSize < keysOf(b) ? order[next++] : -1;
        for (int64_t row = 0; row < std::min(blockSize, keysOf(b) - block * blockSize); ++row)
          isUsed[static_cast<size_t>(entry * blockSize + row)] = true;
      }
    }
    for (int64_t block = 0; block < blocks(); ++block)
      for (int64_t row = 0; row < blockSize; ++row)
        if (!isUsed[static_cast<size_t>(block * blockSize + row)])
          for (int64_t g = 0; g < groups; ++g) {
            setElement(tensors[1], ((block * groups + g) * blockSize + row) * head, NAN);
            setElement(tensors[2], ((block * groups + g) * blockSize + row) * value, NAN);
          }
    return tensors;
  }

  /// The row of the cache that key n of sequence b has for a head.
  int64_t rowOf(const Tensor &table, int64_t b, int64_t n, int64_t group) const {
    int64_t block = table.as<int32_t>()[b * blocksOfSequence + n / blockSize];
    return (block * groups + group) * blockSize + n % blockSize;
  }

  Tensor expected(const std::vector<Tensor> &given) const {
    Tensor out(DType::Float64, {batch(), heads, value});
    for (int64_t b = 0; b < batch(); ++b)
      for (int64_t h = 0; h < heads; ++h) {
        int64_t group = h / (heads / groups);
        std::vector<double> scores, sums(static_cast<size_t>(value));
        for (int64_t n = 0; n < keysOf(b); ++n) {
          double sum = 0;
          for (int64_t d = 0; d < head; ++d)
            sum += element(given[0], (b * heads + h) * head + d) *
                   element(given[1], rowOf(given[3], b, n, group) * head + d);
          scores.push_back(0.3 * sum);
        }
        double maximum = scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end()), total = 0;
        for (int64_t n = 0; n < keysOf(b); ++n) {
          double weight = std::exp(scores[static_cast<size_t>(n)] - maximum);
          total += weight;
          for (int64_t e = 0; e < value; ++e)
            sums[static_cast<size_t>(e)] +=
                weight * element(given[2], rowOf(given[3], b, n, group) * value + e);
        }
        for (int64_t e = 0; e < value; ++e)
          setElement(out, (b * heads + h) * value + e, total == 0 ? 0 : sums[static_cast<size_t>(e)] / total);
      }
    return out;
  }

  /// Runs the kernel in all schedules of its threads.
  void check() const {
    TestKernel kernel(text(), {.emulatesGpu = true});
    ASSERT_TRUE(kernel.valid());
    std::vector<Tensor> given = inputs();
    Tensor reference = expected(given);
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
      SCOPED_TRACE(fmt::format("{} slices {} heads {}/{} {}x{} block {} schedule {}", type, slices, heads,
                               groups, head, value, blockSize, rotation));
      emulator::setScheduling({.rotation = rotation});
      std::vector<Tensor> results = kernel.run(given, /*pieces=*/1);
      emulator::setScheduling({});
      ASSERT_EQ(results.size(), 1U);
      expectElements(results[0], [&](int64_t i) { return element(reference, i); }, tolerance(), tolerance());
    }
  }
};

const char *const types[] = {"f32", "f16", "bf16"};

} // namespace

// Lengths around the lengths of blocks and tiles, none among them.
TEST(PagedAttention, OddLengths) {
  for (const char *type : types)
    for (auto [blockSize, head] : {std::pair(16, 64), std::pair(64, 128)})
      for (int64_t slices : {1, 4})
        PagedAttention{.type = type,
                       .heads = 2,
                       .groups = 1,
                       .head = head,
                       .value = head,
                       .blockSize = blockSize,
                       .lengths = {0, 1, 31, 33, 1025},
                       .blocksOfSequence = 1040 / blockSize + 1,
                       .slices = slices}
            .check();
}

// More query heads than a tile has, one for each head of keys, and numbers between.
TEST(PagedAttention, Groups) {
  for (const char *type : types)
    for (auto [heads, groups] : {std::pair(3, 3), std::pair(14, 2), std::pair(40, 2), std::pair(140, 1)})
      for (int64_t slices : {1, 3})
        PagedAttention{.type = type,
                       .heads = heads,
                       .groups = groups,
                       .lengths = {70, 129},
                       .blocksOfSequence = 9,
                       .slices = slices}
            .check();
}

// Rows that no access of 16 bytes reads, values of another size, blocks of any number of rows, and lengths of
// more keys than the block table has, or below zero.
TEST(PagedAttention, OddDims) {
  for (const char *type : types)
    for (int64_t slices : {1, 2})
      for (auto [head, value] : {std::pair(18, 30), std::pair(80, 96), std::pair(256, 40)})
        PagedAttention{.type = type,
                       .heads = 4,
                       .groups = 2,
                       .head = head,
                       .value = value,
                       .blockSize = 7,
                       .lengths = {-3, 200, 100},
                       .blocksOfSequence = 20,
                       .slices = slices}
            .check();
}

// More slices than tiles of keys: some have no keys.
TEST(PagedAttention, EmptySlices) {
  for (const char *type : types)
    PagedAttention{.type = type, .lengths = {0, 5, 100, 260}, .blocksOfSequence = 20, .slices = 11}.check();
}
