// Checkpoints from any strategy to any other, on simulated ranks. Environment:
//   PROA_CHECKPOINT_PAIRS: number of random pairs (16); PROA_RANDOM_SEED: seed of the pairs (1)
#include "lib/checkpoint/Checkpoint.h"
#include "lib/checkpoint/Convert.h"
#include "lib/compiler/api/CheckpointLayout.h"
#include "translator/params/ModelMeta.h"
#include "translator/params/ModelTensors.h"
#include "translator/params/Safetensors.h"

#include "proa/Model.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

using namespace proa;
using testing::HasSubstr;

namespace {

namespace fs = std::filesystem;

constexpr const char *axes = "a=2,b=3";

unsigned numberFrom(const char *variable, unsigned otherwise) {
  const char *text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

/// A folder of a test, which is empty at first.
std::string newFolder(const std::string &name) {
  fs::path folder = fs::path(testing::TempDir()) / fmt::format("proa-checkpoint-{}-{}", ::getpid(), name);
  fs::remove_all(folder);
  return folder.string();
}

/// A training program of the corpus, opened on the ranks of strategies.
class Training {
public:
  explicit Training(const std::string &program) : folder(PROA_CORPUS_DIR + ("/" + program)) {
    meta = *params::readModelMeta(folder + "/meta.json");
    inputs = *params::readSafetensors(folder + "/inputs.safetensors");
  }

  /// `strategy` is one, or JSON of shardings on the mesh of `axes`; "": one device.
  const Model &model(const std::string &strategy) {
    auto found = models.find(strategy);
    if (found != models.end())
      return found->second;
    ModelOptions options{.cacheDirectory = "off", .feeds = meta.feeds, .fetches = meta.fetches};
    if (strategy.starts_with("{"))
      options.mesh = MeshOptions{.axes = axes, .shardings = strategy, .strategy = "", .simulate = true};
    else if (!strategy.empty())
      options.mesh = MeshOptions{.axes = "", .shardings = "", .strategy = strategy, .simulate = true};
    Result<Model> opened = Model::open(folder, options);
    EXPECT_TRUE(opened) << strategy << ": " << opened.diagnostics().text();
    return models.emplace(strategy, std::move(*opened)).first->second;
  }

  params::Tensors feeds(int step) const {
    return params::withPrefix(inputs, params::ModelMeta::stepPrefix(step % 3));
  }

  void run(Session &session, int steps) {
    for (int step = 0; step < steps; ++step) {
      auto ran = session.run(feeds(step));
      ASSERT_TRUE(ran) << ran.diagnostics().text();
    }
  }

private:
  std::string folder;
  params::ModelMeta meta;
  params::Tensors inputs;
  std::map<std::string, Model> models;
};

/// Random shardings of the parameters and states of mlp_adamw: uneven shards too.
std::string randomShardings(std::mt19937 &random) {
  std::string entries;
  for (const char *name : {"fc_*.w_0", "fc_*.w_0_moment1_0", "fc_*.w_0_moment2_0"}) {
    static constexpr const char *choices[] = {"[{a}, {}]",    "[{}, {b}]",    "[{a}, {b}]", "[{b}, {a}]",
                                              "[{a, b}, {}]", "[{}, {b, a}]", "[{}, {}]"};
    entries += fmt::format("{}{{\"name\": \"{}\", \"sharding\": \"{}\"}}", entries.empty() ? "" : ", ", name,
                           choices[random() % std::size(choices)]);
  }
  return fmt::format("{{\"shardings\": [{}]}}", entries);
}

/// Saves after some steps under one strategy, and loads under another.
void checkPair(Training &training, const std::string &from, const std::string &to, std::mt19937 &random) {
  SCOPED_TRACE("from '" + from + "' to '" + to + "'");
  Result<Session> source = training.model(from).session(), target = training.model(to).session();
  ASSERT_TRUE(source && target);
  std::string first = newFolder("first"), second = newFolder("second");
  int steps = 1 + static_cast<int>(random() % 2);
  training.run(*source, steps);
  ASSERT_TRUE(source->saveCheckpoint(first, {.step = steps, .inBackground = random() % 2 == 0}));
  Result<void> finished = source->finishCheckpoint();
  ASSERT_TRUE(finished) << finished.diagnostics().text();
  bool hasRun = random() % 2 == 0;
  if (hasRun)
    training.run(*target, 1);
  else if (random() % 2 == 0)
    ASSERT_TRUE(target->prepare(training.feeds(0)));
  Result<int64_t> loaded = target->loadCheckpoint(first);
  ASSERT_TRUE(loaded) << loaded.diagnostics().text();
  EXPECT_EQ(*loaded, steps);

  auto opened = checkpoints::Checkpoint::open(first);
  ASSERT_TRUE(opened) << opened.diagnostics().text();
  for (const auto &[name, entry] : opened->catalog().tensors) {
    Result<Tensor> saved = source->parameter(name), restored = target->parameter(name),
                   stored = opened->read(name);
    ASSERT_TRUE(saved && restored && stored) << name;
    EXPECT_EQ(std::memcmp(saved->data(), restored->data(), saved->bytes()), 0) << name;
    EXPECT_EQ(std::memcmp(saved->data(), stored->data(), saved->bytes()), 0) << name;
  }
  ASSERT_TRUE(target->saveCheckpoint(second, {.step = steps}));
  auto again = checkpoints::Checkpoint::open(second);
  ASSERT_TRUE(again) << again.diagnostics().text();
  EXPECT_THAT(*checkpoints::differences(*opened, *again), testing::IsEmpty());
  fs::remove_all(first);
  fs::remove_all(second);
}

/// A session with other values gets the values of another session.
void checkCopy(Training &training, const std::string &from, const std::string &to, std::mt19937 &random) {
  SCOPED_TRACE("from '" + from + "' to '" + to + "'");
  Result<Session> source = training.model(from).session(), target = training.model(to).session();
  ASSERT_TRUE(source && target);
  training.run(*source, 1);
  if (random() % 4 != 0)
    training.run(*target, 2);
  Result<void> copied = target->copyValues(*source);
  ASSERT_TRUE(copied) << copied.diagnostics().text();
  for (const TensorInfo &info : source->model().parameters()) {
    Result<Tensor> original = source->parameter(info.name), copy = target->parameter(info.name);
    ASSERT_TRUE(original && copy) << info.name;
    EXPECT_EQ(std::memcmp(original->data(), copy->data(), original->bytes()), 0) << info.name;
  }
  training.run(*target, 1); // with these values
}

/// The number of the rank in the name of a file: "model-00001-00003-of-00004.safetensors" is 2.
int64_t rankOf(const std::string &file) { return std::stoll(file.substr(std::strlen("model-00001-"))) - 1; }

} // namespace

TEST(SessionCheckpoint, RandomPairsOfStrategiesKeepEachBit) {
  unsigned pairs = numberFrom("PROA_CHECKPOINT_PAIRS", 16), seed = numberFrom("PROA_RANDOM_SEED", 1);
  std::mt19937 random(seed);
  Training mlp("training/mlp_adamw"), experts("../cases/training/moe_sgd");
  std::vector<std::string> ofMlp = {
      "",          "dp2",       "dp4",           "mp2",           "dp2,zero1",
      "dp2,zero2", "dp4,zero3", "dp2,mp2,zero1", "dp2,mp2,zero3", "pp2,1f1b,acc2"};
  for (unsigned i = 0; i < 2 + pairs / 10; ++i)
    ofMlp.push_back(randomShardings(random));
  const std::vector<std::string> ofExperts = {"", "ep2", "dp2,ep2", "dp2,zero3", "mp2,dp2"};
  for (unsigned pair = 0; pair < pairs && !testing::Test::HasFailure(); ++pair) {
    SCOPED_TRACE(fmt::format("pair {} of PROA_RANDOM_SEED={}", pair, seed));
    bool hasExperts = pair % 4 == 3;
    const std::vector<std::string> &strategies = hasExperts ? ofExperts : ofMlp;
    std::string from = strategies[random() % strategies.size()],
                to = strategies[random() % strategies.size()];
    checkPair(hasExperts ? experts : mlp, from, to, random);
  }
}

TEST(SessionCheckpoint, ValuesMoveBetweenStrategies) {
  std::mt19937 random(numberFrom("PROA_RANDOM_SEED", 1));
  Training mlp("training/mlp_adamw");
  std::vector<std::string> strategies = {"",          "dp2",           "mp2",          "dp2,zero1",
                                         "dp4,zero3", "dp2,mp2,zero3", "pp2,1f1b,acc2"};
  strategies.push_back(randomShardings(random));
  for (unsigned pair = 0; pair < 10 && !testing::Test::HasFailure(); ++pair)
    checkCopy(mlp, strategies[random() % strategies.size()], strategies[random() % strategies.size()],
              random);
}

TEST(SessionCheckpoint, ValuesOfAnotherProgramAreRefused) {
  Training mlp("training/mlp_adamw"), other("training/mlp_sgd");
  Result<Session> source = other.model("").session(), target = mlp.model("").session();
  ASSERT_TRUE(source && target);
  Result<void> copied = target->copyValues(*source);
  ASSERT_FALSE(copied);
  EXPECT_THAT(copied.diagnostics().text(),
              HasSubstr("has no value for the variable 'fc_0.b_0_beta1_pow_acc_0'"));
  EXPECT_TRUE(target->copyValues(*target));
}

TEST(SessionCheckpoint, LayoutIsKnownWithoutARun) {
  std::mt19937 random(5);
  Training mlp("training/mlp_adamw"), experts("../cases/training/moe_sgd");
  std::string folder = newFolder("layout");
  auto check = [&](Training &training, const std::string &strategy) {
    SCOPED_TRACE(strategy);
    Result<Session> session = training.model(strategy).session();
    ASSERT_TRUE(session);
    training.run(*session, 1);
    ASSERT_TRUE(session->saveCheckpoint(folder));
    auto saved = checkpoints::Checkpoint::open(folder);
    auto layout = checkpointLayout(training.model(strategy), training.feeds(0));
    ASSERT_TRUE(saved && layout) << layout.diagnostics().text();
    auto placed = (*layout)->place(saved->catalog().tensors);
    ASSERT_TRUE(placed) << placed.diagnostics().text();
    for (const auto &[name, shards] : saved->catalog().shards) {
      std::map<std::string, int64_t> actual, expected;
      for (const checkpoints::ShardEntry &shard : shards)
        expected[checkpoints::toText(shard.box)] = rankOf(shard.file);
      for (const checkpoints::StoredBox &box : placed->at(name))
        actual[checkpoints::toText(box.box)] = box.file;
      EXPECT_EQ(actual, expected) << name;
    }
    fs::remove_all(folder);
  };
  for (const char *strategy : {"dp2", "dp2,mp2,zero1", "dp4,zero3", "mp2,amp", "pp2,1f1b,acc2"})
    check(mlp, strategy);
  check(mlp, randomShardings(random));
  check(experts, "dp2,ep2");
}

TEST(SessionCheckpoint, LayoutNamesWhatDoesNotFit) {
  Training mlp("training/mlp_adamw");
  auto none = checkpointLayout(mlp.model(""), mlp.feeds(0));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.diagnostics().text(), HasSubstr("the model has no mesh"));
  auto unfed = checkpointLayout(mlp.model("dp2"), {});
  ASSERT_FALSE(unfed);
  EXPECT_THAT(unfed.diagnostics().text(), HasSubstr("is missing"));
  auto layout = checkpointLayout(mlp.model("dp2"), mlp.feeds(0));
  ASSERT_TRUE(layout) << layout.diagnostics().text();
  auto place = [&](const std::string &name, DType dtype, std::vector<int64_t> dims) {
    auto placed = (*layout)->place({{name, {dtype, std::move(dims)}}});
    return placed ? "no error" : placed.diagnostics().text();
  };
  EXPECT_THAT(place("fc_0.w_1", DType::Float32, {10, 16}),
              HasSubstr("tensor 'fc_0.w_1': the program has no such variable; did you mean 'fc_0.w_0'"));
  EXPECT_THAT(place("fc_0.w_0", DType::Float32, {10, 17}),
              HasSubstr("tensor 'fc_0.w_0': is float32[10, 17], expected float32[10, 16] as in the program"));
  EXPECT_THAT(place("fc_0.w_0", DType::Float64, {10, 16}), HasSubstr("is float64[10, 16]"));
}

TEST(SessionCheckpoint, NumberOfStepsIsChecked) {
  Training mlp("training/mlp_adamw");
  Result<Session> session = mlp.model("").session();
  ASSERT_TRUE(session);
  Result<void> saved = session->saveCheckpoint(newFolder("steps"), {.step = -1});
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.diagnostics().text(), HasSubstr("found -1 completed steps, expected 0 or more"));
}
