// Attention by the library kernel compared with its definition in double precision.
#include "test/unit/runtime/AttentionProblem.h"

#include "lib/base/target/TargetFacts.h"
#include "lib/runtime/host/CpuFeatures.h"
#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/attention/AttentionTile.h"

namespace proa::runtime {
namespace {

/// One block of keys. With `restricted` queries use different numbers of them.
void checkTile(int64_t queries, int64_t keys, int64_t elements, bool wide, bool restricted) {
  SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys, " << elements << " elements"
                                  << (wide ? ", wide" : "") << (restricted ? ", restricted" : ""));
  Tensor q = randomFloats({elements, queries}, 1), k = randomFloats({keys, elements}, 2),
         v = randomFloats({keys, elements}, 3), mask = randomFloats({keys, queries}, 4);
  std::vector<int32_t> ends;
  for (int64_t i = 0; i < queries; ++i)
    ends.push_back(static_cast<int32_t>(1 + i % keys));
  std::vector<float> scores(static_cast<size_t>(keys * queries)),
      out(static_cast<size_t>(elements * queries)), maximum(static_cast<size_t>(queries), -INFINITY),
      sum(static_cast<size_t>(queries));
  AttentionTile tile{queries, elements, elements};
  AttentionBlock block{};
  block.tile = tile;
  block.keys = keys;
  block.k = k.as<float>();
  block.v = v.as<float>();
  block.kStride = block.vStride = elements;
  block.scale = 0.5;
  block.q = q.as<float>();
  block.mask = mask.as<float>();
  block.ends = restricted ? ends.data() : nullptr;
  block.scores = scores.data();
  block.out = out.data();
  block.maximum = maximum.data();
  block.sum = sum.data();
  addAttentionBlock(block, wide);
  divideAttentionTile(tile, sum.data(), out.data());
  auto at = [](const Tensor &tensor, int64_t i) { return static_cast<double>(tensor.as<float>()[i]); };
  for (int64_t query = 0; query < queries; ++query) {
    int64_t used = restricted ? ends[static_cast<size_t>(query)] : keys;
    std::vector<double> expected(static_cast<size_t>(elements));
    double total = 0;
    for (int64_t key = 0; key < used; ++key) {
      double score = at(mask, key * queries + query);
      for (int64_t i = 0; i < elements; ++i)
        score += 0.5 * at(q, i * queries + query) * at(k, key * elements + i);
      total += std::exp(score);
      for (int64_t i = 0; i < elements; ++i)
        expected[static_cast<size_t>(i)] += std::exp(score) * at(v, key * elements + i);
    }
    for (int64_t i = 0; i < elements; ++i)
      ASSERT_NEAR(static_cast<double>(out[static_cast<size_t>(i * queries + query)]),
                  expected[static_cast<size_t>(i)] / total, 2e-6)
          << "element " << i << " of query " << query;
  }
}

} // namespace

/// Tiles of all numbers of rows, of keys and of elements, also the tiles that this processor does not use.
TEST(AttentionTile, EqualsDefinition) {
  for (bool restricted : {false, true})
    for (int64_t keys : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 36, 128})
      for (int64_t elements : {1, 3, 8, 10, 33}) {
        checkTile(16, keys, elements, false, restricted);
        checkTile(16, keys, elements, true, restricted);
        checkTile(32, keys, elements, true, restricted);
      }
}

/// Squares and halves of squares, and what is left of both.
TEST(AttentionTile, Transposes) {
  for (int64_t count = 0; count <= 32; ++count)
    for (int64_t columns : {1, 7, 8, 9, 16, 17, 24, 31, 40}) {
      Tensor x = randomFloats({32, columns}, 1);
      std::vector<const float *> rows;
      for (int64_t i = 0; i < 32; ++i)
        rows.push_back(x.as<float>() + i * columns);
      constexpr int64_t stride = 35;
      std::vector<float> to(static_cast<size_t>(columns * stride), 7);
      transposeRows(rows.data(), count, columns, to.data(), 32, stride);
      for (int64_t column = 0; column < columns; ++column)
        for (int64_t row = 0; row < stride; ++row)
          ASSERT_EQ(to[static_cast<size_t>(column * stride + row)],
                    row < count ? x.as<float>()[row * columns + column]
                    : row < 32  ? 0
                                : 7)
              << count << " rows, " << columns << " columns: " << row << ", " << column;
    }
}

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

TEST(FusedAttention, BlocksWithoutWeights) {
  // A window: blocks before and after it are masked, by each number that may be skipped. Two rows have no
  // keys.
  for (double low : {-infinity, -3.4e38, -1e4}) {
    AttentionProblem problem = AttentionProblem{1, 2, 2, 520, 520, 8, 8}.fill();
    bool isAdded = low < -1e30;
    problem.mask = Tensor(isAdded ? DType::Float32 : DType::Bool, {1, 1, 520, 520});
    for (int64_t m = 0; m < 520; ++m)
      for (int64_t n = 0; n < 520; ++n) {
        bool isSeen = n <= m && n > m - 60 && m != 300 && m != 511;
        if (isAdded)
          problem.mask.as<float>()[m * 520 + n] = isSeen ? 0.0f : static_cast<float>(low);
        else
          problem.mask.as<bool>()[m * 520 + n] = isSeen;
      }
    problem.maskFill = low;
    problem.check();
  }
  AttentionProblem problem = AttentionProblem{2, 2, 2, 20, 400, 8, 8}.fill(); // the second batch has few keys
  problem.mask = Tensor(DType::Float32, {2, 1, 1, 400});
  std::fill_n(problem.mask.as<float>(), 400, 0.0f);
  std::fill_n(problem.mask.as<float>() + 400, 400, -INFINITY);
  problem.mask.as<float>()[400 + 200] = 0;
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

TEST(FusedAttention, Conditions) {
  for (const Dims4 &dims :
       std::vector<Dims4>{{2, 1, 1, 200}, {1, 1, 70, 200}, {2, 4, 70, 200}, {2, 1, 70, 1}, {1, 1, 1, 1}})
    for (double fill : {-1e4, 0.25, -infinity}) {
      AttentionProblem problem = AttentionProblem{2, 4, 2, 70, 200, 16, 16}.fill();
      problem.mask = AttentionProblem::randomConditions(dims);
      problem.maskFill = fill;
      problem.check();
      problem.isCausal = true;
      problem.lengths = longs({2}, {150, 7});
      problem.check();
    }
}

TEST(FusedAttention, KeyMasks) {
  for (const Dims4 &dims : std::vector<Dims4>{{2, 1, 1, 200}, {1, 1, 1, 200}, {2, 1, 1, 1}}) {
    AttentionProblem problem = AttentionProblem{2, 4, 2, 70, 200, 16, 16}.fill();
    problem.keyMask = randomFloats(dims, 6);
    problem.check();
    problem.mask = randomFloats({1, 4, 70, 200}, 4);
    problem.check();
    problem.mask = randomFloats({2, 1, 1, 200}, 4); // of keys too
    problem.check();
    problem.mask = AttentionProblem::randomConditions({1, 1, 70, 200});
    problem.maskFill = -1e4;
    problem.isCausal = true;
    problem.check();
  }
}

TEST(FusedAttention, KeyConditions) {
  for (const Dims4 &dims : std::vector<Dims4>{{2, 1, 1, 200}, {1, 1, 1, 200}, {2, 1, 1, 1}})
    for (double fill : {-1e4, 0.25, -infinity}) {
      AttentionProblem problem = AttentionProblem{2, 4, 2, 70, 200, 16, 16}.fill();
      problem.keyMask = AttentionProblem::randomConditions(dims); // false for all keys of the first batch
      problem.maskFill = fill;
      problem.check();
      problem.mask = randomFloats({1, 4, 70, 200}, 4);
      problem.check();
      std::fill_n(problem.mask.as<float>(), 200 * 70, -1e30f); // all scores of a head
      problem.check();
      problem.mask = AttentionProblem::randomConditions({1, 1, 70, 200});
      problem.isCausal = true;
      problem.check();
    }
}

TEST(FusedAttention, KeyMasksWithoutWeights) {
  for (float low : {-INFINITY, -3.4e38f}) { // the second batch has few keys
    AttentionProblem problem = AttentionProblem{2, 2, 2, 20, 400, 8, 8}.fill();
    problem.keyMask = Tensor(DType::Float32, {2, 1, 1, 400});
    std::fill_n(problem.keyMask.as<float>(), 400, 0.0f);
    std::fill_n(problem.keyMask.as<float>() + 400, 400, low);
    problem.keyMask.as<float>()[400 + 200] = 0;
    problem.check();
    problem.mask = randomFloats({1, 2, 20, 400}, 4);
    problem.check();
    problem.mask = AttentionProblem::randomConditions({1, 1, 20, 400});
    problem.maskFill = 0.25;
    problem.check();
  }
}

TEST(FusedAttention, SoftCap) {
  for (double cap : {0.1, 1.0, 50.0}) {
    AttentionProblem problem = AttentionProblem{2, 4, 2, 70, 200, 16, 16}.fill();
    problem.softCap = cap;
    problem.scale = 2; // products of up to 10
    problem.check();
    problem.mask = randomFloats({1, 1, 70, 200}, 4);
    problem.isCausal = true;
    problem.check();
  }
}

TEST(FusedAttention, Windows) {
  for (auto [left, right] : {std::pair(0, 0), {60, -1}, {-1, 3}, {20, 150}, {1000, 0}})
    for (auto [queries, keys] : {std::pair(300, 300), {20, 400}, {200, 90}}) { // with more queries: NaN
      AttentionProblem problem = AttentionProblem{2, 2, 1, queries, keys, 8, 8}.fill();
      problem.left = left;
      problem.right = right;
      problem.check();
      problem.lengths = longs({2}, {77, keys});
      problem.check();
      problem.isCausal = true;
      problem.mask = randomFloats({1, 2, 1, keys}, 4);
      problem.check();
    }
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

/// Heads of keys and values are copied once for many queries; each thread has copies of its own.
TEST(FusedAttention, ManyQueriesOfDistantRows) {
  CpuFacts facts = *knownFacts<CpuFacts>(nameOf(vectorIsa()));
  facts.forkNanoseconds = facts.wakeNanoseconds = 1;
  CpuScope scope(&facts);
  Dims4 rowsFirst{0, 2, 1, 3};
  for (int threads : {1, 2, 3}) {
    ThreadScope ownThreads(threads);
    for (int64_t queries : {127, 128, 150}) { // of two heads each: 256 columns are many
      AttentionProblem problem = AttentionProblem{2, 6, 3, queries, 140, 16, 9}.fill();
      problem.permutations[1] = rowsFirst;
      problem.check();
      problem.permutations = {Dims4(), Dims4(), rowsFirst, Dims4()};
      problem.check();
      problem.permutations = {rowsFirst, rowsFirst, rowsFirst, rowsFirst};
      problem.check();
      problem.right = 20;
      problem.mask = randomFloats({1, 1, queries, 140}, 4);
      problem.check();
      problem.dtype = DType::BFloat16;
      problem.check();
    }
  }
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

TEST(FusedAttention, Dropout) {
  for (int64_t keys : {1, 64, 131, 300}) { // rows that begin at each word of a block
    AttentionProblem problem = AttentionProblem{2, 4, 2, 35, keys, 16, 8}.fill();
    problem.dropped = 0.3;
    problem.check();
    problem.whole = {3, 6, 50, keys};
    problem.begin = {1, 2, 9, 0};
    problem.check();
  }
  AttentionProblem problem = AttentionProblem{1, 2, 2, 20, 40, 16, 16}.fill();
  problem.dropped = 1; // all weights
  KernelCase own = problem.kernel();
  auto results = runCase(own);
  ASSERT_TRUE(bool(results)) << results.diagnostics()[0].message;
  expectClose((*results)[0], std::vector<double>(2 * 20 * 16, 0), 0);
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
  auto results = runCase(problem.kernel());
  ASSERT_FALSE(bool(results));
  EXPECT_NE(results.diagnostics()[0].message.find("which do not fit"), std::string::npos)
      << results.diagnostics()[0].message;
  problem.fill().keyMask = randomFloats({1, 2, 1, 6}, 6);
  results = runCase(problem.kernel());
  ASSERT_FALSE(bool(results));
  EXPECT_NE(results.diagnostics()[0].message.find("the mask of keys float32[1, 2, 1, 6], which do not fit"),
            std::string::npos)
      << results.diagnostics()[0].message;
  problem.keyMask = {};
  KernelCase own = problem.kernel();
  own.inputs[5] = longs({1}, {1});
  results = runCase(own);
  ASSERT_FALSE(bool(results));
  EXPECT_NE(results.diagnostics()[0].message.find("expected the two words of an execution"),
            std::string::npos)
      << results.diagnostics()[0].message;
}

} // namespace proa::runtime
