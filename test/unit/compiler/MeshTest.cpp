#include "proa/Model.h"
#include "test/common/OpenSession.h"
#include "test/unit/compiler/FloatElements.h"

#include "lib/base/support/Files.h"
#include "translator/params/Safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

using namespace proa;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Tensor matrix(int64_t rows, int64_t columns, float first, float step) {
  Tensor tensor(DType::Float32, {rows, columns});
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<float>()[i] = first + step * static_cast<float>(i % 7);
  return tensor;
}

std::vector<float> product(const Tensor &a, const Tensor &b) {
  int64_t rows = a.dims()[0], inner = a.dims()[1], columns = b.dims()[1];
  std::vector<float> result(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t k = 0; k < inner; ++k)
        result[i * columns + j] += a.as<float>()[i * inner + k] * b.as<float>()[k * columns + j];
  return result;
}

std::string pathOf(const std::string &name) {
  return (std::filesystem::path(testing::TempDir()) / ("proa-mesh-test-" + name)).string();
}

Result<Session> open(const std::string &text, MeshOptions mesh, const std::string &cache = "off") {
  std::string path = pathOf("program.mlir");
  EXPECT_TRUE(writeFile(path, text));
  mesh.simulate = true;
  return openSession(path, {.cacheDirectory = cache, .mesh = mesh});
}

std::string diagnosticsOf(const std::string &text, const MeshOptions &mesh) {
  auto session = open(text, mesh);
  if (!session)
    return session.diagnostics().text();
  EXPECT_TRUE(session->setParameter("w", matrix(6, 4, 1, 1)));
  auto ran = session->run({{"x", matrix(5, 6, 0, 1)}});
  EXPECT_FALSE(ran);
  return ran ? "" : ran.diagnostics().text();
}

/// y = x w, then w doubles. The weight of a sharded program is split in uneven rows.
const char *const annotated = R"(
dist.mesh @m = <["mp"=4]>
func.func @main(%x: tensor<5x6xf32> {pd.feed = "x"},
                %w: tensor<6x4xf32> {pd.param = "w", dist.sharding = #dist.sharding<@m, [{"mp"}, {}]>})
    -> (tensor<5x4xf32> {pd.fetch = "y"}, tensor<6x4xf32> {pd.state = "w"}) {
  %0 = pd.matmul %x, %w : (tensor<5x6xf32>, tensor<6x4xf32>) -> tensor<5x4xf32>
  %1 = pd.add %w, %w : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0, %1 : tensor<5x4xf32>, tensor<6x4xf32>
})";

/// The same without shardings.
const char *const plainProgram = R"(
func.func @main(%x: tensor<?x6xf32> {pd.feed = "x"}, %w: tensor<6x4xf32> {pd.param = "w"})
    -> (tensor<?x4xf32> {pd.fetch = "y"}, tensor<6x4xf32> {pd.state = "w"}) {
  %0 = pd.matmul %x, %w : (tensor<?x6xf32>, tensor<6x4xf32>) -> tensor<?x4xf32>
  %1 = pd.add %w, %w : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<6x4xf32>
})";

/// In local form, for each of two ranks: x is split by rows, and so is y.
const char *const local = R"(
dist.mesh @m = <["dp"=2]>
func.func @main(%x: tensor<2x6xf32> {pd.feed = "x", dist.global = tensor<4x6xf32>,
                 dist.sharding = #dist.sharding<@m, [{"dp"}, {}]>},
                %w: tensor<6x4xf32> {pd.param = "w", dist.global = tensor<6x4xf32>,
                 dist.sharding = #dist.sharding<@m, [{}, {}]>})
    -> (tensor<2x4xf32> {pd.fetch = "y", dist.global = tensor<4x4xf32>,
         dist.sharding = #dist.sharding<@m, [{"dp"}, {}]>}) {
  %0 = pd.matmul %x, %w : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
})";

TEST(Mesh, LocalFormRunsOnShards) {
  auto session = open(local, {});
  ASSERT_TRUE(session) << session.diagnostics().text();
  EXPECT_THAT(session->model().feeds()[0].dims, ElementsAre(4, 6));
  Tensor x = matrix(4, 6, -2, 1), w = matrix(6, 4, 3, -0.5);
  ASSERT_TRUE(session->setParameter("w", w));
  for (int run = 0; run < 2; ++run) {
    auto outputs = session->run({{"x", x}});
    ASSERT_TRUE(outputs) << outputs.diagnostics().text();
    EXPECT_THAT((*outputs)[0].tensor.dims(), ElementsAre(4, 4));
    EXPECT_EQ(elementsOf((*outputs)[0].tensor), product(x, w));
  }
}

TEST(Mesh, StateStaysDistributed) {
  auto session = open(annotated, {});
  ASSERT_TRUE(session) << session.diagnostics().text();
  Tensor x = matrix(5, 6, -2, 1), w = matrix(6, 4, 3, -0.5);
  ASSERT_TRUE(session->setParameter("w", w));
  std::vector<float> expected = product(x, w);
  for (float factor = 1; factor <= 4; factor *= 2) {
    auto outputs = session->run({{"x", x}});
    ASSERT_TRUE(outputs) << outputs.diagnostics().text();
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ((*outputs)[0].tensor.as<float>()[i], factor * expected[i]);
  }
  auto last = session->parameter("w");
  ASSERT_TRUE(last) << last.diagnostics().text();
  for (int64_t i = 0; i < w.size(); ++i)
    EXPECT_EQ(last->as<float>()[i], 8 * w.as<float>()[i]);
  ASSERT_TRUE(session->setParameter("w", w)); // replaces the distributed value
  EXPECT_EQ(elementsOf(*session->parameter("w")), elementsOf(w));
  auto again = session->run({{"x", x}});
  ASSERT_TRUE(again) << again.diagnostics().text();
  EXPECT_EQ(elementsOf((*again)[0].tensor), expected);
  ASSERT_TRUE(session->saveParameters(pathOf("w.safetensors")));
  auto saved = params::readSafetensors(pathOf("w.safetensors"));
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->at("w").as<float>()[5], 2 * w.as<float>()[5]);
}

TEST(Mesh, StrategySplitsTheBatch) {
  for (const char *axes : {"dp=1", "dp=2", "dp=3", "dp=2,mp=2"}) {
    std::string strategy = axes == std::string("dp=2,mp=2") ? "dp,mp" : "dp";
    auto session = open(plainProgram, {.axes = axes, .strategy = strategy});
    ASSERT_TRUE(session) << session.diagnostics().text();
    Tensor w = matrix(6, 4, 3, -0.5);
    ASSERT_TRUE(session->setParameter("w", w));
    for (int64_t rows : {7, 2}) { // also uneven shards, and an empty one
      Tensor x = matrix(rows, 6, -2, 1);
      auto outputs = session->run({{"x", x}});
      ASSERT_TRUE(outputs) << axes << outputs.diagnostics().text();
      std::vector<float> expected = product(x, w);
      for (float &element : expected)
        element *= rows == 7 ? 1 : 2;
      EXPECT_EQ(elementsOf((*outputs)[0].tensor), expected) << axes;
    }
  }
}

TEST(Mesh, CompiledProgramsAreCached) {
  std::filesystem::remove_all(pathOf("cache"));
  for (const char *axes : {"dp=2", "dp=3", "dp=2"}) {
    bool isSecond = axes == std::string("dp=2") && std::filesystem::exists(pathOf("seen"));
    auto session = open(plainProgram, {.axes = axes, .strategy = "dp"}, pathOf("cache"));
    ASSERT_TRUE(session) << session.diagnostics().text();
    Tensor x = matrix(7, 6, -2, 1), w = matrix(6, 4, 3, -0.5);
    ASSERT_TRUE(session->setParameter("w", w));
    auto outputs = session->run({{"x", x}});
    ASSERT_TRUE(outputs) << outputs.diagnostics().text();
    EXPECT_EQ(elementsOf((*outputs)[0].tensor), product(x, w));
    EXPECT_EQ(session->times().fromCache, isSecond) << axes;
    ASSERT_TRUE(writeFile(pathOf("seen"), ""));
  }
  std::filesystem::remove(pathOf("seen"));
}

TEST(Mesh, ShardingsComeFromTextOrFile) {
  std::string text = R"({"shardings": [{"name": "w", "sharding": "[{}, {mp}]"}]})";
  ASSERT_TRUE(writeFile(pathOf("shardings.json"), text));
  for (const std::string &shardings : {text, pathOf("shardings.json")}) {
    auto session = open(plainProgram, {.axes = "mp=2", .shardings = shardings});
    ASSERT_TRUE(session) << session.diagnostics().text();
    Tensor x = matrix(3, 6, -2, 1), w = matrix(6, 4, 3, -0.5);
    ASSERT_TRUE(session->setParameter("w", w));
    auto outputs = session->run({{"x", x}});
    ASSERT_TRUE(outputs) << outputs.diagnostics().text();
    EXPECT_EQ(elementsOf((*outputs)[0].tensor), product(x, w));
  }
}

TEST(Mesh, WrongOptionsAreRefused) {
  EXPECT_THAT(diagnosticsOf(plainProgram, {.axes = "dp=2x"}),
              HasSubstr("found 'dp=2x', expected axes and sizes"));
  EXPECT_THAT(diagnosticsOf(plainProgram, {.axes = "dp=0"}), HasSubstr("expected axes and sizes"));
  EXPECT_THAT(diagnosticsOf(plainProgram, {.axes = "dp=2,dp=2"}), HasSubstr("axis 'dp' occurs twice"));
  EXPECT_THAT(diagnosticsOf(plainProgram, {.axes = "dp=2", .shardings = pathOf("missing.json")}),
              HasSubstr("missing.json"));
  EXPECT_THAT(diagnosticsOf(plainProgram, {.axes = "mp=2", .strategy = "dp"}),
              HasSubstr("'dp' splits over the axis 'dp', which the mesh 'mp=2' lacks"));
  EXPECT_THAT(diagnosticsOf(annotated, {.axes = "mp=2"}), HasSubstr("the program has mesh @m"));
}

} // namespace
