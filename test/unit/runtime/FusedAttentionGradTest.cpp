// Gradients of attention by the library kernels compared with their definition in double precision.
#include "test/unit/runtime/AttentionProblem.h"

namespace proa::runtime {
namespace {

/// The gradients of sum(out * outGradient).
struct AttentionGradientProblem : AttentionProblem {
  Tensor outGradient = {};

  AttentionGradientProblem(AttentionProblem problem) : AttentionProblem(std::move(problem)) {
    fill();
    outGradient = randomFloats({batches, heads, queries, values}, 5);
  }

  struct Gradients {
    std::vector<double> q, k, v, scores;
  };

  int64_t queryAt(int64_t b, int64_t h, int64_t m) const { return (b * heads + h) * queries + m; }
  int64_t keyAt(int64_t b, int64_t h, int64_t n) const {
    return (b * keyHeads + h / (heads / keyHeads)) * keys + n;
  }

  /// The formulas of the op's record.
  Gradients expectedGradients() const {
    Expected forward = expected();
    Gradients result{std::vector<double>(static_cast<size_t>(q.size())),
                     std::vector<double>(static_cast<size_t>(k.size())),
                     std::vector<double>(static_cast<size_t>(v.size())),
                     {}};
    for (int64_t b = 0; b < batches; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t m = 0; m < queries; ++m)
          addRow(b, h, m, forward, result);
    return result;
  }

  void addRow(int64_t b, int64_t h, int64_t m, const Expected &forward, Gradients &result) const {
    auto query = static_cast<size_t>(queryAt(b, h, m));
    std::vector<double> scores = scoresOf(b, h, m);
    double delta = 0;
    auto gradientOf = [&](int64_t e) { return numberOf(outGradient, queryAt(b, h, m) * values + e); };
    for (int64_t e = 0; e < values; ++e)
      delta += gradientOf(e) * forward.out[query * static_cast<size_t>(values) + static_cast<size_t>(e)];
    for (int64_t n = 0; n < keys; ++n) {
      double p = std::exp(scores[static_cast<size_t>(n)] - forward.maximum[query]) / forward.sum[query],
             kept = keptOf(b, h, m, n), ofWeight = 0;
      for (int64_t e = 0; e < values; ++e) {
        ofWeight += gradientOf(e) * numberOf(v, keyAt(b, h, n) * values + e);
        result.v[static_cast<size_t>(keyAt(b, h, n) * values + e)] += p * kept * gradientOf(e);
      }
      double ofScore = isFilled(b, h, m, n) ? 0 : p * (kept * ofWeight - delta);
      result.scores.push_back(ofScore);
      if (softCap != 0)
        ofScore *= 1 - std::pow(std::tanh(productOf(b, h, m, n) / softCap), 2);
      for (int64_t d = 0; d < elements; ++d) {
        result.q[query * static_cast<size_t>(elements) + static_cast<size_t>(d)] +=
            scale * ofScore * numberOf(k, keyAt(b, h, n) * elements + d);
        result.k[static_cast<size_t>(keyAt(b, h, n) * elements + d)] +=
            scale * ofScore * numberOf(q, queryAt(b, h, m) * elements + d);
      }
    }
  }

  /// The sum of the gradient of the scores [batch, head, query, key] over dims.
  std::vector<double> sumOf(const std::vector<double> &scores, bool sumsBatches, bool sumsHeads) const {
    int64_t matrix = queries * keys, ownBatches = sumsBatches ? 1 : batches, ownHeads = sumsHeads ? 1 : heads;
    std::vector<double> sums(static_cast<size_t>(ownBatches * ownHeads * matrix));
    for (int64_t i = 0; i < std::ssize(scores); ++i) {
      int64_t b = sumsBatches ? 0 : i / matrix / heads, h = sumsHeads ? 0 : i / matrix % heads;
      sums[static_cast<size_t>((b * ownHeads + h) * matrix + i % matrix)] += scores[static_cast<size_t>(i)];
    }
    return sums;
  }

  Tensor floatsOf(const std::vector<double> &values, Dims4 dims) const {
    Tensor tensor(DType::Float32, std::move(dims));
    std::ranges::copy(values, tensor.as<float>());
    return tensor;
  }

  /// The kernel with the results of the definition as operands.
  KernelCase gradientKernel() const {
    Expected forward = expected();
    KernelCase own = kernel();
    Dims4 statistic{batches, heads, queries};
    Tensor out = operand(floatsOf(forward.out, {batches, heads, queries, values}), permutations[3]);
    own.name = "fused_attention_grad";
    own.outputs = {};
    for (size_t i : {0, 1, 2})
      own.outputs.emplace_back(dtype, own.inputs[i].dims());
    own.inputs.insert(own.inputs.begin() + 3,
                      {operand(outGradient, permutations[3]), floatsOf(forward.maximum, statistic),
                       floatsOf(forward.sum, statistic), out});
    return own;
  }

  KernelCase scoreKernel(bool sumsBatches, bool sumsHeads) const {
    KernelCase own = gradientKernel();
    Expected forward = expected();
    std::vector<double> delta(forward.sum.size());
    for (size_t i = 0; i < forward.out.size(); ++i)
      delta[i / static_cast<size_t>(values)] +=
          forward.out[i] * numberOf(outGradient, static_cast<int64_t>(i));
    own.name = "fused_attention_score_grad";
    own.attributes["sum_batches"] = sumsBatches;
    own.attributes["sum_heads"] = sumsHeads;
    own.inputs[6] = floatsOf(delta, {batches, heads, queries});
    own.outputs = {{DType::Float32, {sumsBatches ? 1 : batches, sumsHeads ? 1 : heads, queries, keys}}};
    return own;
  }

  /// A tensor of the kernel in the order of the dims.
  Tensor ordered(const Tensor &stored, const Dims4 &dims, const Dims4 &permutation) const {
    Tensor result(DType::Float32, dims);
    forEachElement(dims, permutation, [&](int64_t to, int64_t from) {
      result.as<float>()[to] = dtype == DType::Float32   ? stored.as<float>()[from]
                               : dtype == DType::Float16 ? static_cast<float>(stored.as<Float16>()[from])
                                                         : static_cast<float>(stored.as<BFloat16>()[from]);
    });
    return result;
  }

  void check() const {
    SCOPED_TRACE(::testing::Message() << "q " << describe(dtype, q.dims()) << ", keys " << keys);
    Gradients values = expectedGradients();
    double tolerance = dtype == DType::Float32 ? 1e-5 : dtype == DType::Float16 ? 4e-3 : 3e-2;
    for (Dims dims : {Dims::Static, Dims::Dynamic}) {
      KernelCase own = gradientKernel();
      own.dims = dims;
      auto results = runCase(own);
      ASSERT_TRUE(bool(results)) << results.diagnostics()[0].message;
      expectClose(ordered((*results)[0], q.dims(), permutations[0]), values.q, tolerance);
      expectClose(ordered((*results)[1], k.dims(), permutations[1]), values.k, tolerance);
      expectClose(ordered((*results)[2], v.dims(), permutations[2]), values.v, tolerance);
    }
    for (bool sumsBatches : {false, true})
      for (bool sumsHeads : {false, true}) {
        auto results = runCase(scoreKernel(sumsBatches, sumsHeads));
        ASSERT_TRUE(bool(results)) << results.diagnostics()[0].message;
        expectClose((*results)[0], sumOf(values.scores, sumsBatches, sumsHeads), tolerance);
      }
  }
};

} // namespace

TEST(FusedAttentionGrad, DefinitionIsTheDerivative) {
  AttentionGradientProblem problem(AttentionProblem{1, 2, 1, 3, 5, 4, 3});
  problem.mask = randomFloats({1, 1, 3, 5}, 4);
  problem.dropped = 0.3;
  problem.softCap = 0.2;
  AttentionGradientProblem::Gradients gradients = problem.expectedGradients();
  std::vector<double> ofMask = problem.sumOf(gradients.scores, true, true);
  auto lossAt = [&](Tensor &operand, int64_t i, float change) {
    float before = operand.as<float>()[i];
    operand.as<float>()[i] += change;
    double loss = 0;
    std::vector<double> out = problem.expected().out;
    for (size_t e = 0; e < out.size(); ++e)
      loss += out[e] * static_cast<double>(problem.outGradient.as<float>()[e]);
    operand.as<float>()[i] = before;
    return loss;
  };
  constexpr float step = 0x1p-10f; // a change of a float is exact to 1e-7
  for (auto [operand, gradient] : {std::pair(&problem.q, &gradients.q),
                                   {&problem.k, &gradients.k},
                                   {&problem.v, &gradients.v},
                                   {&problem.mask, &ofMask}})
    for (int64_t i = 0; i < operand->size(); ++i) {
      double slope = (lossAt(*operand, i, step) - lossAt(*operand, i, -step)) / (2 * double(step));
      EXPECT_NEAR((*gradient)[static_cast<size_t>(i)], slope, 1e-4);
    }
}

TEST(FusedAttentionGrad, Sizes) {
  for (int64_t elements : {7, 40, 64, 80, 128})
    AttentionGradientProblem({1, 2, 2, 33, 130, elements, elements}).check();
  for (int64_t queries : {1, 15, 32, 65, 129})
    for (int64_t keys : {1, 5, 128, 129, 300})
      AttentionGradientProblem({2, 2, 2, queries, keys, 8, 12}).check();
}

TEST(FusedAttentionGrad, GroupsOfHeads) {
  AttentionGradientProblem({2, 6, 2, 1, 70, 16, 16}).check();
  AttentionGradientProblem({1, 6, 3, 50, 140, 16, 9}).check();
}

TEST(FusedAttentionGrad, Causal) {
  for (auto [queries, keys] : {std::pair(130, 130), {1, 40}, {20, 300}})
    AttentionGradientProblem({1, 4, 2, queries, keys, 16, 16, true}).check();
  AttentionGradientProblem({1, 2, 1, 200, 90, 16, 16, true}).check(); // queries without keys: NaN
}

TEST(FusedAttentionGrad, Masks) {
  for (const Dims4 &dims :
       std::vector<Dims4>{{2, 1, 1, 200}, {1, 1, 70, 200}, {2, 4, 70, 200}, {2, 1, 70, 1}, {1, 1, 1, 1}}) {
    AttentionGradientProblem problem({2, 4, 2, 70, 200, 16, 16});
    problem.mask = randomFloats(dims, 4);
    problem.check();
    problem.isCausal = true;
    problem.lengths = longs({2}, {150, 131});
    problem.check();
  }
}

TEST(FusedAttentionGrad, KeysWithoutWeights) {
  AttentionGradientProblem problem({1, 1, 1, 20, 300, 16, 16});
  problem.mask = randomFloats({1, 1, 20, 300}, 4);
  float *mask = problem.mask.as<float>();
  std::fill_n(mask + 5 * 300, 290, -INFINITY);      // none in the first blocks
  std::fill_n(mask + 7 * 300 + 10, 290, -INFINITY); // none in the last blocks
  problem.check();
  std::fill_n(mask + 3 * 300, 300, -INFINITY); // no keys: NaN
  problem.check();
}

TEST(FusedAttentionGrad, BlocksWithoutWeights) {
  for (bool isAdded : {false, true}) {
    AttentionGradientProblem problem({1, 2, 2, 300, 300, 8, 8});
    problem.mask = Tensor(isAdded ? DType::Float32 : DType::Bool, {1, 1, 300, 300});
    problem.maskFill = -1e4;
    for (int64_t m = 0; m < 300; ++m)
      for (int64_t n = 0; n < 300; ++n) {
        bool isSeen = n <= m && n > m - 60 && (isAdded || m != 150);
        if (isAdded)
          problem.mask.as<float>()[m * 300 + n] = isSeen ? 0.0f : -INFINITY;
        else
          problem.mask.as<bool>()[m * 300 + n] = isSeen;
      }
    problem.check();
  }
}

TEST(FusedAttentionGrad, LargeNegativeMask) {
  AttentionGradientProblem problem({1, 1, 1, 40, 200, 16, 16});
  problem.mask = Tensor(DType::Float32, {1, 1, 1, 200});
  std::fill_n(problem.mask.as<float>(), 200, -1e9f);
  problem.scale = 0; // float32 loses the scores: equal weights
  problem.check();
}

TEST(FusedAttentionGrad, Conditions) {
  for (const Dims4 &dims : std::vector<Dims4>{{2, 1, 1, 200}, {1, 1, 70, 200}, {2, 4, 70, 1}})
    for (double fill : {-1e4, 0.25}) { // of all scores of some rows, and one that changes the weights
      AttentionGradientProblem problem({2, 4, 2, 70, 200, 16, 16});
      problem.mask = AttentionProblem::randomConditions(dims);
      problem.maskFill = fill;
      problem.check();
    }
}

TEST(FusedAttentionGrad, SoftCap) {
  for (double cap : {0.1, 1.0, 50.0}) {
    AttentionGradientProblem problem({2, 4, 2, 70, 200, 16, 16});
    problem.softCap = cap;
    problem.scale = 2;
    problem.check();
    problem.mask = AttentionProblem::randomConditions({1, 1, 70, 200});
    problem.maskFill = -1e4;
    problem.check();
  }
}

TEST(FusedAttentionGrad, Windows) {
  for (auto [left, right] : {std::pair(0, 0), {60, -1}, {-1, 3}, {20, 150}})
    for (auto [queries, keys] : {std::pair(300, 300), {20, 400}, {200, 90}}) { // with more queries: NaN
      AttentionGradientProblem problem({1, 2, 1, queries, keys, 8, 8});
      problem.left = left;
      problem.right = right;
      problem.check();
    }
}

TEST(FusedAttentionGrad, Permutations) {
  Dims4 rowsFirst{0, 2, 1, 3}, elementsFirst{3, 1, 2, 0}, transposed{0, 1, 3, 2};
  for (const Dims4 &permutation : {rowsFirst, elementsFirst, transposed}) {
    AttentionGradientProblem problem({2, 4, 2, 35, 140, 16, 8});
    for (size_t operand = 0; operand < 4; ++operand) {
      problem.permutations = {};
      problem.permutations[operand] = permutation;
      problem.check();
    }
    problem.permutations = {permutation, permutation, permutation, permutation};
    problem.check();
  }
}

TEST(FusedAttentionGrad, KeyMasks) {
  AttentionGradientProblem problem({2, 4, 2, 35, 140, 16, 8});
  problem.keyMask = randomFloats({2, 1, 1, 140}, 6);
  problem.check();
  problem.mask = randomFloats({1, 4, 35, 140}, 4);
  std::fill_n(problem.keyMask.as<float>() + 64, 70, -INFINITY); // blocks without weights
  problem.check();
}

TEST(FusedAttentionGrad, KeyConditions) {
  for (double fill : {-1e4, 0.25}) { // of all scores of a batch, and one that changes the weights
    AttentionGradientProblem problem({2, 4, 2, 35, 140, 16, 8});
    problem.keyMask = AttentionProblem::randomConditions({2, 1, 1, 140});
    problem.maskFill = fill;
    problem.check();
    problem.mask = randomFloats({1, 4, 35, 140}, 4);
    problem.check();
    problem.mask = AttentionProblem::randomConditions({1, 1, 35, 140});
    problem.check();
  }
}

TEST(FusedAttentionGrad, Halves) {
  for (DType dtype : {DType::Float16, DType::BFloat16}) {
    AttentionGradientProblem problem({1, 4, 2, 35, 140, 16, 8, true, dtype});
    problem.check();
    problem.permutations[3] = {0, 2, 1, 3};
    problem.check();
  }
}

TEST(FusedAttentionGrad, Dropout) {
  for (int64_t keys : {1, 64, 131}) {
    AttentionGradientProblem problem({2, 4, 2, 35, keys, 16, 8});
    problem.dropped = 0.3;
    problem.check();
    problem.whole = {3, 6, 50, keys};
    problem.begin = {1, 2, 9, 0};
    problem.check();
  }
}

TEST(FusedAttentionGrad, SlicesOfHeads) {
  AttentionGradientProblem({1, 1, 1, 600, 300, 32, 32, true}).check(); // several jobs of a head
}

TEST(FusedAttentionGrad, UnusedGradients) {
  AttentionGradientProblem problem({1, 2, 2, 20, 40, 16, 16});
  auto gradients = problem.expectedGradients();
  KernelCase own = problem.gradientKernel();
  own.outputs = {own.outputs[1]};
  own.absentOutputs = {0, 2};
  auto results = runCase(own);
  ASSERT_TRUE(bool(results)) << results.diagnostics()[0].message;
  expectClose((*results)[0], gradients.k, 1e-5);
}

TEST(FusedAttentionGrad, EmptyTensors) {
  AttentionGradientProblem({0, 2, 2, 5, 5, 4, 4}).check();
  AttentionGradientProblem({1, 2, 2, 0, 5, 4, 4}).check();
  AttentionGradientProblem({1, 2, 2, 5, 5, 4, 0}).check();
  AttentionGradientProblem({1, 2, 2, 5, 5, 0, 4}).check();
}

TEST(FusedAttentionGrad, Errors) {
  AttentionGradientProblem problem({1, 2, 2, 5, 6, 4, 4});
  KernelCase own = problem.gradientKernel();
  own.inputs[4] = randomFloats({1, 2, 6}, 1);
  auto results = runCase(own);
  ASSERT_FALSE(bool(results));
  EXPECT_NE(results.diagnostics()[0].message.find("expected the dims"), std::string::npos)
      << results.diagnostics()[0].message;
}

} // namespace proa::runtime
