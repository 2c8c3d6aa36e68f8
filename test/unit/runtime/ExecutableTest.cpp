#include "lib/runtime/run/Executable.h"
#include "lib/base/target/TargetFacts.h"
#include "lib/runtime/host/CpuFeatures.h"
#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "test/unit/runtime/KernelHarness.h"

#include <gmock/gmock.h>

#include <atomic>
#include <set>

namespace proa::runtime {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Compiled kernels, written by hand with the compiler's calling convention.

void addRows(void *const *buffers, const int64_t *, int64_t begin, int64_t end) { // [n, 4] + [4]
  auto x = static_cast<const float *>(buffers[0]), w = static_cast<const float *>(buffers[1]);
  auto out = static_cast<float *>(buffers[2]);
  for (int64_t i = begin; i < end; ++i)
    for (int64_t j = 0; j < 4; ++j)
      out[i * 4 + j] = x[i * 4 + j] + w[j];
}
void addRowsShape(const int64_t *inputDims, int64_t *result) {
  result[0] = inputDims[0]; // the output's dynamic dim
  result[1] = inputDims[0]; // the dim
}
/// [?] scaled by its own length, which it reads from dims.
void timesLength(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(buffers[1])[i] =
        static_cast<const float *>(buffers[0])[i] * static_cast<float>(dims[0]);
}
void timesLengthShape(const int64_t *inputDims, int64_t *result) { result[0] = result[1] = inputDims[0]; }
/// Notes the address of its input.
const void *copiedFrom = nullptr;
void copyNoted(void *const *buffers, const int64_t *, int64_t begin, int64_t end) {
  copiedFrom = buffers[0];
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffers[0]) % alignof(float), 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffers[1]) % addressAlignment, 0u);
  for (int64_t i = begin; i < end; ++i)
    static_cast<float *>(buffers[1])[i] = static_cast<const float *>(buffers[0])[i];
}

void *resolve(const std::string &symbol) {
  static const std::map<std::string, void *> symbols{
      {"add_rows", reinterpret_cast<void *>(addRows)},
      {"add_rows_shape", reinterpret_cast<void *>(addRowsShape)},
      {"times_length", reinterpret_cast<void *>(timesLength)},
      {"times_length_shape", reinterpret_cast<void *>(timesLengthShape)},
      {"copy", reinterpret_cast<void *>(copyNoted)},
  };
  auto found = symbols.find(symbol);
  return found == symbols.end() ? nullptr : found->second;
}

Step kernelStep(const std::string &symbol, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
                int64_t rows) {
  Step step;
  step.symbol = symbol;
  step.inputs = std::move(inputs);
  step.outputs = std::move(outputs);
  step.rows = rows;
  step.label = symbol;
  step.location = "net.py:7";
  return step;
}

/// y = flatten(x + w) * length, with x: [?, 4]; y is also fetched as [?, 2].
Plan dynamicPlan() {
  Plan plan;
  plan.values = {
      {DType::Float32, {dynamicDim, 4}, Storage::Feed, 0, none, "x"},
      {DType::Float32, {4}, Storage::Parameter, 0, none, "w"},
      {DType::Float32, {dynamicDim, 4}, Storage::Dynamic, 0, none, "sum"},
      {DType::Float32, {dynamicDim}, Storage::Alias, 0, 2, "flat"},
      {DType::Float32, {dynamicDim}, Storage::Dynamic, 0, none, "y"},
      {DType::Float32, {dynamicDim, 2}, Storage::Alias, 0, 4, "pairs"},
  };
  plan.feeds = {0};
  plan.parameters = {1};
  plan.steps = {kernelStep("add_rows", {0, 1}, {2}, dynamicDim),
                kernelStep("times_length", {3}, {4}, dynamicDim)};
  plan.steps[1].release = {2};
  plan.fetches = {4, 5, 0, 1};
  plan.fetchNames = {"y", "pairs", "x", "w"};
  return plan;
}

std::unique_ptr<Session> sessionOf(Plan plan, const NamedTensors &parameters) {
  auto executable = Executable::create(std::move(plan), "net", resolve);
  EXPECT_TRUE(executable) << executable.diagnostics().text();
  Result<void> bound = (*executable)->bindParameters(parameters);
  EXPECT_TRUE(bound) << bound.diagnostics().text();
  auto session = Session::create(*executable);
  EXPECT_TRUE(session);
  return std::move(*session);
}

TEST(Executable, DynamicDimsAndAliases) {
  auto session = sessionOf(dynamicPlan(), {{"w", floats({4}, {10, 20, 30, 40})}});
  for (int64_t rows : {1, 3, 0, 2}) {
    Tensor x = randomFloats({rows, 4}, 1);
    Result<std::vector<Tensor>> result = session->run({{"x", x}});
    ASSERT_TRUE(result) << result.diagnostics().text();
    std::vector<double> expected;
    for (int64_t i = 0; i < rows * 4; ++i)
      expected.push_back(static_cast<double>((x.as<float>()[i] + static_cast<float>(10 * (i % 4 + 1))) *
                                             static_cast<float>(4 * rows)));
    EXPECT_EQ((*result)[0].dims(), (std::vector<int64_t>{4 * rows}));
    EXPECT_EQ((*result)[1].dims(), (std::vector<int64_t>{2 * rows, 2}));
    expectClose((*result)[0], expected, 0);
    expectClose((*result)[1], expected, 0);
    EXPECT_EQ(valuesOf<float>((*result)[2]), valuesOf<float>(x));
    EXPECT_EQ(valuesOf<float>((*result)[3]), (std::vector<float>{10, 20, 30, 40}));
  }
}

TEST(Executable, AliasMustFitWhereItIsRead) {
  Plan plan = dynamicPlan();
  plan.values[5].dims = {dynamicDim, 3};
  NamedTensors weights{{"w", floats({4}, {10, 20, 30, 40})}};
  auto session = sessionOf(plan, weights);
  EXPECT_TRUE(session->run({{"x", randomFloats({3, 4}, 1)}}));
  auto failed = session->run({{"x", randomFloats({1, 4}, 1)}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.diagnostics()[0].message, "4 elements of float32[4] do not fill float32[-1, 3]");
  EXPECT_TRUE(session->run({{"x", randomFloats({6, 4}, 1)}}));
  plan.fetches = {4};
  plan.fetchNames = {"y"};
  session = sessionOf(plan, weights);
  EXPECT_TRUE(session->run({{"x", randomFloats({1, 4}, 1)}})) << "nothing reads the alias";
}

TEST(Executable, DimsAreComparedBeforeAKernelIsCalled) {
  Plan plan = dynamicPlan();
  NamedTensors weights{{"w", floats({4}, {10, 20, 30, 40})}};
  plan.steps[0].dimChecks = {{.input = 0, .axis = 0, .other = 1, .otherAxis = 0}};
  auto session = sessionOf(plan, weights);
  EXPECT_TRUE(session->run({{"x", randomFloats({4, 4}, 1)}}));
  auto failed = session->run({{"x", randomFloats({1, 4}, 1)}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.diagnostics().text(), "error: net: net.py:7: add_rows -> sum: dim 0 of float32[1, 4] and "
                                         "dim 0 of float32[4] differ, expected "
                                         "the same: dims that only a run knows are not broadcast\n");
  EXPECT_TRUE(session->run({{"x", randomFloats({4, 4}, 1)}})) << "the session can be used after an error";
  plan.steps[0].dimChecks = {{.input = 0, .axis = 0, .size = 2}};
  session = sessionOf(plan, weights);
  EXPECT_TRUE(session->run({{"x", randomFloats({2, 4}, 1)}}));
  failed = session->run({{"x", randomFloats({3, 4}, 1)}});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.diagnostics().text(), HasSubstr("dim 0 of float32[3, 4] is 3, expected 2"));
  EXPECT_FALSE(session->run({{"x", randomFloats({1, 4}, 1)}}));
  plan.steps[0].dimChecks[0].mayBeOne = true;
  session = sessionOf(plan, weights);
  EXPECT_TRUE(session->run({{"x", randomFloats({1, 4}, 1)}}));
  EXPECT_FALSE(session->run({{"x", randomFloats({3, 4}, 1)}}));
}

TEST(Executable, ResultsBelongToTheCaller) {
  auto session = sessionOf(dynamicPlan(), {{"w", floats({4}, {0, 0, 0, 0})}});
  auto first = session->run({{"x", floats({1, 4}, {1, 2, 3, 4})}});
  auto second = session->run({{"x", floats({1, 4}, {5, 6, 7, 8})}});
  ASSERT_TRUE(first && second);
  session.reset();
  EXPECT_EQ(valuesOf<float>((*first)[0]), (std::vector<float>{4, 8, 12, 16}));
  EXPECT_EQ(valuesOf<float>((*second)[0]), (std::vector<float>{20, 24, 28, 32}));
}

/// doubled = x + x (once as it is, once as [4]), x: [1, 4].
Plan fetchedTwicePlan() {
  Plan plan;
  plan.values = {
      {DType::Float32, {1, 4}, Storage::Feed, 0, none, "x"},
      {DType::Float32, {1, 4}, Storage::Result, 0, none, "doubled"},
      {DType::Float32, {4}, Storage::Alias, 0, 1, "flat"},
  };
  plan.feeds = {0};
  plan.steps = {kernelStep("add_rows", {0, 0}, {1}, 1)};
  plan.fetches = {1, 2, 0};
  plan.fetchNames = {"doubled", "flat", "x"};
  return plan;
}

TEST(Executable, ResultsOfEarlierRunsStayAndTheirMemoryIsUsedAgain) {
  auto session = sessionOf(fetchedTwicePlan(), {});
  std::vector<std::vector<Tensor>> held;
  for (float first : {1.0F, 2.0F, 3.0F, 4.0F})
    held.push_back(*session->run({{"x", floats({1, 4}, {first, 0, 0, -1})}}));
  for (size_t run = 0; run < held.size(); ++run) {
    auto first = static_cast<float>(run + 1);
    for (size_t i : {0, 1})
      EXPECT_EQ(valuesOf<float>(held[run][i]), (std::vector<float>{2 * first, 0, 0, -2}));
    EXPECT_EQ(valuesOf<float>(held[run][2]), (std::vector<float>{first, 0, 0, -1}));
  }
  EXPECT_NE(held[3][0].data(), held[3][1].data())
      << "a caller that writes to one result sees it in the other";
  std::set<const void *> last;
  for (size_t run : {2, 3})
    for (const Tensor &result : held[run])
      last.insert(result.data());
  held.clear();
  for (int run = 0; run < 4; ++run) {
    auto results = session->run({{"x", floats({1, 4}, {5, 6, 7, 8})}});
    ASSERT_TRUE(results) << results.diagnostics().text();
    for (const Tensor &result : *results)
      EXPECT_TRUE(last.contains(result.data()));
  }
}

TEST(Executable, FeedErrorsAllAtOnce) {
  Plan plan = dynamicPlan();
  plan.values.push_back({DType::Int64, {2}, Storage::Feed, 0, none, "ids"});
  plan.feeds.push_back(6);
  auto session = sessionOf(plan, {{"w", floats({4}, {0, 0, 0, 0})}});
  auto result = session->run({{"x", floats({2, 3}, {1, 2, 3, 4, 5, 6})}, {"z", floats({1}, {1})}});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.diagnostics().text(),
              AllOf(HasSubstr("net: feed 'x': is float32[2, 3]; expected float32[-1, 4]"),
                    HasSubstr("net: feed 'ids': is missing; expected int64[2]"),
                    HasSubstr("net: feed 'z': is not a feed of this program")));
}

TEST(Executable, ParameterErrorsAllAtOnce) {
  Plan plan = dynamicPlan();
  plan.values.push_back({DType::Float32, {2}, Storage::Parameter, 0, none, "b"});
  plan.parameters.push_back(6);
  auto executable = Executable::create(plan, "net", resolve);
  ASSERT_TRUE(executable);
  EXPECT_FALSE(Session::create(*executable));
  Result<void> bound =
      (*executable)->bindParameters({{"w", longs({4}, {1, 2, 3, 4})}, {"unused", floats({1}, {1})}});
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.diagnostics().text(), "error: net: parameter 'w': is int64[4]; expected float32[4]\n"
                                        "error: net: parameter 'b': is missing; expected float32[2]\n");
}

TEST(Executable, KernelsAreCalledByTheInvoker) {
  auto executable = Executable::create(dynamicPlan(), "net", resolve);
  ASSERT_TRUE(executable);
  std::atomic<int64_t> rows = 0;
  (*executable)->setKernelInvoker([&](const KernelCall &call) -> Result<void> {
    if (call.name == "add_rows") {
      EXPECT_THAT(call.bytes, ::testing::ElementsAre(48, 16, 48));
      EXPECT_EQ(call.buffers.size(), 3u);
      rows += call.end - call.begin;
      call.function(call.buffers.data(), call.dims, call.begin, call.end);
      return {};
    }
    return errorAt("", "thread 5 waits forever");
  });
  ASSERT_TRUE((*executable)->bindParameters({{"w", floats({4}, {10, 20, 30, 40})}}));
  auto session = Session::create(*executable);
  ASSERT_TRUE(session);
  auto result = (*session)->run({{"x", randomFloats({3, 4}, 1)}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics().text(), "error: net: net.py:7: times_length -> y: thread 5 waits forever\n");
  EXPECT_EQ(rows, 3);
}

TEST(Executable, MissingSymbolsAllAtOnce) {
  Plan plan = dynamicPlan();
  plan.steps[0].symbol = "gone";
  plan.steps[1].kind = StepKind::Library;
  plan.steps[1].symbol = "unheard";
  auto executable = Executable::create(plan, "net", resolve);
  ASSERT_FALSE(executable);
  EXPECT_THAT(executable.diagnostics().text(),
              AllOf(HasSubstr("net: steps[0]: net.py:7: add_rows: the object file has no kernel 'gone'"),
                    HasSubstr("the runtime has no library kernel 'unheard'")));
}

TEST(Executable, PreparedValuesAndNewParameters) {
  // prepare: p = x0 + w (w a constant of the plan); run: y = feed + p
  Plan plan;
  plan.values = {{DType::Float32, {1, 4}, Storage::Parameter, 0, none, "w0"},
                 {DType::Float32, {4}, Storage::Constant, 0, none, "c"},
                 {DType::Float32, {1, 4}, Storage::Prepared, 0, none, "p"},
                 {DType::Float32, {4}, Storage::Alias, 0, 2, "row"},
                 {DType::Float32, {2, 4}, Storage::Feed, 0, none, "x"},
                 {DType::Float32, {2, 4}, Storage::Arena, 64, none, "y"},
                 {DType::Float32, {1, 4}, Storage::Alias, 0, 5, "first"}};
  plan.parameters = {0};
  plan.feeds = {4};
  plan.prepare = {kernelStep("add_rows", {0, 1}, {2}, 1)};
  plan.steps = {kernelStep("add_rows", {4, 3}, {5}, 2)};
  plan.fetches = {5, 6, 2};
  plan.fetchNames = {"y", "first", "p"};
  plan.arenaBytes = 128;
  plan.constants.resize(16);
  const float c[] = {1, 2, 3, 4};
  std::memcpy(plan.constants.data(), c, sizeof(c));
  auto executable = Executable::create(plan, "net", resolve);
  ASSERT_TRUE(executable) << executable.diagnostics().text();
  ASSERT_TRUE((*executable)->bindParameters({{"w0", floats({1, 4}, {10, 10, 10, 10})}}));
  auto session = Session::create(*executable);
  ASSERT_TRUE(session);
  NamedTensors feeds{{"x", floats({2, 4}, {0, 0, 0, 0, 100, 100, 100, 100})}};
  auto result = (*session)->run(feeds);
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<float>((*result)[0]), (std::vector<float>{11, 12, 13, 14, 111, 112, 113, 114}));
  EXPECT_EQ(valuesOf<float>((*result)[1]), (std::vector<float>{11, 12, 13, 14}));
  ASSERT_TRUE((*executable)->bindParameters({{"w0", floats({1, 4}, {0, 0, 0, 0})}}));
  result = (*session)->run(feeds);
  ASSERT_TRUE(result);
  EXPECT_EQ(valuesOf<float>((*result)[2]), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(valuesOf<float>((*result)[1]), (std::vector<float>{1, 2, 3, 4}));
}

/// Runs the tasks on the calling thread and counts them.
struct CountingPool : ThreadPool {
  int64_t tasks = 0;
  void run(int64_t count, const std::function<void(int64_t)> &task) override {
    tasks += count;
    for (int64_t i = 0; i < count; ++i)
      task(i);
  }
};

/// prepare: p = w + c; run: y = x + c; eight rows each.
Plan planOfTwoKernels() {
  Plan plan;
  plan.values = {{DType::Float32, {8, 4}, Storage::Parameter, 0, none, "w"},
                 {DType::Float32, {4}, Storage::Constant, 0, none, "c"},
                 {DType::Float32, {8, 4}, Storage::Prepared, 0, none, "p"},
                 {DType::Float32, {8, 4}, Storage::Feed, 0, none, "x"},
                 {DType::Float32, {8, 4}, Storage::Arena, 0, none, "y"}};
  plan.parameters = {0};
  plan.feeds = {3};
  plan.prepare = {kernelStep("add_rows", {0, 1}, {2}, 8)};
  plan.steps = {kernelStep("add_rows", {3, 1}, {4}, 8)};
  plan.fetches = {4, 2};
  plan.fetchNames = {"y", "p"};
  plan.arenaBytes = 128;
  plan.constants.resize(16);
  return plan;
}

TEST(Executable, ThreadsFollowTheFactsOfTheProgram) {
  Tensor values = randomFloats({8, 4}, 1);
  for (int64_t nanoseconds : {int64_t(1), int64_t(1) << 40}) {
    SCOPED_TRACE(nanoseconds);
    Plan plan = planOfTwoKernels();
    plan.cpu = *knownFacts<CpuFacts>(nameOf(vectorIsa()));
    plan.cpu->forkNanoseconds = plan.cpu->wakeNanoseconds = nanoseconds;
    plan.prepare[0].work = plan.steps[0].work = 1000;
    auto executable = Executable::create(plan, "net", resolve);
    ASSERT_TRUE(executable) << executable.diagnostics().text();
    CountingPool pool;
    ThreadScope threads(4, &pool);
    int64_t expected = nanoseconds == 1 ? 4 : 0; // one range needs no pool
    ASSERT_TRUE((*executable)->bindParameters({{"w", values}}));
    EXPECT_EQ(pool.tasks, expected) << "of the preparation";
    auto session = Session::create(*executable);
    ASSERT_TRUE(session);
    auto result = (*session)->run({{"x", values}});
    ASSERT_TRUE(result) << result.diagnostics().text();
    EXPECT_EQ(pool.tasks, 2 * expected);
    EXPECT_EQ(valuesOf<float>((*result)[0]), valuesOf<float>(values));
  }
}

/// Kernels with static dims choose their threads when they are created.
TEST(Executable, KernelsAreCreatedByTheFactsOfTheProgram) {
  Plan plan = planOfTwoKernels();
  plan.cpu = *knownFacts<CpuFacts>(nameOf(vectorIsa()));
  plan.cpu->forkNanoseconds = plan.cpu->wakeNanoseconds = 12345;
  std::vector<double> seen;
  auto executable = Executable::create(plan, "net", [&](const std::string &symbol) {
    seen.push_back(minimalForkNanoseconds());
    return resolve(symbol);
  });
  ASSERT_TRUE(executable) << executable.diagnostics().text();
  EXPECT_THAT(seen, AllOf(SizeIs(Ge(2)), Each(12345)));
  EXPECT_NE(minimalForkNanoseconds(), 12345);
}

TEST(Executable, PreparationWithoutParametersUsesTheInvoker) {
  Plan plan; // p = c + c, for each run
  plan.values = {{DType::Float32, {1, 4}, Storage::Constant, 0, none, "c"},
                 {DType::Float32, {4}, Storage::Alias, 0, 0, "row"},
                 {DType::Float32, {1, 4}, Storage::Prepared, 0, none, "p"}};
  plan.prepare = {kernelStep("add_rows", {0, 1}, {2}, 1)};
  plan.fetches = {2};
  plan.fetchNames = {"p"};
  plan.constants.resize(16);
  const float c[] = {1, 2, 3, 4};
  std::memcpy(plan.constants.data(), c, sizeof(c));
  auto executable = Executable::create(plan, "net", resolve);
  ASSERT_TRUE(executable) << executable.diagnostics().text();
  int calls = 0;
  (*executable)->setKernelInvoker([&](const KernelCall &call) -> Result<void> {
    ++calls;
    call.function(call.buffers.data(), call.dims, call.begin, call.end);
    return {};
  });
  auto session = Session::create(*executable);
  ASSERT_TRUE(session) << session.diagnostics().text();
  auto result = (*session)->run(NamedTensors());
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<float>((*result)[0]), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(calls, 1);
}

/// A kernel copies "x", a feed or a parameter.
static Plan copyPlan(Storage storage) {
  Plan plan;
  plan.values = {{DType::Float32, {4}, storage, 0, none, "x"},
                 {DType::Float32, {4}, Storage::Arena, 0, none, "y"}};
  (storage == Storage::Feed ? plan.feeds : plan.parameters) = {0};
  plan.steps = {kernelStep("copy", {0}, {1}, 4)};
  plan.fetches = {1};
  plan.fetchNames = {"y"};
  plan.arenaBytes = 64;
  return plan;
}

/// 1, 2, 3, 4 at the address of a float that is not the address of a vector.
static Tensor oddTensor() {
  Tensor memory = floats({5}, {0, 1, 2, 3, 4});
  return {DType::Float32, {4}, memory.as<float>() + 1, std::make_shared<Tensor>(memory)};
}

TEST(Executable, FeedsAreCopiedOnlyIfElementsAreNotAligned) {
  auto session = sessionOf(copyPlan(Storage::Feed), {});
  std::vector<std::byte> memory(128);
  auto *start = reinterpret_cast<std::byte *>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  for (size_t offset : {size_t(4), size_t(1)}) {
    std::vector<float> values{1, 2, 3, 4};
    std::memcpy(start + offset, values.data(), 16);
    Tensor x(DType::Float32, {4}, start + offset, std::make_shared<int>());
    auto result = session->run({{"x", x}});
    ASSERT_TRUE(result);
    EXPECT_EQ(valuesOf<float>((*result)[0]), values);
    EXPECT_EQ(copiedFrom == start + offset, offset == 4);
  }
}

TEST(Executable, KernelsOfAnInvokerGetAlignedFeeds) {
  auto executable = Executable::create(copyPlan(Storage::Feed), "net", resolve);
  ASSERT_TRUE(executable) << executable.diagnostics().text();
  (*executable)->setKernelInvoker([](const KernelCall &call) -> Result<void> {
    call.function(call.buffers.data(), call.dims, call.begin, call.end);
    return {};
  });
  auto session = Session::create(*executable);
  ASSERT_TRUE(session) << session.diagnostics().text();
  Tensor odd = oddTensor();
  auto result = (*session)->run({{"x", odd}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<float>((*result)[0]), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(copiedFrom) % addressAlignment, 0u);
}

TEST(Executable, ParametersOfKernelsAreAligned) {
  auto result = sessionOf(copyPlan(Storage::Parameter), {{"x", oddTensor()}})->run(NamedTensors());
  ASSERT_TRUE(result);
  EXPECT_EQ(valuesOf<float>((*result)[0]), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(copiedFrom) % addressAlignment, 0u);
}

TEST(Executable, ErrorHasLocationOfStep) {
  KernelCase c{
      "matmul", {},           {randomFloats({2, 3}, 1), randomFloats({4, 2}, 2)}, {{DType::Float32, {2, 2}}},
      {},       Dims::Dynamic};
  Plan plan = planOf(c);
  plan.steps[0].location = "net.py:42";
  plan.steps[0].label = "matmul_v2";
  auto executable = Executable::create(plan, "net", resolve);
  ASSERT_TRUE(executable);
  auto session = Session::create(*executable);
  ASSERT_TRUE(session);
  auto result = (*session)->run({{"in0", c.inputs[0]}, {"in1", c.inputs[1]}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.diagnostics().text(),
            "error: net: net.py:42: matmul_v2 -> out: cannot multiply dims [2, 3] by [4, 2]\n");
}

TEST(Executable, ProfileCountsEveryStep) {
  auto session = sessionOf(dynamicPlan(), {{"w", floats({4}, {0, 0, 0, 0})}});
  Profile profile(dynamicPlan());
  session->setProfile(&profile);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(session->run({{"x", floats({1, 4}, {1, 2, 3, 4})}}));
  session->setProfile(nullptr);
  ASSERT_TRUE(session->run({{"x", floats({1, 4}, {1, 2, 3, 4})}}));
  std::pair<std::string, double> phases[] = {{"compile", 2}};
  nlohmann::json trace = nlohmann::json::parse(profile.chromeTrace(phases));
  std::map<std::string, int> byCategory;
  for (const nlohmann::json &event : trace["traceEvents"])
    if (event["ph"] == "X")
      ++byCategory[event["cat"]];
  EXPECT_EQ(byCategory["compiled"] + byCategory["library"], 6);
  EXPECT_EQ(byCategory["compilation"], 1);
  EXPECT_EQ(trace["traceEvents"][6]["ts"], -2000);
  EXPECT_EQ(trace["traceEvents"][1]["name"], "times_length");
  EXPECT_EQ(trace["traceEvents"][1]["args"]["location"], "net.py:7");
  EXPECT_GE(trace["traceEvents"][1]["ts"], trace["traceEvents"][0]["ts"]);
  EXPECT_THAT(profile.table(), AllOf(HasSubstr("3 runs"), HasSubstr("times_length  (net.py:7)")));
  EXPECT_EQ(trace["traceEvents"][1]["args"]["types"], "float32[4] -> float32[4]");
  EXPECT_EQ(profile.steps()[1].variable, "y");
  EXPECT_EQ(profile.steps()[1].bytes, 32);
  EXPECT_GE(profile.total(0), 0);
}

} // namespace
} // namespace proa::runtime
