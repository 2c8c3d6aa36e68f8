/// Attention and its gradients by their definitions, in double precision.
#pragma once

#include "test/unit/runtime/KernelHarness.h"

#include "lib/runtime/host/Random.h"

#include "proa/Half.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace proa::runtime {

using Dims4 = std::vector<int64_t>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Attention of random operands. Masks and lengths are set by the tests.
struct AttentionProblem {
  int64_t batches, heads, keyHeads, queries, keys, elements, values;
  bool isCausal = false;
  DType dtype = DType::Float32;
  double scale = 0.3;
  std::array<Dims4, 4> permutations = {}; ///< of q, k, v and out
  Tensor mask = {}, lengths = {}, keyMask = {};
  double maskFill = 0; ///< of scores where a mask or keyMask of bool is false
  double dropped = 0;  ///< probability of dropout of execution `random`; 0: none
  RandomCall random{7, 3};
  Dims4 begin = {}, whole = {};  ///< the part of the weights of dropout
  double softCap = 0;            ///< bound of the scores before the mask; 0: none
  int64_t left = -1, right = -1; ///< keys before and after its position that a query uses; negative: all
  Tensor q = {}, k = {}, v = {}; ///< in the order [batch, head, row, element], float32

  AttentionProblem &fill() {
    q = randomFloats({batches, heads, queries, elements}, 1);
    k = randomFloats({batches, keyHeads, keys, elements}, 2);
    v = randomFloats({batches, keyHeads, keys, values}, 3);
    return *this;
  }

  /// dims [i] of the tensor are at `permutation[i]`.
  static Dims4 stored(const Dims4 &dims, const Dims4 &permutation) {
    Dims4 result = dims;
    for (size_t i = 0; i < permutation.size(); ++i)
      result[static_cast<size_t>(permutation[i])] = dims[i];
    return result;
  }
  /// Calls body(index in order, index in storage) for each element.
  template <class Body> static void forEachElement(const Dims4 &dims, const Dims4 &permutation, Body &&body) {
    Dims4 own = stored(dims, permutation);
    int64_t index = 0;
    for (int64_t a = 0; a < dims[0]; ++a)
      for (int64_t b = 0; b < dims[1]; ++b)
        for (int64_t c = 0; c < dims[2]; ++c)
          for (int64_t d = 0; d < dims[3]; ++d) {
            Dims4 position = stored({a, b, c, d}, permutation);
            body(index++,
                 ((position[0] * own[1] + position[1]) * own[2] + position[2]) * own[3] + position[3]);
          }
  }
  Tensor operand(const Tensor &inOrder, const Dims4 &permutation) const {
    Tensor result(dtype, stored(inOrder.dims(), permutation));
    forEachElement(inOrder.dims(), permutation, [&](int64_t from, int64_t to) {
      auto x = inOrder.as<float>()[from];
      if (dtype == DType::Float32)
        result.as<float>()[to] = x;
      else if (dtype == DType::Float16)
        result.as<Float16>()[to] = Float16(x);
      else
        result.as<BFloat16>()[to] = BFloat16(x);
    });
    return result;
  }

  nlohmann::json attributes() const {
    nlohmann::json attributes = {{"scale", scale},       {"causal", isCausal},
                                 {"dropout_p", dropped}, {"dropout_mode", "upscale_in_train"},
                                 {"whole_shape", whole}, {"mask_fill", maskFill},
                                 {"soft_cap", softCap},  {"left_window", left},
                                 {"right_window", right}};
    const char *names[] = {"q_permutation", "k_permutation", "v_permutation", "out_permutation"};
    for (size_t i = 0; i < 4; ++i)
      attributes[names[i]] = permutations[i];
    return attributes;
  }
  Tensor dropoutCall() const {
    return dropped > 0 ? longs({2}, {static_cast<int64_t>(random.key), static_cast<int64_t>(random.call)})
                       : Tensor();
  }

  KernelCase kernel() const {
    return {"fused_attention",
            attributes(),
            {operand(q, permutations[0]), operand(k, permutations[1]), operand(v, permutations[2]), mask,
             lengths, dropoutCall(), begin.empty() ? Tensor() : longs({4}, begin), keyMask},
            {{dtype, stored({batches, heads, queries, values}, permutations[3])},
             {DType::Float32, {batches, heads, queries}},
             {DType::Float32, {batches, heads, queries}}}};
  }

  double numberOf(const Tensor &tensor, int64_t index) const {
    auto x = tensor.as<float>()[index];
    return static_cast<double>(dtype == DType::Float32   ? x
                               : dtype == DType::Float16 ? static_cast<float>(Float16(x))
                                                         : static_cast<float>(BFloat16(x)));
  }

  bool isFilled(int64_t b, int64_t h, int64_t m, int64_t n) const {
    return std::ranges::any_of(std::array{&mask, &keyMask}, [&](const Tensor *own) {
      return own->data() && own->dtype() == DType::Bool && !own->as<bool>()[positionIn(*own, b, h, m, n)];
    });
  }
  double addedOf(int64_t b, int64_t h, int64_t m, int64_t n) const {
    double sum = 0;
    for (const Tensor &own : {mask, keyMask})
      if (own.data() && own.dtype() == DType::Float32)
        sum += static_cast<double>(own.as<float>()[positionIn(own, b, h, m, n)]);
    return sum;
  }
  static int64_t positionIn(const Tensor &tensor, int64_t b, int64_t h, int64_t m, int64_t n) {
    int64_t index = 0;
    const int64_t position[] = {b, h, m, n};
    for (size_t i = 0; i < 4; ++i)
      index = index * tensor.dims()[i] + (tensor.dims()[i] == 1 ? 0 : position[i]);
    return index;
  }

  bool isUsed(int64_t b, int64_t m, int64_t n) const {
    int64_t distance = n - (m + keys - queries);
    return !((isCausal && distance > 0) || (right >= 0 && distance > right) ||
             (left >= 0 && distance < -left) || (lengths.data() && n >= lengths.as<int64_t>()[b]));
  }
  /// The scaled product of a query and a key.
  double productOf(int64_t b, int64_t h, int64_t m, int64_t n) const {
    int64_t g = h / (heads / keyHeads);
    double sum = 0;
    for (int64_t d = 0; d < elements; ++d)
      sum += numberOf(q, ((b * heads + h) * queries + m) * elements + d) *
             numberOf(k, ((b * keyHeads + g) * keys + n) * elements + d);
    return scale * sum;
  }

  std::vector<double> scoresOf(int64_t b, int64_t h, int64_t m) const {
    std::vector<double> scores(static_cast<size_t>(keys), -infinity);
    for (int64_t n = 0; n < keys; ++n) {
      if (!isUsed(b, m, n))
        continue;
      double product = productOf(b, h, m, n),
             bounded = softCap == 0 ? product : softCap * std::tanh(product / softCap);
      scores[static_cast<size_t>(n)] = isFilled(b, h, m, n) ? maskFill : bounded + addedOf(b, h, m, n);
    }
    return scores;
  }

  /// The factor of a weight by dropout.
  double keptOf(int64_t b, int64_t h, int64_t m, int64_t n) const {
    if (dropped == 0)
      return 1;
    Dims4 first = begin.empty() ? Dims4(4) : begin,
          dims = whole.empty() ? Dims4{batches, heads, queries, keys} : whole;
    auto scalar = static_cast<uint64_t>(
        (((b + first[0]) * dims[1] + h + first[1]) * dims[2] + m + first[2]) * dims[3] + n);
    bool isDropped = static_cast<float>(random.block(scalar / 4)[scalar % 4] >> 8) * 0x1p-24f <
                     static_cast<float>(dropped);
    return isDropped ? 0 : 1 / (1 - dropped);
  }

  /// True for three of four; the conditions of the first row are false.
  static Tensor randomConditions(const Dims4 &dims) {
    Tensor values = randomFloats(dims, 4), conditions(DType::Bool, dims);
    for (int64_t i = 0; i < values.size(); ++i)
      conditions.as<bool>()[i] = i >= dims[3] && values.as<float>()[i] < 0.5f;
    return conditions;
  }

  struct Expected {
    std::vector<double> out, maximum, sum;
  };
  Expected expected() const {
    Expected result;
    for (int64_t b = 0; b < batches; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t m = 0; m < queries; ++m) {
          std::vector<double> scores = scoresOf(b, h, m);
          double most = -infinity, total = 0;
          for (double score : scores)
            most = std::isnan(score) || score > most ? score : most;
          for (double &score : scores)
            total += score = std::exp(score - most);
          result.maximum.push_back(most);
          result.sum.push_back(total);
          for (int64_t e = 0; e < values; ++e) {
            double sum = 0;
            for (int64_t n = 0; n < keys; ++n)
              sum += scores[static_cast<size_t>(n)] / total * keptOf(b, h, m, n) *
                     numberOf(v, ((b * keyHeads + h / (heads / keyHeads)) * keys + n) * values + e);
            result.out.push_back(sum);
          }
        }
    return result;
  }

  Tensor inOrder(const Tensor &out) const {
    Dims4 dims{batches, heads, queries, values};
    Tensor result(DType::Float32, dims);
    forEachElement(dims, permutations[3], [&](int64_t to, int64_t from) {
      result.as<float>()[to] = dtype == DType::Float32   ? out.as<float>()[from]
                               : dtype == DType::Float16 ? static_cast<float>(out.as<Float16>()[from])
                                                         : static_cast<float>(out.as<BFloat16>()[from]);
    });
    return result;
  }

  void check() const {
    SCOPED_TRACE(::testing::Message() << "q " << describe(dtype, q.dims()) << ", keys " << keys);
    Expected values = expected();
    double tolerance = dtype == DType::Float32 ? 2e-6 : dtype == DType::Float16 ? 1e-3 : 1e-2;
    for (Dims dims : {Dims::Static, Dims::Dynamic}) {
      KernelCase own = kernel();
      own.dims = dims;
      auto results = runCase(own);
      ASSERT_TRUE(bool(results)) << results.diagnostics()[0].message;
      expectClose(inOrder((*results)[0]), values.out, tolerance);
      expectClose((*results)[1], values.maximum, 2e-6);
      expectClose((*results)[2], values.sum, 5e-6);
    }
  }
};

} // namespace proa::runtime
