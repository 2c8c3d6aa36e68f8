#include "proa/Model.h"
#include "test/common/OpenSession.h"

#include "lib/base/support/Files.h"
#include "lib/base/tensors/Compare.h"
#include "translator/params/ModelTensors.h"
#include "translator/params/PaddleParams.h"
#include "translator/params/Safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <set>
#include <tuple>

using namespace proa;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::string corpus = PROA_CORPUS_DIR, cases = corpus + "/../cases";

params::Tensors tensorsOf(const std::string &file) {
  auto tensors = params::readSafetensors(file);
  EXPECT_TRUE(tensors) << (tensors ? "" : tensors.diagnostics().text());
  return tensors ? *tensors : params::Tensors();
}

std::string diagnosticsOf(const Result<void> &result) { return result ? "" : result.diagnostics().text(); }

Tensor scalar(float value) {
  Tensor tensor(DType::Float32, {});
  *tensor.as<float>() = value;
  return tensor;
}

bool isSame(const Tensor &a, const Tensor &b) {
  return a.describe() == b.describe() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

/// A model of training/mlp_noam, the inputs of its first step, and the state that Python sets before it.
class Training : public testing::Test {
protected:
  void SetUp() override {
    auto opened =
        openSession(folder, {.cacheDirectory = "off", .feeds = {"x", "y"}, .fetches = {"mean_0.tmp_0"}});
    ASSERT_TRUE(opened) << opened.diagnostics().text();
    session.emplace(std::move(*opened));
    feeds = params::withPrefix(tensorsOf(folder + "/inputs.safetensors"), "step0/");
    feeds.erase("learning_rate_0");
  }

  std::string file(const std::string &name) {
    return (std::filesystem::path(testing::TempDir()) / ("proa-model-test-" + name)).string();
  }

  std::string folder = corpus + "/training/mlp_noam";
  std::optional<Session> session;
  params::Tensors feeds;
};

TEST_F(Training, StateIsSetBetweenRuns) {
  Tensor before = *session->parameter("fc_0.w_0");
  ASSERT_TRUE(session->setParameter("learning_rate_0", scalar(0)));
  ASSERT_TRUE(session->run(feeds));
  EXPECT_TRUE(isSame(*session->parameter("fc_0.w_0"), before));
  ASSERT_TRUE(session->setParameter("learning_rate_0", scalar(0.1F)));
  ASSERT_TRUE(session->run(feeds));
  EXPECT_FALSE(isSame(*session->parameter("fc_0.w_0"), before));
  ASSERT_TRUE(session->setParameter("fc_0.w_0", before)); // state that the program changes
  EXPECT_TRUE(isSame(*session->parameter("fc_0.w_0"), before));
}

TEST_F(Training, WrongStateIsRefused) {
  EXPECT_THAT(diagnosticsOf(session->setParameter("learning_rate", scalar(0))),
              HasSubstr("no parameter or state variable 'learning_rate'; did you mean 'learning_rate_0'?"));
  EXPECT_THAT(diagnosticsOf(session->setParameter("learning_rate_0", Tensor(DType::Float64, {}))),
              HasSubstr("'learning_rate_0' is set to float64[], expected float32[]"));
  EXPECT_THAT(diagnosticsOf(session->setParameter("learning_rate_0", Tensor(DType::Float32, {2}))),
              HasSubstr("is set to float32[2], expected float32[]"));
}

TEST_F(Training, ParametersAreSaved) {
  ASSERT_TRUE(session->run(feeds));
  ASSERT_EQ(diagnosticsOf(session->saveParameters(file("p.safetensors"))), "");
  ASSERT_EQ(diagnosticsOf(session->saveParameters(file("p.pdiparams"))), "");
  params::Tensors saved = tensorsOf(file("p.safetensors"));
  std::vector<std::string> names;
  for (const auto &[name, tensor] : saved) {
    EXPECT_TRUE(isSame(tensor, *session->parameter(name))) << name;
    names.push_back(name);
  }
  EXPECT_EQ(names.size(), 7U);
  auto combined = params::readCombinedParams(file("p.pdiparams"), names);
  ASSERT_TRUE(combined) << combined.diagnostics().text();
  for (const auto &[name, tensor] : *combined)
    EXPECT_TRUE(isSame(tensor, saved.at(name))) << name;
  EXPECT_THAT(diagnosticsOf(session->saveParameters(file("p.npz"))),
              HasSubstr("saved as *.safetensors or *.pdiparams"));
  EXPECT_FALSE(std::filesystem::exists(file("p.npz")));
}

/// Another learning rate gives the same loss, because this subgraph has no update.
TEST_F(Training, SubgraphNeedsNoLabels) {
  std::vector<Diagnostic> warnings;
  auto subgraph =
      openSession(folder, {.cacheDirectory = "off",
                           .feeds = {"x"},
                           .fetches = {"fc_2.tmp_1"},
                           .onDiagnostic = [&](const Diagnostic &given) { warnings.push_back(given); }});
  ASSERT_TRUE(subgraph) << subgraph.diagnostics().text();
  ASSERT_EQ(subgraph->model().feeds().size(), 1U);
  auto outputs = subgraph->run({{"x", feeds.at("x")}});
  ASSERT_TRUE(outputs) << outputs.diagnostics().text();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, "pruned-state");
  auto whole = openSession(folder, {.cacheDirectory = "off", .feeds = {"x", "y"}, .fetches = {"fc_2.tmp_1"}});
  ASSERT_TRUE(whole) << whole.diagnostics().text();
  auto expected = whole->run(feeds);
  ASSERT_TRUE(expected) << expected.diagnostics().text();
  // The whole program keeps values for its gradients, so that the sums of the two may be rounded differently.
  Comparison comparison = compare((*outputs)[0].tensor, (*expected)[0].tensor);
  EXPECT_TRUE(comparison.passed()) << comparison.reason;
}

TEST(ModelTest, WarningsAreReportedOnce) {
  std::vector<Diagnostic> warnings;
  ModelOptions options{.cacheDirectory = "off",
                       .feeds = {"x"},
                       .fetches = {"array_read_0.tmp_0", "p", "array_length_0.tmp_0", "p_i"},
                       .onDiagnostic = [&](const Diagnostic &given) { warnings.push_back(given); }};
  std::string folder = cases + "/control/lod_array";
  auto session = openSession(folder, options);
  ASSERT_TRUE(session) << session.diagnostics().text();
  ASSERT_FALSE(warnings.empty());
  for (const Diagnostic &warning : warnings) {
    EXPECT_EQ(warning.severity, Diagnostic::Severity::Warning);
    EXPECT_THAT(warning.file, HasSubstr("lod_array/program.json"));
    EXPECT_GE(warning.op, 0);
    EXPECT_FALSE(warning.opType.empty() || warning.code.empty() || warning.message.empty());
    EXPECT_THAT(warning.text(), testing::StartsWith("warning: " + folder));
  }
  // Two levels where the program declares one: it is imported again.
  Tensor x = tensorsOf(folder + "/inputs.safetensors").at("x");
  x.setLod({{0, 2, 3}, {0, 2, 6, 7}});
  (void)session->run({{"x", x}});
  std::set<std::tuple<std::string, std::string, int64_t>> different;
  for (const Diagnostic &warning : warnings)
    different.emplace(warning.code, warning.variable, warning.op);
  EXPECT_EQ(warnings.size(), different.size());
}

TEST(ModelTest, InvalidTensorsAreErrors) {
  auto session = openSession(corpus + "/models/vision/lenet", {.cacheDirectory = "off"});
  ASSERT_TRUE(session) << session.diagnostics().text();
  std::vector<int64_t> dims{1, 1, 28, 28};
  EXPECT_THAT(session->run({{"image", Tensor(DType::Float32, dims, nullptr, nullptr)}}).diagnostics().text(),
              HasSubstr("feed 'image' has no data, but it is float32[1, 1, 28, 28]"));
  EXPECT_THAT(session->run({{"image", Tensor(DType::Float32, {-1, 1, 28, 28})}}).diagnostics().text(),
              HasSubstr("feed 'image' has the dims [-1, 1, 28, 28], expected non-negative ones"));
  const std::string weight = session->model().parameters().front().name;
  Tensor value = *session->parameter(weight);
  EXPECT_THAT(session->setParameter(weight, Tensor(value.dtype(), value.dims(), nullptr, nullptr))
                  .diagnostics()
                  .text(),
              HasSubstr("the value of parameter '" + weight + "' has no data"));
}

TEST(ModelTest, ProgramWithoutFetchOpsReturnsUnreadValues) {
  std::vector<Diagnostic> warnings;
  auto session = openSession(
      corpus + "/training/mlp_sgd",
      {.cacheDirectory = "off", .onDiagnostic = [&](const Diagnostic &given) { warnings.push_back(given); }});
  ASSERT_TRUE(session) << session.diagnostics().text();
  EXPECT_THAT(session->model().fetches(), testing::ElementsAre("mean_0.tmp_0"));
  EXPECT_TRUE(session->model().isTraining());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, "no-fetch");
}

/// The program is imported for the dims that a parameter holds, and again for others.
TEST(ModelTest, ShapeParameterChanges) {
  std::string folder = cases + "/ops/reshape2/shape_parameter_broadcast";
  auto session = openSession(folder, {.cacheDirectory = "off", .feeds = {"x"}, .fetches = {"tmp_0"}});
  ASSERT_TRUE(session) << session.diagnostics().text();
  params::Tensors feeds = tensorsOf(folder + "/inputs.safetensors");
  Tensor expected = tensorsOf(folder + "/expected.safetensors").at("tmp_0");
  auto shapeOf = [](int32_t rows, int32_t columns) {
    Tensor shape(DType::Int32, {2});
    shape.as<int32_t>()[0] = rows;
    shape.as<int32_t>()[1] = columns;
    return shape;
  };
  Tensor shape = shapeOf(1, 6);
  for (int run = 0; run < 2; ++run) {
    auto outputs = session->run(feeds);
    ASSERT_TRUE(outputs) << outputs.diagnostics().text();
    EXPECT_TRUE(compare((*outputs)[0].tensor, expected).passed());
    ASSERT_TRUE(session->setParameter("shape", shapeOf(2, 3)));
    EXPECT_THAT(session->run(feeds).diagnostics().text(), HasSubstr("elementwise_add"));
    ASSERT_TRUE(session->setParameter("shape", shape));
  }
  EXPECT_TRUE(isSame(*session->parameter("shape"), shape));
}

} // namespace
