// Attention by the library kernel compared with its definition in double precision.
#include "test/unit/runtime/KernelHarness.h"

#include "proa/Half.h"

#include <array>
#include <cmath>

namespace proa::runtime {
namespace {

using Dims4 = std::vector<int64_t>;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Attention of random operands. Masks and lengths are set by the tests.
struct AttentionProblem {
  int64_t batches, heads, keyHeads, queries, keys, elements, values;
  bool isCausal = false;
  DType dtype = DType::Float32;
  double scale = 0.3;
  std::array<Dims4, 4> permutations = {}; ///< of q, k, v and out
  Tensor mask = {}, lengths = {};
  Tensor q, k, v; ///< in the order [batch, head, row, element], float32

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
            Dims4 place = stored({a, b, c, d}, permutation);
            body(index++, ((place[0] * own[1] + place[1]) * own[2] + place[2]) * own[3] + place[3]);
          }
  }
  Tensor operand(const Tensor &inOrder, const Dims4 &permutation) const {
    Tensor result(dtype, stored(inOrder.dims(), permutation));
    forEachElement(inOrder.dims(), permutation, [&](int64_t from, int64_t to) {
      float x = inOrder.as<float>()[from];
      if (dtype == DType::Float32)
        result.as<float>()[to] = x;
      else if (dtype == DType::Float16)
        result.as<Float16>()[to] = Float16(x);
      else
        result.as<BFloat16>()[to] = BFloat16(x);
    });
    return result;
  }

  KernelCase kernel() const {
    nlohmann::json attributes = {{"scale", scale}, {"causal", isCausal}};
    const char *names[] = {"q_permutation", "k_permutation", "v_permutation", "out_permutation"};
    for (size_t i = 0; i < 4; ++i)
      attributes[names[i]] = permutations[i];
    return {"fused_attention",
            attributes,
            {operand(q, permutations[0]), operand(k, permutations[1]), operand(v, permutations[2]), mask,
             lengths},
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

  double maskOf(int64_t b, int64_t h, int64_t m, int64_t n) const {
    int64_t index = 0;
    const int64_t place[] = {b, h, m, n};
    for (size_t i = 0; i < 4; ++i)
      index = index * mask.dims()[i] + (mask.dims()[i] == 1 ? 0 : place[i]);
    return static_cast<double>(mask.as<float>()[index]);
  }

  std::vector<double> scoresOf(int64_t b, int64_t h, int64_t m) const {
    int64_t g = h / (heads / keyHeads);
    std::vector<double> scores(static_cast<size_t>(keys), -infinity);
    for (int64_t n = 0; n < keys; ++n) {
      if ((isCausal && n > m + keys - queries) || (lengths.data() && n >= lengths.as<int64_t>()[b]))
        continue;
      double sum = 0;
      for (int64_t d = 0; d < elements; ++d)
        sum += numberOf(q, ((b * heads + h) * queries + m) * elements + d) *
               numberOf(k, ((b * keyHeads + g) * keys + n) * elements + d);
      scores[static_cast<size_t>(n)] = scale * sum + (mask.data() ? maskOf(b, h, m, n) : 0);
    }
    return scores;
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
              sum += scores[static_cast<size_t>(n)] / total *
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

} // namespace

TEST(FusedAttention, Sizes) {
  for (int64_t elements : {7, 40, 64, 80, 128})
    AttentionProblem{1, 2, 2, 33, 130, elements, elements}.fill().check();
  for (int64_t queries : {1, 15, 16, 32, 65, 129})
    for (int64_t keys : {1, 5, 128, 129, 300})
      AttentionProblem{2, 2, 2, queries, keys, 8, 12}.fill().check();
}

TEST(FusedAttention, GroupsOfHeads) {
  AttentionProblem{2, 6, 2, 1, 70, 16, 16}.fill().check();
  AttentionProblem{1, 6, 3, 50, 140, 16, 9}.fill().check();
}

TEST(FusedAttention, Causal) {
  for (auto [queries, keys] : {std::pair(130, 130), {1, 40}, {20, 300}, {200, 90}}) // with more queries: NaN
    AttentionProblem{1, 4, 2, queries, keys, 16, 16, true}.fill().check();
}

TEST(FusedAttention, Masks) {
  for (const Dims4 &dims : std::vector<Dims4>{
           {2, 1, 1, 200}, {1, 1, 70, 200}, {2, 4, 70, 200}, {1, 4, 1, 200}, {2, 1, 70, 1}, {1, 1, 1, 1}}) {
    AttentionProblem problem = AttentionProblem{2, 4, 2, 70, 200, 16, 16}.fill();
    problem.mask = randomFloats(dims, 4);
    problem.check();
    problem.isCausal = true;
    problem.lengths = longs({2}, {150, 7});
    problem.check();
  }
}

TEST(FusedAttention, KeysWithoutWeights) {
  AttentionProblem problem = AttentionProblem{1, 1, 1, 20, 300, 16, 16}.fill();
  problem.mask = randomFloats({1, 1, 20, 300}, 4);
  float *mask = problem.mask.as<float>();
  for (int64_t n = 0; n < 300; ++n)
    mask[3 * 300 + n] = -INFINITY; // no keys: NaN
  for (int64_t n = 0; n < 290; ++n)
    mask[5 * 300 + n] = -INFINITY; // none in the first blocks
  for (int64_t n = 10; n < 300; ++n)
    mask[7 * 300 + n] = -INFINITY; // none in the last blocks
  problem.check();
  problem.lengths = longs({1}, {0});
  problem.check();
}

TEST(FusedAttention, LargeNegativeMask) {
  // All keys of a row are masked by a finite number, in which float32 loses the scores: equal weights.
  AttentionProblem problem = AttentionProblem{1, 1, 1, 40, 200, 16, 1}.fill();
  problem.mask = Tensor(DType::Float32, {1, 1, 1, 200});
  std::fill_n(problem.mask.as<float>(), 200, -1e9f);
  double mean = 0;
  for (int64_t n = 0; n < 200; ++n)
    mean += static_cast<double>(problem.v.as<float>()[n]) / 200;
  auto results = runCase(problem.kernel());
  ASSERT_TRUE(bool(results)) << results.diagnostics()[0].message;
  expectClose((*results)[0], std::vector<double>(40, mean), 1e-6);
  expectClose((*results)[2], std::vector<double>(40, 200), 1e-6);
}

TEST(FusedAttention, NotFiniteNumbers) {
  AttentionProblem problem = AttentionProblem{1, 2, 1, 20, 200, 16, 16}.fill();
  problem.q.as<float>()[3 * 16] = NAN;       // a row of scores
  problem.v.as<float>()[130 * 16 + 2] = NAN; // an element of all results
  problem.check();
  problem.fill();
  problem.mask = Tensor(DType::Float32, {1, 1, 20, 200});
  std::fill_n(problem.mask.as<float>(), 20 * 200, 0.0f);
  problem.mask.as<float>()[4 * 200 + 150] = INFINITY; // NaN: the difference of infinities
  problem.mask.as<float>()[6 * 200 + 10] = NAN;
  problem.check();
}

TEST(FusedAttention, LargeScores) {
  AttentionProblem problem = AttentionProblem{1, 2, 2, 40, 200, 16, 16}.fill();
  problem.scale = 100; // weights below the range of float32
  KernelCase own = problem.kernel();
  auto results = runCase(own);
  ASSERT_TRUE(bool(results));
  expectClose(problem.inOrder((*results)[0]), problem.expected().out, 1e-4); // scores to 1e-7 of 500
}

TEST(FusedAttention, Permutations) {
  Dims4 rowsFirst{0, 2, 1, 3}, elementsFirst{3, 1, 2, 0}, transposed{0, 1, 3, 2};
  for (const Dims4 &permutation : {rowsFirst, elementsFirst, transposed}) {
    AttentionProblem problem = AttentionProblem{2, 4, 2, 35, 140, 16, 8}.fill();
    for (size_t operand = 0; operand < 4; ++operand) {
      problem.permutations = {};
      problem.permutations[operand] = permutation;
      problem.check();
    }
    problem.permutations = {permutation, permutation, permutation, permutation};
    problem.check();
  }
}

TEST(FusedAttention, Halves) {
  for (DType dtype : {DType::Float16, DType::BFloat16}) {
    AttentionProblem problem{1, 4, 2, 35, 140, 16, 8, true, dtype};
    problem.fill().check();
    problem.permutations[3] = {0, 2, 1, 3};
    problem.check();
  }
}

TEST(FusedAttention, Threads) {
  AttentionProblem problem = AttentionProblem{1, 3, 1, 300, 300, 64, 64, true}.fill(); // pays several threads
  problem.check();
}

TEST(FusedAttention, UnusedStatistics) {
  AttentionProblem problem = AttentionProblem{1, 2, 2, 20, 40, 16, 16}.fill();
  KernelCase own = problem.kernel();
  own.outputs.resize(1);
  own.absentOutputs = {1, 2};
  auto results = runCase(own);
  ASSERT_TRUE(bool(results)) << results.diagnostics()[0].message;
  expectClose((*results)[0], problem.expected().out, 2e-6);
}

TEST(FusedAttention, EmptyTensors) {
  AttentionProblem{0, 2, 2, 5, 5, 4, 4}.fill().check();
  AttentionProblem{1, 2, 2, 0, 5, 4, 4}.fill().check();
  AttentionProblem{1, 2, 2, 5, 5, 4, 0}.fill().check();
  AttentionProblem{1, 2, 2, 5, 5, 0, 4}.fill().check();
}

TEST(FusedAttention, Errors) {
  AttentionProblem problem = AttentionProblem{1, 2, 2, 5, 6, 4, 4}.fill();
  problem.k = randomFloats({1, 2, 6, 5}, 2);
  KernelCase own = problem.kernel();
  auto results = runCase(own);
  ASSERT_FALSE(bool(results));
  EXPECT_NE(results.diagnostics()[0].message.find("which do not fit"), std::string::npos)
      << results.diagnostics()[0].message;
  own.inputs.resize(6);
  own.inputs[5] = longs({2}, {1, 1});
  results = runCase(own);
  ASSERT_FALSE(bool(results));
  EXPECT_NE(results.diagnostics()[0].message.find("does not compute dropout"), std::string::npos)
      << results.diagnostics()[0].message;
}

} // namespace proa::runtime
