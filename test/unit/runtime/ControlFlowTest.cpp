#include "lib/runtime/run/Executable.h"
#include "test/unit/runtime/KernelHarness.h"

#include <gmock/gmock.h>

namespace proa::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Compiled kernels, written by hand with the compiler's calling convention, for single numbers.

void less(void *const *buffers, const int64_t *, int64_t, int64_t) {
  *static_cast<bool *>(buffers[2]) =
      *static_cast<int64_t *>(buffers[0]) < *static_cast<int64_t *>(buffers[1]);
}
void increment(void *const *buffers, const int64_t *, int64_t, int64_t) {
  *static_cast<int64_t *>(buffers[1]) = *static_cast<int64_t *>(buffers[0]) + 1;
}
void twice(void *const *buffers, const int64_t *, int64_t, int64_t) {
  *static_cast<float *>(buffers[1]) = *static_cast<float *>(buffers[0]) * 2;
}

void *resolveScalar(const std::string &symbol) {
  static const std::map<std::string, void *> symbols{{"less", reinterpret_cast<void *>(less)},
                                                     {"increment", reinterpret_cast<void *>(increment)},
                                                     {"twice", reinterpret_cast<void *>(twice)}};
  auto found = symbols.find(symbol);
  return found == symbols.end() ? nullptr : found->second;
}

Step kernelStep(const std::string &symbol, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
  Step step;
  step.symbol = step.label = symbol;
  step.inputs = std::move(inputs);
  step.outputs = std::move(outputs);
  step.location = "net.py:" + std::to_string(step.outputs.front());
  return step;
}

/// i = 0; while (i < n) { i = i + 1; (x, y) = (y, 2 * x); } with n, x, y fed.
Plan loopPlan() {
  Plan plan;
  auto scalar = [&](DType dtype, Storage storage, const std::string &name) {
    plan.values.push_back({dtype, {}, storage, 0, none, name});
    return static_cast<ValueId>(plan.values.size() - 1);
  };
  ValueId n = scalar(DType::Int64, Storage::Feed, "n"), x = scalar(DType::Float32, Storage::Feed, "x"),
          y = scalar(DType::Float32, Storage::Feed, "y"),
          zero = scalar(DType::Int64, Storage::Constant, "zero");
  ValueId i = scalar(DType::Int64, Storage::Dynamic, "i"), a = scalar(DType::Float32, Storage::Dynamic, "a"),
          b = scalar(DType::Float32, Storage::Dynamic, "b"),
          continues = scalar(DType::Bool, Storage::Arena, "continues");
  ValueId next = scalar(DType::Int64, Storage::Dynamic, "next"),
          doubled = scalar(DType::Float32, Storage::Dynamic, "doubled");
  ValueId lastA = scalar(DType::Float32, Storage::Dynamic, "lastA"),
          lastB = scalar(DType::Float32, Storage::Dynamic, "lastB"),
          lastI = scalar(DType::Int64, Storage::Dynamic, "lastI");
  Step loop;
  loop.kind = StepKind::While;
  loop.symbol = "while";
  loop.location = "net.py:100";
  loop.inputs = {zero, x, y};
  loop.bodies.resize(2);
  loop.bodies[0].arguments = loop.bodies[1].arguments = {i, a, b};
  loop.bodies[0].steps = {kernelStep("less", {i, n}, {continues})};
  loop.bodies[0].results = {continues, i, a, b};
  loop.bodies[1].steps = {kernelStep("increment", {i}, {next}), kernelStep("twice", {a}, {doubled})};
  loop.bodies[1].results = {next, b, doubled};
  loop.bodies[1].release = {next, doubled};
  loop.outputs = {lastI, lastA, lastB};
  plan.steps = {loop};
  plan.feeds = {n, x, y};
  plan.fetches = {lastI, lastA, lastB};
  plan.fetchNames = {"i", "x", "y"};
  plan.arenaBytes = 64;
  plan.constants.resize(8);
  return plan;
}

std::unique_ptr<Session> sessionOf(Plan plan) {
  auto executable = Executable::create(std::move(plan), "net", resolveScalar);
  EXPECT_TRUE(executable) << executable.diagnostics().text();
  return executable ? std::move(*Session::create(*executable)) : nullptr;
}

Tensor int64(int64_t value) {
  Tensor tensor(DType::Int64, {});
  *tensor.as<int64_t>() = value;
  return tensor;
}

TEST(ControlFlow, LoopsUntilTheTestFails) {
  auto session = sessionOf(loopPlan());
  ASSERT_TRUE(session);
  for (int64_t n : {0, 1, 2, 5}) {
    auto result = session->run({{"n", int64(n)}, {"x", floats({}, {3})}, {"y", floats({}, {5})}});
    ASSERT_TRUE(result) << result.diagnostics().text();
    float x = 3, y = 5;
    for (int64_t i = 0; i < n; ++i)
      std::tie(x, y) = std::pair(y, 2 * x);
    EXPECT_EQ(valuesOf<int64_t>((*result)[0]), std::vector<int64_t>{n});
    EXPECT_EQ(valuesOf<float>((*result)[1]), std::vector<float>{x});
    EXPECT_EQ(valuesOf<float>((*result)[2]), std::vector<float>{y});
  }
}

TEST(ControlFlow, ResultsBelongToTheCallerEvenWithoutIterations) {
  auto session = sessionOf(loopPlan());
  Tensor x = floats({}, {3});
  auto result = session->run({{"n", int64(0)}, {"x", x}, {"y", x}});
  ASSERT_TRUE(result);
  *x.as<float>() = 7;
  session.reset();
  EXPECT_EQ(valuesOf<float>((*result)[1]), std::vector<float>{3});
}

TEST(ControlFlow, PlanSurvivesStorage) {
  Plan plan = loopPlan();
  Result<Plan> again = deserialize(serialize(plan), "loop");
  ASSERT_TRUE(again) << again.diagnostics().text();
  EXPECT_EQ(serialize(*again), serialize(plan));
  EXPECT_EQ(again->steps[0].bodies[1].results, plan.steps[0].bodies[1].results);
}

/// A condition that selects x or twice x; branches of different steps.
Plan branchPlan() {
  Plan plan;
  plan.values = {{DType::Bool, {dynamicDim}, Storage::Feed, 0, none, "c"},
                 {DType::Float32, {}, Storage::Feed, 0, none, "x"},
                 {DType::Float32, {}, Storage::Arena, 0, none, "doubled"},
                 {DType::Float32, {}, Storage::Dynamic, 0, none, "out"}};
  Step branch;
  branch.kind = StepKind::If;
  branch.symbol = branch.label = "if";
  branch.location = "net.py:8";
  branch.inputs = {0};
  branch.bodies.resize(2);
  branch.bodies[0].steps = {kernelStep("twice", {1}, {2})};
  branch.bodies[0].results = {2};
  branch.bodies[1].results = {1};
  branch.outputs = {3};
  plan.steps = {branch};
  plan.feeds = {0, 1};
  plan.fetches = {3};
  plan.fetchNames = {"out"};
  plan.arenaBytes = 64;
  return plan;
}

Tensor bools(std::vector<int64_t> dims, bool value) {
  Tensor tensor(DType::Bool, std::move(dims));
  std::fill_n(tensor.as<bool>(), tensor.size(), value);
  return tensor;
}

TEST(ControlFlow, RunsOneBranch) {
  auto session = sessionOf(branchPlan());
  for (bool taken : {true, false, true}) {
    auto result = session->run({{"c", bools({1}, taken)}, {"x", floats({}, {4})}});
    ASSERT_TRUE(result) << result.diagnostics().text();
    EXPECT_EQ(valuesOf<float>((*result)[0]), std::vector<float>{taken ? 8.0f : 4.0f});
  }
}

/// A library kernel that refuses its operands ends the run that reaches it; at the top level it ends the
/// load.
TEST(ControlFlow, RefusedKernelInBranchIsRunError) {
  Plan plan = branchPlan();
  Step refused = kernelStep("concat", {1}, {2});
  refused.kind = StepKind::Library;
  refused.attributes = {{"axis", "none"}}; // an axis is a number
  plan.steps[0].bodies[0].steps = {refused};
  auto session = sessionOf(plan);
  ASSERT_TRUE(session);
  auto other = session->run({{"c", bools({1}, false)}, {"x", floats({}, {4})}});
  ASSERT_TRUE(other) << other.diagnostics().text();
  EXPECT_EQ(valuesOf<float>((*other)[0]), std::vector<float>{4});
  auto taken = session->run({{"c", bools({1}, true)}, {"x", floats({}, {4})}});
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.diagnostics().text(), HasSubstr("net: net.py:2: concat -> doubled: "));
  plan.steps.insert(plan.steps.begin(), refused);
  EXPECT_FALSE(Executable::create(plan, "net", resolveScalar));
}

TEST(ControlFlow, ConditionMustBeOneBool) {
  auto session = sessionOf(branchPlan());
  auto result = session->run({{"c", bools({2}, true)}, {"x", floats({}, {4})}});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.diagnostics().text(),
              HasSubstr("net: net.py:8: if -> out: the condition is bool[2], expected one bool"));
}

/// The loop body gathers element i of a list, which is out of bounds at the end.
TEST(ControlFlow, ErrorInTheBodyNamesTheStepAndTheIteration) {
  Plan plan = loopPlan();
  plan.values.push_back({DType::Float32, {3}, Storage::Feed, 0, none, "list"});
  plan.values.push_back({DType::Float32, {}, Storage::Dynamic, 0, none, "element"});
  auto list = static_cast<ValueId>(plan.values.size() - 2);
  plan.feeds.push_back(list);
  Step &loop = plan.steps[0];
  Step gather = kernelStep("gather", {list, loop.bodies[1].arguments[0]}, {list + 1});
  gather.kind = StepKind::Library;
  gather.attributes = {{"axis", 0}};
  gather.location = "net.py:55";
  gather.release = {list + 1};
  loop.bodies[1].steps.push_back(gather);
  auto session = sessionOf(plan);
  ASSERT_TRUE(session);
  NamedTensors feeds{
      {"n", int64(3)}, {"x", floats({}, {3})}, {"y", floats({}, {5})}, {"list", floats({3}, {1, 2, 3})}};
  EXPECT_TRUE(session->run(feeds));
  feeds["n"] = int64(9);
  auto result = session->run(feeds);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.diagnostics().text(), AllOf(HasSubstr("net: net.py:55: gather -> element: "),
                                                 HasSubstr("(in iteration 3 of the loop)")));
  feeds["n"] = int64(1); // the session still works
  EXPECT_TRUE(session->run(feeds));
}

std::string messageAfter(const std::function<void(Step &)> &change) {
  Plan plan = loopPlan();
  change(plan.steps[0]);
  return verify(plan, "loop").diagnostics().text();
}

TEST(ControlFlow, VerifyReportsErrors) {
  EXPECT_EQ(messageAfter([](Step &) {}), "");
  EXPECT_THAT(messageAfter([](Step &s) { s.bodies.pop_back(); }),
              HasSubstr("steps[0] 'while': has 1 bodies"));
  EXPECT_THAT(messageAfter([](Step &s) { s.outputs.pop_back(); }), HasSubstr("passes 3 values to 2"));
  EXPECT_THAT(messageAfter([](Step &s) { s.inputs[1] = s.inputs[0]; }),
              HasSubstr("cannot pass 3 'zero' to 5 'a'"));
  EXPECT_THAT(messageAfter([](Step &s) { s.bodies[1].results[0] = s.outputs[0]; }),
              HasSubstr("result 12 is not there at the end"));
  EXPECT_THAT(messageAfter([](Step &s) { s.bodies[1].release.push_back(99); }),
              HasSubstr("releases 99, which is not a live value of the body"));
  EXPECT_THAT(messageAfter([](Step &s) { s.bodies[0].results.clear(); }),
              HasSubstr("the test has no condition"));
  EXPECT_THAT(messageAfter([](Step &s) { s.bodies[1].steps[0].inputs[0] = s.outputs[0]; }),
              HasSubstr("bodies[1].steps[0] 'increment': reads value 12 'lastI' before it is written"));
}

} // namespace
} // namespace proa::runtime
