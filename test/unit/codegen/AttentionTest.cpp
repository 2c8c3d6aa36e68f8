// Attention by generated kernels for the GPU, run by the emulator and compared with sums in double precision.
#include "test/unit/codegen/KernelText.h"

#include "lib/runtime/emulator/Emulator.h"
#include "lib/runtime/host/Random.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>

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
  /// The probability that a weight is dropped, and whether the others are scaled.
  double dropout = 0;
  bool isUpscaled = true;
  /// The mask is a condition, and scores are this number where it is false.
  std::optional<double> fill = std::nullopt;
  double softCap = 0;            ///< 0: none
  int64_t left = -1, right = -1; ///< keys before and after its position that a query uses; negative: all
  bool hasKeyMask = false, isKeyCondition = false;

  bool hasDropout() const { return dropout != 0; }
  bool hasCondition() const { return fill && !isKeyCondition; }
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

  std::vector<int64_t> maskDims() const { return {batch, 1, queries, keys}; }
  std::vector<int64_t> statisticDims() const { return {batch, heads, queries}; }

  /// A kernel of one op: the operands are q, k, v, `more`, and the mask and lengths if there are any.
  std::string text(const std::string &op, const std::vector<std::string> &more,
                   const std::vector<std::string> &results, const std::string &attributes = "") const {
    std::vector<std::string> types{tensor(queryDims(head), type), tensor({batch, groups, keys, head}, type),
                                   tensor({batch, groups, keys, value}, type)};
    types.insert(types.end(), more.begin(), more.end());
    std::string segments;
    for (size_t i = 0; i < types.size(); ++i)
      segments += "1, ";
    segments += fmt::format("{:d}, {:d}, {:d}, 0, {:d}", hasMask, hasLengths, hasDropout(), hasKeyMask);
    if (hasMask)
      types.push_back(tensor(maskDims(), hasCondition() ? "i1" : type));
    if (hasLengths)
      types.push_back(tensor({batch}, "i32"));
    if (hasDropout())
      types.push_back("tensor<2xi64>");
    if (hasKeyMask)
      types.push_back(tensor({batch, 1, 1, keys}, isKeyCondition ? "i1" : type));
    std::vector<std::string> arguments, names, values;
    for (const std::string &own : types) {
      names.push_back(fmt::format("%a{}", names.size()));
      arguments.push_back(names.back() + ": " + own);
    }
    for (size_t i = 0; i < results.size(); ++i)
      values.push_back(fmt::format("%r{}", i));
    std::string permutations =
        isTransposed ? ", q_permutation = array<i64: 0, 2, 1, 3>, out_permutation = array<i64: 0, 2, 1, 3>"
                     : "";
    std::string resultTypes = fmt::format("{}", fmt::join(results, ", ")),
                resultNames = fmt::format("{}", fmt::join(values, ", "));
    return fmt::format("func.func private @attention({}) -> ({}) attributes {{proa.device_kernel = "
                       "#proa.device_kernel<op>}} {{\n"
                       "{} = \"pd.{}\"({}) <{{causal = {}, operandSegmentSizes = array<i32: {}>, "
                       "scale = 0.3, mask_fill = {:.17e} : f64, dropout_p = {}, soft_cap = {:.3f}, "
                       "left_window = {}, right_window = {}{}{}{}}}> : ({}) -> ({})\n"
                       "return {} : {}\n}}\n",
                       fmt::join(arguments, ", "), resultTypes, resultNames, op, fmt::join(names, ", "),
                       isCausal, segments, fill.value_or(0), fmt::format("{:e} : f64", dropout), softCap,
                       left, right, isUpscaled ? "" : ", dropout_mode = #pd<dropout_mode downgrade_in_infer>",
                       permutations, attributes, fmt::join(types, ", "), resultTypes, resultNames,
                       resultTypes);
  }

  /// q, k and v.
  std::vector<Tensor> inputs() const {
    return {randomTensor(dtype(), queryDims(head), -2, 2, 1),
            randomTensor(dtype(), {batch, groups, keys, head}, -2, 2, 2),
            randomTensor(dtype(), {batch, groups, keys, value}, -2, 2, 3)};
  }

  Tensor mask() const {
    if (hasCondition()) { // false for all keys of a query
      Tensor condition = randomTensor(DType::Bool, maskDims(), 0, 2, 4);
      for (int64_t n = 0; n < keys && queries > 1; ++n)
        setElement(condition, keys + n, 0);
      return condition;
    }
    Tensor mask = randomTensor(dtype(), maskDims(), -2, 2, 4);
    for (int64_t i = 1; i < mask.size(); i += 7)
      setElement(mask, i, -INFINITY);
    // The least finite number for all keys: they have equal weights.
    if (dtype() != DType::Float16)
      for (int64_t n = 0; n < keys; ++n)
        setElement(mask, keys + n, dtype() == DType::Float32 ? -FLT_MAX : -0x1.FEp127);
    return mask;
  }

  Tensor keyMask() const {
    if (isKeyCondition)
      return randomTensor(DType::Bool, {batch, 1, 1, keys}, 0, 2, 6);
    Tensor mask = randomTensor(dtype(), {batch, 1, 1, keys}, -2, 2, 6);
    for (int64_t i = 1; i < mask.size(); i += 5)
      setElement(mask, i, -40);
    return mask;
  }

  int64_t lengthOf(int64_t b) const { return hasLengths ? 1 + (b * 37 + keys / 2) % keys : keys; }

  void addRestrictions(std::vector<Tensor> &inputs) const {
    if (hasMask)
      inputs.push_back(mask());
    if (hasLengths) {
      inputs.push_back(Tensor(DType::Int32, {batch}));
      for (int64_t b = 0; b < batch; ++b)
        inputs.back().as<int32_t>()[b] = static_cast<int32_t>(lengthOf(b));
    }
    if (hasDropout()) {
      inputs.push_back(Tensor(DType::Int64, {2}));
      inputs.back().as<int64_t>()[0] = static_cast<int64_t>(execution.key);
      inputs.back().as<int64_t>()[1] = static_cast<int64_t>(execution.call);
    }
    if (hasKeyMask)
      inputs.push_back(keyMask());
  }

  static constexpr runtime::RandomCall execution{0x123456789ABCDEF0, 0x1122334455};
  /// The factor of a weight, by the numbers of the runtime.
  double factorOf(int64_t b, int64_t h, int64_t m, int64_t n) const {
    if (!hasDropout())
      return 1;
    auto i = static_cast<uint64_t>(((b * heads + h) * queries + m) * keys + n);
    uint32_t word = execution.block(i / 4)[i % 4];
    bool isDropped = static_cast<float>(word >> 8) * 0x1p-24F < static_cast<float>(dropout);
    return isDropped ? 0 : isUpscaled ? 1 / (1 - dropout) : 1;
  }

  int64_t groupOf(int64_t b, int64_t h) const { return b * groups + h / (heads / groups); }

  bool isKept(const Tensor &mask, int64_t b, int64_t m, int64_t n) const {
    return isKeyCondition ? element(keyMask(), b * keys + n) != 0
                          : !fill || element(mask, (b * queries + m) * keys + n) != 0;
  }

  /// A query in double precision.
  struct Row {
    std::vector<double> weights, slopes; ///< slopes: the derivatives of the soft cap
    double maximum = 0, sum = 0;
  };
  Row rowOf(const std::vector<Tensor> &inputs, const Tensor &mask, int64_t b, int64_t h, int64_t m) const {
    int64_t group = groupOf(b, h), row = queryIndex(b, h, m);
    std::vector<double> scores(static_cast<size_t>(keys), -INFINITY);
    Row result{{}, std::vector<double>(static_cast<size_t>(keys)), 0, 0};
    Tensor ofKeys = hasKeyMask ? keyMask() : Tensor();
    for (int64_t n = 0; n < lengthOf(b); ++n) {
      int64_t distance = n - (m + keys - queries);
      if ((isCausal && distance > 0) || (right >= 0 && distance > right) || (left >= 0 && distance < -left))
        continue;
      double sum = 0;
      for (int64_t d = 0; d < head; ++d)
        sum += element(inputs[0], row * head + d) * element(inputs[1], (group * keys + n) * head + d);
      double bounded = softCap == 0 ? 0.3 * sum : softCap * std::tanh(0.3 * sum / softCap);
      result.slopes[static_cast<size_t>(n)] = softCap == 0 ? 1 : 1 - std::pow(bounded / softCap, 2);
      double score = bounded +
                     (hasMask && !hasCondition() ? element(mask, (b * queries + m) * keys + n) : 0) +
                     (hasKeyMask && !isKeyCondition ? element(ofKeys, b * keys + n) : 0);
      if (!isKept(mask, b, m, n))
        score = *fill;
      scores[static_cast<size_t>(n)] = hasMask ? static_cast<float>(score) : score;
    }
    result.maximum = *std::max_element(scores.begin(), scores.end());
    for (double score : scores)
      result.sum += std::exp(score - result.maximum);
    for (double score : scores)
      result.weights.push_back(std::exp(score - result.maximum) / result.sum);
    return result;
  }

  /// Calls `visit(batch, head, query, row)` for all queries.
  template <class Visit> void forQueries(const std::vector<Tensor> &inputs, Visit visit) const {
    Tensor added = hasMask ? mask() : Tensor();
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t m = 0; m < queries; ++m)
          visit(b, h, m, rowOf(inputs, added, b, h, m));
  }

  void check() const {
    std::string out = tensor(queryDims(value), type), statistic = tensor(statisticDims(), "f32");
    TestKernel kernel(text("fused_attention", {}, {out, statistic, statistic}),
                      {.emulatesGpu = true, .emulatedAttention = matmulStrategy(strategy)});
    ASSERT_TRUE(kernel.valid());
    std::vector<Tensor> given = inputs();
    addRestrictions(given);
    std::vector<Tensor> results = kernel.run(given);
    ASSERT_EQ(results.size(), 3U);
    Tensor expected(DType::Float64, queryDims(value)), maximum(DType::Float64, statisticDims()),
        sum(DType::Float64, statisticDims());
    forQueries(given, [&](int64_t b, int64_t h, int64_t m, const Row &row) {
      int64_t index = (b * heads + h) * queries + m, group = groupOf(b, h);
      setElement(maximum, index, row.maximum);
      setElement(sum, index, row.sum);
      for (int64_t e = 0; e < value; ++e) {
        double result = 0;
        for (int64_t n = 0; n < keys; ++n)
          result += row.weights[static_cast<size_t>(n)] * factorOf(b, h, m, n) *
                    element(given[2], (group * keys + n) * value + e);
        setElement(expected, queryIndex(b, h, m) * value + e, result);
      }
    });
    expectElements(results[0], [&](int64_t i) { return element(expected, i); }, tolerance(), tolerance());
    expectElements(results[1], [&](int64_t i) { return element(maximum, i); }, 1e-5, 1e-5);
    expectElements(results[2], [&](int64_t i) { return element(sum, i); }, 1e-4, 1e-4);
  }

  /// Sums of products, and of their absolute values: errors are compared with these.
  struct Sums {
    explicit Sums(int64_t size) : values(static_cast<size_t>(size)), sizes(values) {}
    void add(int64_t index, double term) {
      values[static_cast<size_t>(index)] += term;
      sizes[static_cast<size_t>(index)] += std::abs(term);
    }
    std::vector<double> values, sizes;
  };

  void expectSums(const Tensor &found, const Sums &expected) const {
    double relative = dtype() == DType::Float32 ? 2e-5 : dtype() == DType::Float16 ? 2e-3 : 1.5e-2;
    ASSERT_EQ(static_cast<size_t>(found.size()), expected.values.size());
    for (size_t i = 0; i < expected.values.size(); ++i)
      ASSERT_NEAR(element(found, static_cast<int64_t>(i)), expected.values[i],
                  relative * expected.sizes[i] + 1e-6)
          << "at " << i;
  }

  /// The kernels of the gradients by queries, and by keys and values.
  void checkGradients() const {
    std::string out = tensor(queryDims(value), type), statistic = tensor(statisticDims(), "f32");
    std::vector<std::string> more{out, statistic, statistic, statistic};
    CodegenOptions options{.emulatesGpu = true, .emulatedAttention = matmulStrategy(strategy)};
    TestKernel ofQueries(text("fused_attention_q_grad", more, {tensor(queryDims(head), type)}), options);
    TestKernel ofKeys(
        text("fused_attention_kv_grad", more,
             {tensor({batch, groups, keys, head}, type), tensor({batch, groups, keys, value}, type)}),
        options);
    ASSERT_TRUE(ofQueries.valid());
    ASSERT_TRUE(ofKeys.valid());
    std::vector<Tensor> given = inputs();
    given.push_back(randomTensor(dtype(), queryDims(value), -2, 2, 5));
    Tensor maximum(DType::Float32, statisticDims()), sum(DType::Float32, statisticDims()),
        delta(DType::Float32, statisticDims());
    int64_t allQueries = batch * heads * queries, allKeys = batch * groups * keys;
    Tensor condition = fill ? mask() : Tensor();
    Sums q(allQueries * head), k(allKeys * head), v(allKeys * value), scores(allQueries * keys);
    forQueries(given, [&](int64_t b, int64_t h, int64_t m, const Row &row) {
      int64_t index = (b * heads + h) * queries + m, at = queryIndex(b, h, m), group = groupOf(b, h) * keys;
      std::vector<double> ofWeights;
      double sumOfAll = 0;
      for (int64_t n = 0; n < keys; ++n) {
        double product = 0, factor = factorOf(b, h, m, n);
        double weight = row.weights[static_cast<size_t>(n)] * factor;
        for (int64_t e = 0; e < value; ++e) {
          double gradient = element(given[3], at * value + e);
          product += gradient * element(given[2], (group + n) * value + e);
          v.add((group + n) * value + e, weight * gradient);
        }
        ofWeights.push_back(factor * product);
        sumOfAll += weight * product;
      }
      setElement(maximum, index, row.maximum);
      setElement(sum, index, row.sum);
      setElement(delta, index, sumOfAll);
      for (int64_t n = 0; n < keys; ++n) {
        auto i = static_cast<size_t>(n);
        if (!isKept(condition, b, m, n))
          continue;
        scores.add(index * keys + n, row.weights[i] * ofWeights[i]);
        scores.add(index * keys + n, -row.weights[i] * sumOfAll);
        double gradient = 0.3 * row.slopes[i] * row.weights[i] * (ofWeights[i] - sumOfAll);
        for (int64_t d = 0; d < head; ++d) {
          q.add(at * head + d, gradient * element(given[1], (group + n) * head + d));
          k.add((group + n) * head + d, gradient * element(given[0], at * head + d));
        }
      }
    });
    for (const Tensor &statistics : {maximum, sum, delta})
      given.push_back(statistics);
    addRestrictions(given);
    expectSums(ofQueries.run(given)[0], q);
    std::vector<Tensor> results = ofKeys.run(given);
    ASSERT_EQ(results.size(), 2U);
    expectSums(results[0], k);
    expectSums(results[1], v);
    checkScoreGradient(given, more, scores, /*sumsBatches=*/batch > 1, /*sumsHeads=*/heads > 1);
  }

  /// The kernel of the gradient of the scores, or of its sum over batches or heads.
  void checkScoreGradient(const std::vector<Tensor> &given, const std::vector<std::string> &more,
                          const Sums &scores, bool sumsBatches, bool sumsHeads) const {
    SCOPED_TRACE(fmt::format("scores {} {}", sumsBatches, sumsHeads));
    int64_t ownBatch = sumsBatches ? 1 : batch, ownHeads = sumsHeads ? 1 : heads;
    TestKernel kernel(text("fused_attention_score_grad", more,
                           {tensor({ownBatch, ownHeads, queries, keys}, "f32")},
                           fmt::format(", sum_batches = {}, sum_heads = {}", sumsBatches, sumsHeads)),
                      {.emulatesGpu = true, .emulatedAttention = matmulStrategy(strategy)});
    ASSERT_TRUE(kernel.valid());
    Sums expected(ownBatch * ownHeads * queries * keys);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = 0; i < queries * keys; ++i) {
          int64_t own = ((sumsBatches ? 0 : b) * ownHeads + (sumsHeads ? 0 : h)) * queries * keys + i;
          auto from = static_cast<size_t>((b * heads + h) * queries * keys + i);
          expected.values[static_cast<size_t>(own)] += scores.values[from];
          expected.sizes[static_cast<size_t>(own)] += scores.sizes[from];
        }
    expectSums(kernel.run(given)[0], expected);
  }
};

/// The strategies and their types, and one type for each.
const std::pair<const char *, const char *> strategies[] = {
    {"f32", "fma"}, {"f16", "mma"}, {"bf16", "mma"}, {"f16", "wgmma"}, {"bf16", "wgmma"}};
const std::pair<const char *, const char *> shortStrategies[] = {
    {"f32", "fma"}, {"bf16", "mma"}, {"f16", "wgmma"}};

/// 72 keys with a mask, or 67 keys with a diagonal and lengths.
Attention withDropout(const char *type, const char *strategy, bool isUpscaled) {
  return {.type = type,
          .strategy = strategy,
          .heads = 2,
          .groups = 1,
          .queries = 21,
          .keys = isUpscaled ? 72 : 67,
          .isCausal = !isUpscaled,
          .hasMask = isUpscaled,
          .hasLengths = !isUpscaled,
          .isTransposed = !isUpscaled,
          .dropout = isUpscaled ? 0.5 : 0.1,
          .isUpscaled = isUpscaled};
}

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

/// The number for other keys is small, the least finite one, or above some scores.
constexpr double fills[] = {-1e30, -static_cast<double>(FLT_MAX), 0.25};

Attention withCondition(const char *type, const char *strategy, double fill) {
  return {.type = type,
          .strategy = strategy,
          .batch = 2,
          .queries = 70,
          .keys = 75,
          .isCausal = fill == 0.25,
          .hasMask = true,
          .fill = fill};
}

TEST(Attention, Conditions) {
  for (auto [type, strategy] : strategies)
    for (double fill : fills) {
      SCOPED_TRACE(fmt::format("{} {} {}", type, strategy, fill));
      withCondition(type, strategy, fill).check();
    }
}

TEST(Attention, GradientsWithConditions) {
  for (auto [type, strategy] : shortStrategies)
    for (double fill : fills) {
      SCOPED_TRACE(fmt::format("{} {} {}", type, strategy, fill));
      Attention attention = withCondition(type, strategy, fill);
      attention.hasLengths = fill == 0.25;
      attention.checkGradients();
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

TEST(Attention, GradientsAtOddSizes) {
  for (auto [type, strategy] : shortStrategies)
    for (auto [queries, keys] :
         {std::pair(1, 1), std::pair(31, 33), std::pair(65, 129), std::pair(130, 17)}) {
      SCOPED_TRACE(fmt::format("{} {} {}x{}", type, strategy, queries, keys));
      Attention{.type = type, .strategy = strategy, .queries = queries, .keys = keys, .head = 32, .value = 24}
          .checkGradients();
    }
}

TEST(Attention, GradientsWithMasksAndLengths) {
  for (auto [type, strategy] : shortStrategies)
    for (bool isCausal : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {} {}", type, strategy, isCausal));
      Attention{.type = type,
                .strategy = strategy,
                .batch = 2,
                .queries = 70,
                .keys = 70,
                .isCausal = isCausal,
                .hasMask = !isCausal}
          .checkGradients();
      Attention{.type = type,
                .strategy = strategy,
                .batch = 3,
                .queries = 9,
                .keys = 140,
                .isCausal = isCausal,
                .hasLengths = !isCausal}
          .checkGradients();
    }
}

// Blocks skip the tiles of queries that see none of their keys, and the tiles of keys that their queries do
// not see.
TEST(Attention, GradientsOfManyTiles) {
  for (auto [type, strategy] : shortStrategies) {
    SCOPED_TRACE(fmt::format("{} {}", type, strategy));
    Attention{.type = type, .strategy = strategy, .queries = 140, .keys = 150, .isCausal = true}
        .checkGradients();
  }
}

// The gradients of keys are sums over the queries of two heads.
TEST(Attention, GradientsOfGroupsAndPermutations) {
  for (auto [type, strategy] : shortStrategies) {
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
        .checkGradients();
  }
}

/// A mask of keys that is added, beside a mask or not; and a condition, beside a mask that is added.
std::vector<Attention> withKeyMasks(const Attention &plain) {
  std::vector<Attention> all(3, plain);
  for (Attention &own : all)
    own.hasKeyMask = true;
  all[1].hasMask = all[2].hasMask = all[2].isKeyCondition = true;
  all[2].fill = 0.25;
  return all;
}

TEST(Attention, KeyMasks) {
  for (auto [type, strategy] : strategies)
    for (const Attention &own : withKeyMasks({.type = type,
                                              .strategy = strategy,
                                              .batch = 2,
                                              .heads = 2,
                                              .groups = 1,
                                              .queries = 40,
                                              .keys = 75})) {
      SCOPED_TRACE(fmt::format("{} {} {} {}", type, strategy, own.hasMask, own.isKeyCondition));
      own.check();
    }
}

TEST(Attention, GradientsWithKeyMasks) {
  for (auto [type, strategy] : shortStrategies)
    for (const Attention &own :
         withKeyMasks({.type = type, .strategy = strategy, .batch = 2, .queries = 40, .keys = 75})) {
      SCOPED_TRACE(fmt::format("{} {} {} {}", type, strategy, own.hasMask, own.isKeyCondition));
      own.checkGradients();
    }
}

TEST(Attention, SoftCaps) {
  for (auto [type, strategy] : strategies)
    for (bool hasMask : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {} {}", type, strategy, hasMask));
      Attention{.type = type,
                .strategy = strategy,
                .heads = 2,
                .queries = 70,
                .keys = 75,
                .isCausal = !hasMask,
                .hasMask = hasMask,
                .softCap = hasMask ? 0.5 : 4}
          .check();
    }
}

TEST(Attention, GradientsOfSoftCaps) {
  for (auto [type, strategy] : shortStrategies)
    for (bool hasMask : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {} {}", type, strategy, hasMask));
      Attention{.type = type,
                .strategy = strategy,
                .queries = 40,
                .keys = 70,
                .hasMask = hasMask,
                .softCap = hasMask ? 0.5 : 4}
          .checkGradients();
    }
}

/// Windows at both sides, one that is larger than a tile, and one at the left of more queries than a tile
/// has.
const std::pair<int64_t, int64_t> windows[] = {{5, 3}, {70, 0}, {10, -1}, {-1, 20}};

TEST(Attention, Windows) {
  for (auto [type, strategy] : strategies)
    for (auto [left, right] : windows) {
      SCOPED_TRACE(fmt::format("{} {} {} {}", type, strategy, left, right));
      Attention{.type = type,
                .strategy = strategy,
                .batch = 2,
                .queries = 150,
                .keys = 160,
                .hasLengths = left < 0,
                .left = left,
                .right = right}
          .check();
    }
}

TEST(Attention, GradientsOfWindows) {
  for (auto [type, strategy] : shortStrategies)
    for (auto [left, right] : windows) {
      SCOPED_TRACE(fmt::format("{} {} {} {}", type, strategy, left, right));
      Attention{.type = type, .strategy = strategy, .queries = 150, .keys = 160, .left = left, .right = right}
          .checkGradients();
    }
}

TEST(Attention, GradientSchedules) {
  for (auto [type, strategy] : shortStrategies)
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
      SCOPED_TRACE(fmt::format("{} {} {}", type, strategy, rotation));
      emulator::setScheduling({.rotation = rotation});
      Attention{.type = type,
                .strategy = strategy,
                .heads = 2,
                .groups = 1,
                .queries = 70,
                .keys = 90,
                .isCausal = true}
          .checkGradients();
      emulator::setScheduling({});
    }
}

// With a multiple of four keys the lanes of a block of random words share it. Masks, lengths, groups and
// permutations do not change the numbers of the weights.
TEST(Attention, Dropout) {
  for (auto [type, strategy] : strategies)
    for (bool isUpscaled : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {} {}", type, strategy, isUpscaled));
      withDropout(type, strategy, isUpscaled).check();
    }
}

// Sums of tiles, and all weights dropped.
TEST(Attention, DropoutOfManyAndAllWeights) {
  for (auto [type, strategy] : strategies) {
    SCOPED_TRACE(fmt::format("{} {}", type, strategy));
    Attention{.type = type, .strategy = strategy, .queries = 130, .keys = 260, .dropout = 0.3}.check();
    Attention{.type = type, .strategy = strategy, .queries = 3, .keys = 8, .dropout = 1}.check();
  }
}

TEST(Attention, DropoutOfGradients) {
  for (auto [type, strategy] : shortStrategies)
    for (bool isUpscaled : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {} {}", type, strategy, isUpscaled));
      withDropout(type, strategy, isUpscaled).checkGradients();
    }
}
