// Attention by generated kernels for the GPU, run by the emulator and compared with sums in double precision.
#include "test/unit/codegen/KernelText.h"

#include "lib/emulator/Emulator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

using namespace proa;
using namespace proa::testing;

namespace {

/// An attention of q [batch, heads, queries, head], k [batch, groups, keys, head] and v [batch, groups, keys,
/// value].
struct Attention {
  const char *type = "f32";
  std::string strategy = "fma";
  int64_t batch = 1, heads = 1, groups = 1, queries = 1, keys = 1, head = 16, value = 16;
  bool isCausal = false, hasMask = false, hasLengths = false;
  /// q is stored as [batch, queries, heads, head], and so is the result.
  bool isTransposed = false;

  DType dtype() const {
    return std::string(type) == "f32"   ? DType::Float32
           : std::string(type) == "f16" ? DType::Float16
                                        : DType::BFloat16;
  }
  double tolerance() const {
    return dtype() == DType::Float32 ? 1e-5 : dtype() == DType::Float16 ? 4e-3 : 3e-2;
  }
  std::vector<int64_t> queryDims(int64_t elements) const {
    return isTransposed ? std::vector{batch, queries, heads, elements}
                        : std::vector{batch, heads, queries, elements};
  }
  int64_t queryIndex(int64_t b, int64_t h, int64_t m) const {
    return isTransposed ? (b * queries + m) * heads + h : (b * heads + h) * queries + m;
  }
  std::string tensor(const std::vector<int64_t> &dims, const std::string &element) const {
    return fmt::format("tensor<{}x{}>", fmt::join(dims, "x"), element);
  }

  std::string text() const {
    std::string q = tensor(queryDims(head), type), k = tensor({batch, groups, keys, head}, type),
                v = tensor({batch, groups, keys, value}, type), m = tensor({batch, 1, queries, keys}, type),
                n = tensor({batch}, "i32"), out = tensor(queryDims(value), type),
                lse = tensor({batch, heads, queries}, "f32");
    std::string arguments = "%q: " + q + ", %k: " + k + ", %v: " + v, names = "%q, %k, %v",
                types = q + ", " + k + ", " + v;
    if (hasMask) {
      arguments += ", %m: " + m;
      names += ", %m";
      types += ", " + m;
    }
    if (hasLengths) {
      arguments += ", %n: " + n;
      names += ", %n";
      types += ", " + n;
    }
    std::string permutations =
        isTransposed ? ", q_permutation = array<i64: 0, 2, 1, 3>, out_permutation = array<i64: 0, 2, 1, 3>"
                     : "";
    return fmt::format("func.func private @attention({}) -> ({}, {}) attributes {{proa.whole_kernel}} {{\n"
                       "%o, %l = \"pd.fused_attention\"({}) <{{causal = {}, operandSegmentSizes = array<i32: "
                       "1, 1, 1, {}, {}>, "
                       "scale = 0.3{}}}> : ({}) -> ({}, {})\nreturn %o, %l : {}, {}\n}}\n",
                       arguments, out, lse, names, isCausal, hasMask ? 1 : 0, hasLengths ? 1 : 0,
                       permutations, types, out, lse, out, lse);
  }

  void check(const TestKernel &kernel) const {
    std::vector<Tensor> inputs{randomTensor(dtype(), queryDims(head), -2, 2, 1),
                               randomTensor(dtype(), {batch, groups, keys, head}, -2, 2, 2),
                               randomTensor(dtype(), {batch, groups, keys, value}, -2, 2, 3)};
    if (hasMask) {
      inputs.push_back(randomTensor(dtype(), {batch, 1, queries, keys}, -2, 2, 4));
      for (int64_t i = 1; i < inputs.back().size(); i += 7)
        setElement(inputs.back(), i, -INFINITY);
      // The least finite number for all keys: they have equal weights.
      if (dtype() != DType::Float16)
        for (int64_t n = 0; n < keys; ++n)
          setElement(inputs.back(), keys + n, dtype() == DType::Float32 ? -FLT_MAX : -0x1.FEp127);
    }
    if (hasLengths) {
      inputs.push_back(Tensor(DType::Int32, {batch}));
      for (int64_t b = 0; b < batch; ++b)
        inputs.back().as<int32_t>()[b] = static_cast<int32_t>(1 + (b * 37 + keys / 2) % keys);
    }
    std::vector<Tensor> results = kernel.run(inputs);
    ASSERT_EQ(results.size(), 2U);
    Tensor out(DType::Float64, queryDims(value)), lse(DType::Float64, {batch, heads, queries});
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t m = 0; m < queries; ++m)
          computeRow(inputs, b, h, m, out, lse);
    expectElements(results[0], [&](int64_t i) { return element(out, i); }, tolerance(), tolerance());
    expectElements(results[1], [&](int64_t i) { return element(lse, i); }, 1e-4, 1e-4);
  }

  void computeRow(const std::vector<Tensor> &inputs, int64_t b, int64_t h, int64_t m, Tensor &out,
                  Tensor &lse) const {
    int64_t group = b * groups + h / (heads / groups), row = queryIndex(b, h, m);
    std::vector<double> scores(static_cast<size_t>(keys), -INFINITY);
    for (int64_t n = 0; n < keys; ++n) {
      if ((isCausal && n > m + keys - queries) || (hasLengths && n >= inputs.back().as<int32_t>()[b]))
        continue;
      double sum = 0;
      for (int64_t d = 0; d < head; ++d)
        sum += element(inputs[0], row * head + d) * element(inputs[1], (group * keys + n) * head + d);
      double score = 0.3 * sum + (hasMask ? element(inputs[3], (b * queries + m) * keys + n) : 0);
      scores[static_cast<size_t>(n)] = static_cast<float>(score);
    }
    double most = *std::max_element(scores.begin(), scores.end()), sum = 0;
    for (double score : scores)
      sum += std::exp(score - most);
    setElement(lse, (b * heads + h) * queries + m, most + std::log(sum));
    for (int64_t e = 0; e < value; ++e) {
      double result = 0;
      for (int64_t n = 0; n < keys; ++n)
        result += std::exp(scores[static_cast<size_t>(n)] - most) / sum *
                  element(inputs[2], (group * keys + n) * value + e);
      setElement(out, row * value + e, result);
    }
  }

  void check() const {
    TestKernel kernel(text(), {.emulatesGpu = true, .emulatedAttention = strategy});
    ASSERT_TRUE(kernel.valid());
    check(kernel);
  }
};

/// The strategies and their types.
const std::pair<const char *, const char *> strategies[] = {
    {"f32", "fma"}, {"f16", "mma"}, {"bf16", "mma"}, {"f16", "wgmma"}, {"bf16", "wgmma"}};

} // namespace

// Around the sizes of tiles; heads of two sizes.
TEST(Attention, OddSizes) {
  for (auto [type, strategy] : strategies)
    for (auto [queries, keys] :
         {std::pair(1, 1), std::pair(31, 33), std::pair(65, 129), std::pair(130, 17)}) {
      SCOPED_TRACE(fmt::format("{} {} {}x{}", type, strategy, queries, keys));
      Attention{.type = type, .strategy = strategy, .queries = queries, .keys = keys, .head = 32, .value = 24}
          .check();
    }
}

TEST(Attention, MasksAndLengths) {
  for (auto [type, strategy] : strategies)
    for (bool isCausal : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {} {}", type, strategy, isCausal));
      Attention{.type = type,
                .strategy = strategy,
                .batch = 2,
                .queries = 70,
                .keys = 70,
                .isCausal = isCausal,
                .hasMask = !isCausal}
          .check();
      Attention{.type = type,
                .strategy = strategy,
                .batch = 3,
                .queries = 9,
                .keys = 140,
                .isCausal = false,
                .hasLengths = true}
          .check();
    }
}

// Several heads of queries share one of keys; queries and results are stored with the heads inside.
TEST(Attention, GroupsAndPermutations) {
  for (auto [type, strategy] : strategies) {
    SCOPED_TRACE(fmt::format("{} {}", type, strategy));
    Attention{.type = type,
              .strategy = strategy,
              .batch = 2,
              .heads = 4,
              .groups = 2,
              .queries = 40,
              .keys = 50,
              .head = 64,
              .value = 64,
              .isCausal = true,
              .isTransposed = true}
        .check();
  }
}

TEST(Attention, Schedules) {
  for (auto [type, strategy] : strategies)
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
      SCOPED_TRACE(fmt::format("{} {} {}", type, strategy, rotation));
      emulator::setScheduling({.rotation = rotation});
      Attention{.type = type,
                .strategy = strategy,
                .heads = 2,
                .groups = 1,
                .queries = 140,
                .keys = 140,
                .isCausal = true}
          .check();
      emulator::setScheduling({});
    }
}
