// Training programs of the corpus under transforms: recomputation, micro-batches, mixed precision.
#include "lib/check/CaseMeta.h"
#include "lib/check/CaseResult.h"
#include "proa/Model.h"
#include "test/common/OpenSession.h"
#include "translator/params/Safetensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

using namespace proa;

namespace {

struct Training {
  std::vector<double> losses;
  std::vector<double> parameters; ///< all elements after the last step
  int64_t arenaBytes = 0;
};

std::string folderOf(const std::string &name) { return PROA_CORPUS_DIR "/training/" + name; }

check::CaseMeta metaOf(const std::string &name) {
  auto meta = check::readCaseMeta(folderOf(name) + "/meta.json");
  EXPECT_TRUE(meta);
  return *meta;
}

params::Tensors tensorsOf(const std::string &name, const std::string &file) {
  auto tensors = params::readSafetensors(folderOf(name) + "/" + file);
  EXPECT_TRUE(tensors);
  return *tensors;
}

/// Runs all steps of the case; `change` may change the model before each.
Training train(
    const std::string &name, ModelOptions options,
    const std::function<void(Session &, int)> &change = [](Session &, int) {}) {
  check::CaseMeta meta = metaOf(name);
  params::Tensors inputs = tensorsOf(name, "inputs.safetensors");
  options.cacheDirectory = "off";
  options.threads = 1;
  options.feeds = meta.feeds;
  options.fetches = meta.fetches;
  Training training;
  auto session = openSession(folderOf(name), options);
  EXPECT_TRUE(session) << (session ? "" : session.diagnostics().text());
  if (!session)
    return training;
  for (int step = 0; step < meta.steps; ++step) {
    change(*session, step);
    auto outputs = session->run(params::withPrefix(inputs, meta.stepPrefix(step)));
    EXPECT_TRUE(outputs) << (outputs ? "" : outputs.diagnostics().text());
    if (!outputs)
      return training;
    training.losses.push_back(*(*outputs)[0].tensor.as<float>());
  }
  training.arenaBytes = session->arenaBytes();
  for (const auto &[parameter, gradient] : meta.parameterGradients) {
    auto tensor = session->parameter(parameter);
    EXPECT_TRUE(tensor);
    for (int64_t i = 0; tensor && i < tensor->size(); ++i)
      training.parameters.push_back(tensor->as<float>()[i]);
  }
  return training;
}

void expectNear(const Training &found, const Training &expected, double tolerance) {
  ASSERT_EQ(found.losses.size(), expected.losses.size());
  for (size_t i = 0; i < expected.losses.size(); ++i)
    EXPECT_NEAR(found.losses[i], expected.losses[i], tolerance * std::max(1.0, std::abs(expected.losses[i])))
        << "step " << i;
  ASSERT_EQ(found.parameters.size(), expected.parameters.size());
  for (size_t i = 0; i < expected.parameters.size(); ++i)
    ASSERT_NEAR(found.parameters[i], expected.parameters[i],
                tolerance * std::max(1.0, std::abs(expected.parameters[i])))
        << "element " << i;
}

// The same values with less memory in the planner's arena.
TEST(TrainingTest, RecomputationReducesArena) {
  for (const char *name : {"gpt_sgd", "cnn_bn_momentum", "mlp_sgd"}) {
    SCOPED_TRACE(name);
    Training whole = train(name, {}), cheap = train(name, {.memoryBudget = -1}),
             least = train(name, {.memoryBudget = 0});
    RecordProperty(std::string(name) + "_bytes", std::to_string(whole.arenaBytes) + " " +
                                                     std::to_string(cheap.arenaBytes) + " " +
                                                     std::to_string(least.arenaBytes));
    EXPECT_LE(cheap.arenaBytes, whole.arenaBytes);
    EXPECT_LT(least.arenaBytes, whole.arenaBytes * 95 / 100);
    expectNear(cheap, whole, 1e-4);
    expectNear(least, whole, 1e-4);
  }
}

TEST(TrainingTest, MicroBatchesGiveEqualResults) {
  for (const char *name : {"mlp_sgd", "mlp_adam", "mlp_clip_global_norm"}) {
    SCOPED_TRACE(name);
    expectNear(train(name, {.microBatches = 2}), train(name, {}), 1e-5);
  }
}

TEST(TrainingTest, BatchNormalizationIsRefused) {
  auto meta = metaOf("cnn_bn_momentum");
  ModelOptions options{.feeds = meta.feeds, .fetches = meta.fetches, .microBatches = 2};
  auto session = openSession(folderOf("cnn_bn_momentum"), options);
  ASSERT_FALSE(session);
  EXPECT_NE(session.diagnostics().text().find("statistics from the whole batch"), std::string::npos);
}

// Losses are close to float32 losses, but not equal: something was computed in 16 bits.
TEST(TrainingTest, MixedPrecisionLossesAreClose) {
  for (const char *name : {"mlp_sgd", "gpt_sgd", "bert_mlm_adamw", "../../cases/training/rnn_while"})
    for (auto level : {AmpOptions::Level::O1, AmpOptions::Level::O2})
      for (auto dtype : {DType::Float16, DType::BFloat16}) {
        SCOPED_TRACE(std::string(name) + (level == AmpOptions::Level::O1 ? " O1 " : " O2 ") +
                     std::string(nameOf(dtype)));
        AmpOptions amp{
            .level = level, .dtype = dtype, .scaling = AmpOptions::Scaling::Static, .lossScale = 128};
        Training full = train(name, {}), mixed = train(name, {.amp = amp});
        double tolerance = dtype == DType::Float16 ? 1e-2 : 3e-2;
        ASSERT_EQ(mixed.losses.size(), full.losses.size());
        double difference = 0;
        for (size_t i = 0; i < full.losses.size(); ++i) {
          EXPECT_NEAR(mixed.losses[i], full.losses[i], tolerance * std::abs(full.losses[i])) << "step " << i;
          difference += std::abs(mixed.losses[i] - full.losses[i]);
        }
        EXPECT_GT(difference, 0);
      }
}

// A scale that makes gradients infinite: the first steps are skipped and the scale shrinks until gradients
// are finite.
TEST(TrainingTest, DynamicLossScaling) {
  AmpOptions amp{
      .scaling = AmpOptions::Scaling::Dynamic, .lossScale = 1e30, .decreaseEvery = 1, .decreaseRatio = 1e-20};
  std::vector<float> scales;
  std::vector<Tensor> weights;
  auto look = [&](Session &session, int) {
    auto scale = session.parameter("loss_scaling");
    auto weight = session.parameter("fc_0.w_0");
    ASSERT_TRUE(scale && weight);
    scales.push_back(*scale->as<float>());
    weights.push_back(*weight);
  };
  train("mlp_sgd", {.amp = amp}, look);
  ASSERT_EQ(scales.size(), 3U);
  EXPECT_FLOAT_EQ(scales[0], 1e30F);
  EXPECT_NEAR(scales[1], 1e10, 1e5);
  auto same = [](const Tensor &x, const Tensor &y) {
    return std::memcmp(x.data(), y.data(), x.bytes()) == 0;
  };
  EXPECT_TRUE(same(weights[0], weights[1]));
}

/// The startup program places the weights of a recurrent layer in one buffer.
TEST(TrainingTest, SharedBuffersEqualTheirMembers) {
  std::string folder = std::string(PROA_CORPUS_DIR) + "/../cases/training/rnn_average";
  auto session = openSession(folder, {.cacheDirectory = "off"});
  ASSERT_TRUE(session) << (session ? "" : session.diagnostics().text());
  auto elements = [&](const char *name) {
    auto tensor = session->parameter(name);
    EXPECT_TRUE(tensor);
    return std::vector<float>(tensor->as<float>(), tensor->as<float>() + tensor->size());
  };
  Tensor part = *session->parameter("simple_rnn_cell_0.w_1");
  size_t begin = elements("simple_rnn_cell_0.w_0").size();
  std::fill_n(part.as<float>(), part.size(), 7.0F);
  ASSERT_TRUE(session->setParameter("simple_rnn_cell_0.w_1", part));
  std::vector<float> whole = elements("simple_rnn_0.w_0");
  EXPECT_EQ(std::count(whole.begin(), whole.end(), 7.0F), static_cast<ptrdiff_t>(part.size()));
  EXPECT_EQ(whole[begin], 7.0F);
  Tensor buffer = *session->parameter("simple_rnn_0.w_0");
  std::fill_n(buffer.as<float>(), buffer.size(), 3.0F);
  ASSERT_TRUE(session->setParameter("simple_rnn_0.w_0", buffer));
  EXPECT_EQ(elements("simple_rnn_cell_3.b_1").back(), 3.0F);
}

} // namespace
