#include "test/unit/session/Programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <thread>

using namespace proa;
using testing::HasSubstr;

namespace {

Tensor one(float value) {
  Tensor tensor(DType::Float32, {1});
  *tensor.as<float>() = value;
  return tensor;
}

/// The only result of a run; NaN after an error.
float valueOf(Session &session, float x) {
  auto outputs = session.run({{"x", one(x)}});
  EXPECT_TRUE(outputs) << outputs.diagnostics().text();
  return outputs ? *outputs->at(0).tensor.as<float>() : NAN;
}

bool areEqual(const Tensor &a, const Tensor &b) {
  return a.describe() == b.describe() && std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

TEST(Session, HasStatesOfItsOwn) {
  auto model = openCounter();
  ASSERT_TRUE(model) << model.diagnostics().text();
  auto first = model->session(), second = model->session();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(valueOf(*first, 1), 11);
  EXPECT_EQ(valueOf(*first, 2), 13);
  EXPECT_EQ(valueOf(*second, 5), 15);
  EXPECT_EQ(*first->parameter("n")->as<float>(), 13);
  EXPECT_EQ(*model->parameter("n")->as<float>(), 10);
  ASSERT_TRUE(second->setParameter("n", one(0)));
  EXPECT_EQ(valueOf(*second, 1), 1);
  EXPECT_EQ(valueOf(*first, 1), 14);
  auto third = model->session();
  EXPECT_EQ(valueOf(*third, 0), 10);
}

TEST(Session, ParametersThatItSetsAreItsOwn) {
  auto model = openLayers(2, 64);
  ASSERT_TRUE(model) << model.diagnostics().text();
  auto first = model->session(), second = model->session();
  std::map<std::string, Tensor> feeds{{"x", numbers({4, 64}, 9)}};
  Tensor original = first->run(feeds)->at(0).tensor;
  ASSERT_TRUE(second->setParameter("w1", numbers({64, 64}, 77)));
  Tensor changed = second->run(feeds)->at(0).tensor;
  EXPECT_FALSE(areEqual(changed, original));
  EXPECT_TRUE(areEqual(first->run(feeds)->at(0).tensor, original));
  // A session that runs before it gets the parameter is equal to one that runs afterwards.
  ASSERT_TRUE(first->setParameter("w1", numbers({64, 64}, 77)));
  EXPECT_TRUE(areEqual(first->run(feeds)->at(0).tensor, changed));
  EXPECT_TRUE(areEqual(*model->parameter("w1"), numbers({64, 64}, 2)));
  ASSERT_TRUE(second->setParameter("w1", numbers({64, 64}, 2)));
  EXPECT_TRUE(areEqual(second->run(feeds)->at(0).tensor, original));
}

TEST(Session, KeepsItsModel) {
  std::optional<Session> session;
  {
    auto model = openLayers(1, 32);
    ASSERT_TRUE(model);
    session.emplace(std::move(*model->session()));
  }
  EXPECT_TRUE(session->run({{"x", numbers({2, 32}, 1)}}));
  EXPECT_EQ(session->model().feeds().size(), 1U);
}

TEST(Session, CompilesOnceForAllSessions) {
  auto model = openLayers(1, 32);
  ASSERT_TRUE(model);
  auto first = model->session(), second = model->session();
  ASSERT_TRUE(first->prepare({{"x", numbers({2, 32}, 1)}}));
  EXPECT_GT(first->times().compile, 0);
  ASSERT_TRUE(second->prepare({{"x", numbers({2, 32}, 1)}}));
  EXPECT_EQ(second->times().compile, 0);
  EXPECT_EQ(second->times().load, 0);
}

TEST(Session, HasASeed) {
  std::string program = temporaryFile("random.mlir");
  ASSERT_TRUE(writeFile(program,
                        "func.func @main() -> tensor<1xf32> {\n"
                        "  %0 = pd.uniform {shape = array<i64: 1>, dtype = f32} : () -> tensor<1xf32>\n"
                        "  return %0 : tensor<1xf32>\n}\n"));
  auto model = Model::open(program, {.seed = 3, .cacheDirectory = "off"});
  ASSERT_TRUE(model) << model.diagnostics().text();
  auto drawn = [&](std::optional<uint64_t> seed) {
    auto session = model->session({.seed = seed});
    return *session->run({})->at(0).tensor.as<float>();
  };
  EXPECT_EQ(drawn({}), drawn(3));
  EXPECT_NE(drawn({}), drawn(4));
}

TEST(Session, ReportsTwoUsesAtOnce) {
  std::optional<Session> session;
  std::string errors;
  std::map<std::string, Tensor> feeds{{"x", numbers({2, 32}, 1)}};
  // The function is called during prepare().
  auto model = openLayers(1, 32, {.progress = [&](const std::string &, double) {
                            if (!errors.empty())
                              return;
                            std::thread other([&] { errors = session->run(feeds).diagnostics().text(); });
                            other.join();
                          }});
  ASSERT_TRUE(model);
  session.emplace(std::move(*model->session()));
  EXPECT_TRUE(session->prepare(feeds));
  EXPECT_THAT(errors, HasSubstr("another thread uses the session"));
  EXPECT_TRUE(session->run(feeds));
}

/// Each thread has a session; all begin with dims that nobody has compiled for yet.
TEST(Session, EightThreadsRunOneModel) {
  auto model = openLayers(3, 64, {.threads = 2});
  ASSERT_TRUE(model) << model.diagnostics().text();
  constexpr int threads = 8, runs = 20, shapes = 3;
  std::vector<Tensor> expected;
  auto alone = openLayers(3, 64, {.threads = 2});
  auto reference = alone->session();
  auto feedsOf = [](int rows) { return std::map<std::string, Tensor>{{"x", numbers({rows, 64}, rows)}}; };
  for (int rows = 1; rows <= shapes; ++rows)
    expected.push_back(reference->run(feedsOf(rows))->at(0).tensor);
  std::vector<std::string> errors(threads);
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread] {
      auto session = model->session();
      for (int run = 0; run < runs; ++run) {
        int rows = (run + thread) % shapes + 1;
        auto outputs = session->run(feedsOf(rows));
        if (!outputs)
          errors[static_cast<size_t>(thread)] = outputs.diagnostics().text();
        else if (!areEqual(outputs->at(0).tensor, expected[static_cast<size_t>(rows - 1)]))
          errors[static_cast<size_t>(thread)] = fmt::format("run {} differs", run);
      }
    });
  for (std::thread &thread : running)
    thread.join();
  for (const std::string &error : errors)
    EXPECT_EQ(error, "");
}

} // namespace
