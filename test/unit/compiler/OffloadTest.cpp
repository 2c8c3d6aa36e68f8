//! States of a training step in a store between their uses: equal to those in memory, counted, and failing.
#include "proa/Model.h"
#include "test/common/OpenSession.h"

#include "lib/base/support/Files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

using namespace proa;
using testing::HasSubstr;

namespace {

/// SGD with momentum on y = x w, whose gradient is x^T 1. `count` is too small for the store.
const char *const momentumProgram = R"(
func.func @main(%x: tensor<16x64xf32> {pd.feed = "x"}, %w: tensor<64x32xf32> {pd.param = "w"},
                %v: tensor<64x32xf32> {pd.param = "v"}, %count: tensor<1xf32> {pd.param = "count"})
    -> (tensor<f32> {pd.fetch = "loss"}, tensor<64x32xf32> {pd.state = "w"}, tensor<64x32xf32> {pd.state = "v"},
        tensor<1xf32> {pd.state = "count"}) {
  %one = pd.constant dense<1.0> : tensor<f32>
  %ones = pd.constant dense<1.0> : tensor<16x32xf32>
  %rate = pd.constant dense<0.125> : tensor<1xf32>
  %y = pd.matmul %x, %w : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
  %loss = pd.sum %y {axis = array<i64: 0, 1>} : (tensor<16x32xf32>) -> tensor<f32>
  %g = pd.matmul %x, %ones {transpose_x = true} : (tensor<16x64xf32>, tensor<16x32xf32>) -> tensor<64x32xf32>
  %w1, %v1 = pd.momentum %w, %g, %v, %rate {mu = 5.0e-01 : f64}
    : (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<1xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>)
  %count1 = pd.add %count, %one : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
  return %loss, %w1, %v1, %count1 : tensor<f32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<1xf32>
}
)";

/// Values in memory. It counts calls, and fails at one of them.
class CountingStore final : public OffloadStore {
public:
  Result<void> fetch(const OffloadedVariable &variable, std::span<std::byte> data) override {
    ++fetches[variable.name];
    if (variable.name == failingFetch)
      return errorAt("server", "the connection is closed");
    std::ranges::copy(values.at({variable.rank, variable.name}), data.begin());
    return {};
  }
  Result<void> store(const OffloadedVariable &variable, std::span<const std::byte> data) override {
    ++stores[variable.name];
    variables.push_back(variable);
    if (variable.name == failingStore)
      return errorAt("", "no space is left");
    pending[{variable.rank, variable.name}].assign(data.begin(), data.end());
    return {};
  }
  Result<void> endRun(int64_t rank, bool hasSucceeded) override {
    for (auto &[key, value] : std::map(pending))
      if (key.first == rank) {
        if (hasSucceeded)
          values[key] = value;
        pending.erase(key);
      }
    return {};
  }

  std::map<std::string, int> fetches, stores;
  std::vector<OffloadedVariable> variables;
  std::string failingFetch, failingStore;

private:
  std::map<std::pair<int64_t, std::string>, std::vector<std::byte>> values, pending;
};

Tensor filled(std::vector<int64_t> dims, float first) {
  Tensor tensor(DType::Float32, std::move(dims));
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<float>()[i] = first + static_cast<float>(i % 11) / 8;
  return tensor;
}

Session open(ModelOptions options) {
  std::string path = (std::filesystem::path(testing::TempDir()) / "proa-offload-test.mlir").string();
  EXPECT_TRUE(writeFile(path, momentumProgram));
  options.cacheDirectory = "off";
  auto session = openSession(path, std::move(options));
  EXPECT_TRUE(session) << session.diagnostics().text();
  EXPECT_TRUE(session->setParameter("w", filled({64, 32}, 1)));
  EXPECT_TRUE(session->setParameter("v", filled({64, 32}, 0)));
  EXPECT_TRUE(session->setParameter("count", filled({1}, 0)));
  return std::move(*session);
}

ModelOptions withStore(std::shared_ptr<OffloadStore> store, bool parameters = false) {
  ModelOptions options;
  options.offload = OffloadOptions{.parameters = parameters, .store = std::move(store)};
  return options;
}

const std::map<std::string, Tensor> feeds = {{"x", filled({16, 64}, -0.5F)}};

bool areEqual(const Tensor &a, const Tensor &b) {
  return a.dims() == b.dims() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

/// Runs both three times, and compares losses and states.
void expectEqualRuns(Session &session, Session &expected) {
  for (int i = 0; i < 3; ++i) {
    auto own = session.run(feeds), other = expected.run(feeds);
    ASSERT_TRUE(own) << own.diagnostics().text();
    ASSERT_TRUE(other) << other.diagnostics().text();
    EXPECT_TRUE(areEqual((*own)[0].tensor, (*other)[0].tensor));
  }
  for (const char *name : {"w", "v", "count"})
    EXPECT_TRUE(areEqual(*session.parameter(name), *expected.parameter(name))) << name;
}

TEST(OffloadTest, StatesInFilesEqualThoseInMemory) {
  for (bool parameters : {false, true}) {
    Session expected = open({}), session = open(withStore(nullptr, parameters));
    expectEqualRuns(session, expected);
    EXPECT_TRUE(session.setParameter("v", filled({64, 32}, 3)));
    EXPECT_TRUE(expected.setParameter("v", filled({64, 32}, 3)));
    EXPECT_TRUE(areEqual(*session.parameter("v"), filled({64, 32}, 3)));
    expectEqualRuns(session, expected);
    std::string saved =
        (std::filesystem::path(testing::TempDir()) / "proa-offload-test.safetensors").string();
    EXPECT_TRUE(session.saveParameters(saved));
    expectEqualRuns(session, expected);
  }
}

TEST(OffloadTest, EachRunFetchesAndStoresOnce) {
  auto store = std::make_shared<CountingStore>();
  Session expected = open({}), session = open(withStore(store));
  expectEqualRuns(session, expected); // parameter() fetches again
  EXPECT_EQ(store->fetches, (std::map<std::string, int>{{"v", 4}}));
  EXPECT_EQ(store->stores, (std::map<std::string, int>{{"v", 4}}));
  EXPECT_EQ(store->variables.back().dims, (std::vector<int64_t>{64, 32}));
}

TEST(OffloadTest, ParametersAreStoredToo) {
  auto store = std::make_shared<CountingStore>();
  Session expected = open({}), session = open(withStore(store, true));
  expectEqualRuns(session, expected);
  EXPECT_EQ(store->stores, (std::map<std::string, int>{{"v", 4}, {"w", 4}}));
  EXPECT_GE(store->fetches["w"], 4);
}

TEST(OffloadTest, AMeasuredRunChangesNothing) {
  auto store = std::make_shared<CountingStore>();
  Session expected = open({}), session = open(withStore(store, true));
  ASSERT_TRUE(session.measure(feeds));
  expectEqualRuns(session, expected);
}

TEST(OffloadTest, AFailingFetchNamesTheVariable) {
  auto store = std::make_shared<CountingStore>();
  Session expected = open({}), session = open(withStore(store, true));
  expectEqualRuns(session, expected);
  store->failingFetch = "v";
  auto failed = session.run(feeds);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.diagnostics().text(), HasSubstr("variable 'v': server: the connection is closed"));
  store->failingFetch = "";
  expectEqualRuns(session, expected);
}

TEST(OffloadTest, AFailingStoreChangesNothing) {
  auto store = std::make_shared<CountingStore>();
  Session expected = open({}), session = open(withStore(store, true));
  expectEqualRuns(session, expected);
  for (const char *name : {"v", "w"}) {
    store->failingStore = name;
    auto failed = session.run(feeds);
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.diagnostics().text(),
                HasSubstr("variable '" + std::string(name) + "': no space is left"));
  }
  store->failingStore = "";
  expectEqualRuns(session, expected);
}

TEST(OffloadTest, RanksStoreTheirShards) {
  auto store = std::make_shared<CountingStore>();
  ModelOptions plain, options = withStore(store, true);
  plain.mesh = options.mesh = MeshOptions{.strategy = "dp2,zero3", .simulate = true};
  Session expected = open(plain), session = open(options);
  expectEqualRuns(session, expected);
  for (const OffloadedVariable &variable : store->variables)
    EXPECT_EQ(variable.dims, (std::vector<int64_t>{32, 32})) << variable.name;
  EXPECT_EQ(store->stores, (std::map<std::string, int>{{"v", 8}, {"w", 8}}));
  store->failingFetch = "v";
  auto failed = session.run(feeds);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.diagnostics().text(), HasSubstr("variable 'v'"));
  store->failingFetch = "";
  expectEqualRuns(session, expected);
}

TEST(OffloadTest, AFolderThatIsMissing) {
  auto store = openOffloadFolder("/does/not/exist");
  ASSERT_FALSE(store);
  EXPECT_THAT(store.diagnostics().text(), HasSubstr("/does/not/exist: cannot create a file for states"));
}

} // namespace
