#include "proa/Model.h"
#include "test/common/OpenSession.h"
#include "test/unit/compiler/FloatElements.h"

#include "lib/base/support/Files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

using namespace proa;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Tensor vectorOf(std::initializer_list<float> elements) {
  Tensor tensor(DType::Float32, {static_cast<int64_t>(elements.size())});
  std::copy(elements.begin(), elements.end(), tensor.as<float>());
  return tensor;
}

class Ir : public testing::Test {
protected:
  Result<Session> open(const std::string &text, ModelOptions options = {}) {
    std::string path = (std::filesystem::path(testing::TempDir()) / "proa-ir-test.mlir").string();
    EXPECT_TRUE(writeFile(path, text));
    options.cacheDirectory = "off";
    return openSession(path, std::move(options));
  }

  std::string diagnosticsOf(const std::string &text, ModelOptions options = {}) {
    auto session = open(text, std::move(options));
    EXPECT_FALSE(session);
    return session ? "" : session.diagnostics().text();
  }
};

const char *const stepProgram = R"(
func.func @main(%x: tensor<?xf32> {pd.feed = "x"}, %w: tensor<2xf32> {pd.param = "w"},
                %y: tensor<2xf32> {pd.feed = "y"})
    -> (tensor<2xf32> {pd.state = "w"}, tensor<2xf32> {pd.fetch = "product"}, tensor<2xf32> {pd.fetch = "sum"}) {
  %0 = pd.multiply %x, %w : (tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = pd.add %w, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1, %0, %1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
})";

TEST_F(Ir, DimsOfOneNameHaveOneSize) {
  auto session = open(R"(
func.func @main(%x: tensor<?x2xf32> {pd.feed = "x", pd.dim_names = ["N", ""]},
                %y: tensor<?xf32> {pd.feed = "y", pd.dim_names = ["N"]})
    -> (tensor<?x2xf32> {pd.fetch = "z"}, tensor<?xf32> {pd.fetch = "w"}) {
  %0 = pd.exp %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = pd.exp %y : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<?xf32>
})");
  ASSERT_TRUE(session) << session.diagnostics().text();
  EXPECT_THAT(session->model().feeds()[0].dimNames, ElementsAre("N", ""));
  Tensor x(DType::Float32, {3, 2});
  std::fill_n(x.as<float>(), x.size(), 0.0F);
  EXPECT_TRUE(session->run({{"x", x}, {"y", vectorOf({1, 2, 3})}}));
  auto differing = session->run({{"x", x}, {"y", vectorOf({1, 2})}});
  ASSERT_FALSE(differing);
  EXPECT_THAT(differing.diagnostics().text(),
              HasSubstr("dim 'N' is 3 in dimension 0 of feed 'x', but 2 in dimension 0 of feed 'y'"));
}

TEST_F(Ir, ResultsOfSequenceBecomeElements) {
  auto session = open(R"(
func.func @main(%rows: tensor<?x2xi64> {pd.feed = "rows"}, %x: tensor<?xf32> {pd.feed = "x"})
    -> (tensor<?xf32> {pd.fetch = "first"}, tensor<?x2xi64> {pd.fetch = "y@ROWS", pd.sequence_of = "y"},
        tensor<?xf32> {pd.fetch = "y@SCALARS", pd.sequence_of = "y"}, tensor<?xf32> {pd.fetch = "last"}) {
  %0 = pd.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %rows, %x, %0 : tensor<?xf32>, tensor<?x2xi64>, tensor<?xf32>, tensor<?xf32>
})");
  ASSERT_TRUE(session) << session.diagnostics().text();
  EXPECT_THAT(session->model().fetches(), ElementsAre("first", "y", "last"));
  Tensor rows(DType::Int64, {2, 2});
  for (int64_t i : {0, 1, 2, 3})
    rows.as<int64_t>()[i] = i < 2 ? 1 : 2;
  auto outputs = session->run({{"rows", rows}, {"x", vectorOf({4, 5, 6})}});
  ASSERT_TRUE(outputs) << outputs.diagnostics().text();
  std::vector<std::string> names;
  for (const NamedTensor &output : *outputs)
    names.push_back(output.name);
  EXPECT_THAT(names, ElementsAre("first", "y", "y[0]", "y[1]", "last"));
  EXPECT_THAT(elementsOf((*outputs)[2].tensor), ElementsAre(4));
  EXPECT_THAT(elementsOf((*outputs)[3].tensor), ElementsAre(5, 6));
}

TEST_F(Ir, AttributesNameArguments) {
  auto session = open(stepProgram);
  ASSERT_TRUE(session) << session.diagnostics().text();
  ASSERT_EQ(session->model().feeds().size(), 2U);
  EXPECT_EQ(session->model().feeds()[0].dims[0], -1);
  EXPECT_EQ(session->model().parameters()[0].name, "w");
  EXPECT_THAT(session->model().fetches(), ElementsAre("product", "sum"));
  ASSERT_TRUE(session->setParameter("w", vectorOf({1, 2})));
  auto run = [&] { return session->run({{"x", vectorOf({3, 4})}, {"y", vectorOf({1, 2})}}); };
  auto outputs = run();
  ASSERT_TRUE(outputs) << outputs.diagnostics().text();
  EXPECT_EQ((*outputs)[0].name, "product");
  EXPECT_THAT(elementsOf((*outputs)[0].tensor), ElementsAre(3, 8));
  EXPECT_EQ((*outputs)[1].name, "sum");
  outputs = run(); // w is state: the last run set it to w + y
  ASSERT_TRUE(outputs) << outputs.diagnostics().text();
  EXPECT_THAT(elementsOf((*outputs)[0].tensor), ElementsAre(6, 16));
}

TEST_F(Ir, PositionsNameOtherArguments) {
  auto session = open("func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {\n"
                      "  %0 = pd.subtract %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
                      "  return %0 : tensor<2xf32>\n}\n");
  ASSERT_TRUE(session) << session.diagnostics().text();
  auto outputs = session->run({{"argument0", vectorOf({3, 4})}, {"argument1", vectorOf({1, 1})}});
  ASSERT_TRUE(outputs) << outputs.diagnostics().text();
  EXPECT_EQ((*outputs)[0].name, "result0");
  EXPECT_THAT(elementsOf((*outputs)[0].tensor), ElementsAre(2, 3));
}

TEST_F(Ir, CallsAreInlined) {
  auto session = open("func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                      "  %0 = pd.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
                      "  return %0 : tensor<2xf32>\n}\n"
                      "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                      "  %0 = call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                      "  %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>\n"
                      "  return %1 : tensor<2xf32>\n}\n");
  ASSERT_TRUE(session) << session.diagnostics().text();
  auto outputs = session->run({{"argument0", vectorOf({3, 4})}});
  ASSERT_TRUE(outputs) << outputs.diagnostics().text();
  EXPECT_THAT(elementsOf((*outputs)[0].tensor), ElementsAre(12, 16));
}

TEST_F(Ir, SomeFetchesNeedSomeFeeds) {
  auto session = open(stepProgram, {.fetches = {"product"}});
  ASSERT_TRUE(session) << session.diagnostics().text();
  ASSERT_EQ(session->model().feeds().size(), 1U);
  ASSERT_TRUE(session->setParameter("w", vectorOf({1, 2})));
  for (int run = 0; run < 2; ++run) { // no state changes
    auto outputs = session->run({{"x", vectorOf({3, 4})}});
    ASSERT_TRUE(outputs) << outputs.diagnostics().text();
    EXPECT_THAT(elementsOf((*outputs)[0].tensor), ElementsAre(3, 8));
  }
}

TEST_F(Ir, WrongFilesAreRefused) {
  const std::string identity = " { return %x : tensor<2xf32> }\n",
                    type = "(%x: tensor<2xf32>) -> tensor<2xf32>";
  EXPECT_THAT(diagnosticsOf("func.func @f(\n%x: tensor<2xf3>)"), HasSubstr("proa-ir-test.mlir:2:"));
  EXPECT_THAT(diagnosticsOf("func.func @f" + type + identity + "func.func @g" + type + identity),
              HasSubstr("expected a function 'main' or one public function"));
  EXPECT_THAT(diagnosticsOf("func.func @forward" + type + identity, {.function = "forwards"}),
              HasSubstr("no function 'forwards'; did you mean 'forward'?"));
  EXPECT_THAT(diagnosticsOf("func.func private @main" + type + "\n"), HasSubstr("has no body"));
  EXPECT_THAT(diagnosticsOf("func.func @f(%x: memref<2xf32>, %y: index) { return }\n"),
              testing::AllOf(HasSubstr("argument 0 is 'memref<2xf32>'"), HasSubstr("argument 1 is 'index'")));
  EXPECT_THAT(diagnosticsOf("func.func @f(%x: tensor<2xf32> {pd.feed = \"x\"}, %y: tensor<2xf32> {pd.feed = "
                            "\"x\"}) { return }\n"),
              HasSubstr("two arguments have the name 'x'"));
  EXPECT_THAT(diagnosticsOf("func.func @f" + type +
                            " { %0 = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                            "  return %0 : tensor<2xf32> }\n"),
              HasSubstr("function 'f' cannot be inlined"));
  EXPECT_THAT(diagnosticsOf(stepProgram, {.fetches = {"sums"}}),
              HasSubstr("no fetch 'sums'; did you mean 'sum'?"));
  EXPECT_THAT(diagnosticsOf(stepProgram, {.amp = AmpOptions()}), HasSubstr("mixed precision"));
}

TEST_F(Ir, WrongFeedsAreRefused) {
  auto session = open(stepProgram);
  ASSERT_TRUE(session) << session.diagnostics().text();
  ASSERT_TRUE(session->setParameter("w", vectorOf({1, 2})));
  auto outputs = session->run({{"y", vectorOf({1, 2, 3})}});
  ASSERT_FALSE(outputs);
  EXPECT_THAT(outputs.diagnostics().text(), HasSubstr("feed 'x' is missing, expected float32[-1]"));
  EXPECT_THAT(outputs.diagnostics().text(), HasSubstr("feed 'y' is float32[3], expected float32[2]"));
}

} // namespace
