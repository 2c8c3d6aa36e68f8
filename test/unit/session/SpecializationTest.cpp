#include "test/unit/session/Programs.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <thread>

using namespace proa;

namespace {

/// y = relu(a + b): the dims of a and b are equal, or 1.
const char *const broadcast = R"(
func.func @main(%a: tensor<?x?xf32> {pd.feed = "a"}, %b: tensor<?x?xf32> {pd.feed = "b"})
    -> (tensor<?x?xf32> {pd.fetch = "y"}) {
  %0 = pd.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = pd.relu %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
})";

/// All dims of size 1 go, so that the rank of the result depends on the dims.
const char *const squeeze = R"(
func.func @main(%x: tensor<?x3xf32> {pd.feed = "x"}) -> (tensor<?x3xf32> {pd.fetch = "y"}) {
  %0 = pd.squeeze %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
})";

/// out = softmax(q k^T + mask) k.
const char *const attention = R"(
func.func @main(%q: tensor<?x2x?x4xf32> {pd.feed = "q"}, %k: tensor<?x2x?x4xf32> {pd.feed = "k"},
    %m: tensor<?x1x?x?xf32> {pd.feed = "m"}) -> (tensor<?x2x?x4xf32> {pd.fetch = "out"}) {
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>) -> tensor<?x2x?x?xf32>
  %a = pd.add %s, %m : (tensor<?x2x?x?xf32>, tensor<?x1x?x?xf32>) -> tensor<?x2x?x?xf32>
  %p = pd.softmax %a : (tensor<?x2x?x?xf32>) -> tensor<?x2x?x?xf32>
  %o = pd.matmul %p, %k : (tensor<?x2x?x?xf32>, tensor<?x2x?x4xf32>) -> tensor<?x2x?x4xf32>
  return %o : tensor<?x2x?x4xf32>
})";

std::string written(const char *text, const std::string &name) {
  std::string path = temporaryFile(name + ".mlir");
  EXPECT_TRUE(writeFile(path, text));
  return path;
}

Result<Model> open(const std::string &path, Specialization specialization, size_t kept = 16,
                   const std::string &target = "") {
  ModelOptions options;
  options.target = target;
  options.cacheDirectory = "off";
  options.threads = 1;
  options.specialization = specialization;
  options.keptSpecializations = kept;
  return Model::open(path, options);
}

std::map<std::string, Tensor> pair(std::vector<int64_t> a, std::vector<int64_t> b) {
  return {{"a", numbers(std::move(a), 1)}, {"b", numbers(std::move(b), 2)}};
}

/// The elements of the only fetch, or nothing after an error.
std::vector<float> fetch(Result<std::vector<NamedTensor>> run) {
  if (!run) {
    ADD_FAILURE() << run.diagnostics().text();
    return {};
  }
  const Tensor &tensor = run->front().tensor;
  return {tensor.as<float>(), tensor.as<float>() + tensor.size()};
}

/// relu(a + b) by its definition, for operands of rank 2.
std::vector<float> expected(const std::map<std::string, Tensor> &feeds) {
  const Tensor &a = feeds.at("a"), &b = feeds.at("b");
  auto at = [](const Tensor &x, int64_t i, int64_t j) {
    return x.as<float>()[(x.dims()[0] == 1 ? 0 : i) * x.dims()[1] + (x.dims()[1] == 1 ? 0 : j)];
  };
  std::vector<float> result;
  for (int64_t i = 0; i < std::max(a.dims()[0], b.dims()[0]); ++i)
    for (int64_t j = 0; j < std::max(a.dims()[1], b.dims()[1]); ++j)
      result.push_back(std::max(0.0f, at(a, i, j) + at(b, i, j)));
  return result;
}

/// The program `attention` by its definition; the batches of k and m may be 1.
std::vector<float> expectedAttention(const std::map<std::string, Tensor> &feeds) {
  const Tensor &q = feeds.at("q"), &k = feeds.at("k"), &m = feeds.at("m");
  constexpr int64_t heads = 2, elements = 4;
  int64_t queries = q.dims()[2], keys = k.dims()[2];
  std::vector<float> result;
  for (int64_t b = 0; b < q.dims()[0]; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < queries; ++i) {
        const float *query = q.as<float>() + ((b * heads + h) * queries + i) * elements,
                    *key = k.as<float>() + ((k.dims()[0] == 1 ? 0 : b) * heads + h) * keys * elements,
                    *mask = m.as<float>() +
                            ((m.dims()[0] == 1 ? 0 : b) * m.dims()[2] + (m.dims()[2] == 1 ? 0 : i)) * keys;
        std::array<double, elements> out{};
        double sum = 0;
        for (int64_t j = 0; j < keys; ++j) {
          double score = mask[j];
          for (int64_t d = 0; d < elements; ++d)
            score += static_cast<double>(query[d]) * key[j * elements + d];
          sum += std::exp(score);
          for (size_t d = 0; d < elements; ++d)
            out[d] += std::exp(score) * key[static_cast<size_t>(j * elements) + d];
        }
        for (double element : out)
          result.push_back(static_cast<float>(element / sum));
      }
  return result;
}

struct AttentionDims {
  int64_t batch, batchOfKeys, batchOfMask, queries, rowsOfMask, keys;
  bool isCompiledFor = false; ///< not by the program for all dims
};

// In the program for all dims the batch of a mask may be 1, the batch of the keys may not.
TEST(Specialization, OneCompilationComputesAttentionOfAllDims) {
  for (const char *target : {"cpu", "cuda-emulated"}) {
    auto model = open(written(attention, "attention"), Specialization::Never, 16, target);
    ASSERT_TRUE(model) << model.diagnostics().text();
    auto session = model->session();
    bool isFirst = true;
    for (AttentionDims dims : {AttentionDims{2, 2, 2, 5, 5, 7}, AttentionDims{3, 3, 1, 40, 1, 150},
                               AttentionDims{2, 1, 2, 5, 5, 7, true}, AttentionDims{1, 1, 1, 1, 1, 1}}) {
      std::map<std::string, Tensor> feeds{
          {"q", numbers({dims.batch, 2, dims.queries, 4}, 1)},
          {"k", numbers({dims.batchOfKeys, 2, dims.keys, 4}, 2)},
          {"m", numbers({dims.batchOfMask, 1, dims.rowsOfMask, dims.keys}, 3)}};
      std::vector<float> found = fetch(session->run(feeds)), right = expectedAttention(feeds);
      ASSERT_EQ(found.size(), right.size());
      for (size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], right[i], 1e-6) << target << ", batch " << dims.batch << ", element " << i;
      EXPECT_EQ(session->times().compile > 0, isFirst || dims.isCompiledFor) << target << " " << dims.batch;
      isFirst = false;
    }
  }
}

TEST(Specialization, OneCompilationServesAllDims) {
  for (auto specialization : {Specialization::Background, Specialization::Never}) {
    auto model = open(written(broadcast, "all-dims"), specialization);
    ASSERT_TRUE(model) << model.diagnostics().text();
    auto session = model->session();
    for (int64_t rows : {2, 3, 5, 4}) {
      auto feeds = pair({rows, 3}, {rows, 3});
      EXPECT_EQ(fetch(session->run(feeds)), expected(feeds));
      EXPECT_EQ(session->times().compile > 0, rows == 2) << rows;
    }
  }
}

TEST(Specialization, AlwaysCompilesForEachDims) {
  auto model = open(written(broadcast, "each-dims"), Specialization::Always);
  auto session = model->session();
  for (int64_t rows : {2, 3}) {
    auto feeds = pair({rows, 3}, {rows, 3});
    EXPECT_EQ(fetch(session->run(feeds)), expected(feeds));
    EXPECT_GT(session->times().compile, 0) << rows;
  }
}

// The program for all dims takes dims as equal that only a run knows.
TEST(Specialization, DimsThatBroadcastAreCompiledFor) {
  for (auto specialization : {Specialization::Background, Specialization::Never}) {
    auto model = open(written(broadcast, "broadcast"), specialization);
    auto session = model->session();
    for (int64_t rows : {3, 1, 3}) {
      auto feeds = pair({3, 2}, {rows, 2});
      EXPECT_EQ(fetch(session->run(feeds)), expected(feeds)) << rows;
    }
  }
}

TEST(Specialization, RanksThatDependOnDimsAreCompiledFor) {
  auto model = open(written(squeeze, "squeeze"), Specialization::Never);
  ASSERT_TRUE(model) << model.diagnostics().text();
  auto session = model->session();
  auto two = session->run({{"x", numbers({2, 3}, 1)}});
  ASSERT_TRUE(two) << two.diagnostics().text();
  EXPECT_EQ(two->front().tensor.dims(), (std::vector<int64_t>{2, 3}));
}

TEST(Specialization, PrepareCompilesForTheDims) {
  auto model = open(written(broadcast, "prepare"), Specialization::Background);
  auto session = model->session();
  auto feeds = pair({4, 3}, {4, 3});
  ASSERT_TRUE(session->prepare(feeds));
  EXPECT_GT(session->times().compile, 0);
  EXPECT_EQ(fetch(session->run(feeds)), expected(feeds));
  EXPECT_EQ(session->times().compile, 0);
  auto others = pair({5, 3}, {5, 3});
  EXPECT_EQ(fetch(session->run(others)), expected(others));
  EXPECT_GT(session->times().compile, 0) << "the program for all dims";
}

TEST(Specialization, DimsThatComeBackGetTheirOwnProgram) {
  auto model = open(PROA_CORPUS_DIR "/models/nlp/bert", Specialization::Background);
  ASSERT_TRUE(model) << model.diagnostics().text();
  auto feeds = params::readSafetensors(PROA_CORPUS_DIR "/models/nlp/bert/inputs.safetensors");
  ASSERT_TRUE(feeds) << feeds.diagnostics().text();
  auto session = model->session();
  std::vector<float> first = fetch(session->run(*feeds));
  int64_t arena = session->arenaBytes(); // values of static dims only
  auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (session->arenaBytes() == arena && std::chrono::steady_clock::now() < limit) {
    std::vector<float> next = fetch(session->run(*feeds));
    EXPECT_EQ(session->times().compile, 0);
    ASSERT_EQ(next.size(), first.size());
    for (size_t i = 0; i < next.size(); ++i)
      ASSERT_NEAR(next[i], first[i], 1e-5f + 1e-5f * std::abs(first[i]));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GT(session->arenaBytes(), arena) << "no specialized program within two minutes";
}

TEST(Specialization, ProgramsBeyondTheLimitAreDropped) {
  auto model = open(written(broadcast, "limit"), Specialization::Always, 1);
  auto session = model->session();
  for (int round = 0; round < 2; ++round)
    for (int64_t rows : {2, 3}) {
      auto feeds = pair({rows, 3}, {rows, 3});
      EXPECT_EQ(fetch(session->run(feeds)), expected(feeds));
      EXPECT_GT(session->times().compile, 0) << rows;
      EXPECT_EQ(fetch(session->run(feeds)), expected(feeds));
      EXPECT_EQ(session->times().compile, 0) << rows;
    }
}

TEST(Specialization, ThreadsShareIt) {
  auto model = open(PROA_CORPUS_DIR "/models/nlp/bert", Specialization::Background);
  auto feeds = params::readSafetensors(PROA_CORPUS_DIR "/models/nlp/bert/inputs.safetensors");
  ASSERT_TRUE(model && feeds);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      auto session = model->session();
      std::vector<float> first;
      for (int i = 0; i < 50; ++i) {
        std::vector<float> next = fetch(session->run(*feeds));
        if (first.empty())
          first = next;
        ASSERT_EQ(next.size(), first.size());
        for (size_t j = 0; j < next.size(); ++j)
          ASSERT_NEAR(next[j], first[j], 1e-5f + 1e-5f * std::abs(first[j]));
      }
    });
}

} // namespace
