// CUDA graphs, marks and profiles of sessions on a recorded device.
#include "lib/runtime/cuda/CudaQueue.h"
#include "test/unit/cuda/PlanHarness.h"

namespace proa::runtime {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class GraphTest : public DevicePlanTest {
protected:
  std::vector<std::string> remarksOf(const Executable &executable) {
    std::vector<std::string> texts;
    for (const Diagnostic &remark : executable.describeGraphs())
      texts.push_back(remark.location + ": " + remark.message);
    return texts;
  }

  /// A session of the straight plan with these steps on the device.
  std::unique_ptr<Session> start(const std::vector<std::string> &onDevice,
                                 const CudaDeviceOptions &options = {}) {
    executable = load(placed(straightPlan(), onDevice), options);
    EXPECT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {10, 20, 30, 40})}})));
    auto session = Session::create(executable);
    return session ? std::move(*session) : nullptr;
  }

  std::shared_ptr<Executable> executable;
};

} // namespace

TEST_F(GraphTest, RecordsTheSecondRun) {
  auto session = start({"add_rows", "twice"});
  EXPECT_THAT(remarksOf(*executable), ElementsAre("net.py:7: add_rows: 2 steps are a CUDA graph"));
  for (int run = 0; run < 4; ++run) {
    driver->clearLog();
    auto results = session->run({{"x", tensor({2, 4}, eight)}});
    ASSERT_TRUE(bool(results)) << results.diagnostics().text();
    EXPECT_THAT(floats((*results)[0]), ElementsAre(22, 44, 66, 88, 30, 52, 74, 96));
    EXPECT_EQ(count("launch graph"), run == 0 ? 0U : 1U);
  }
}

TEST_F(GraphTest, OtherParametersAreRecordedAgain) {
  auto session = start({"add_rows", "twice"});
  for (int run = 0; run < 3; ++run)
    ASSERT_TRUE(bool(session->run({{"x", tensor({2, 4}, eight)}})));
  // The new copy of w may be at another address.
  ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {0, 0, 0, 0})}})));
  for (int run = 0; run < 3; ++run) {
    auto results = session->run({{"x", tensor({2, 4}, eight)}});
    ASSERT_TRUE(bool(results)) << results.diagnostics().text();
    EXPECT_THAT(floats((*results)[0]), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
  }
}

TEST_F(GraphTest, HostStepsAreNotRecorded) {
  auto session = start({"twice"});
  EXPECT_THAT(remarksOf(*executable),
              ElementsAre("net.py:7: twice: is not part of a CUDA graph: a graph of one step saves nothing"));
  PlanMaker maker;
  ValueId x = maker.rows(Storage::Feed, "x");
  std::vector<ValueId> values = {x};
  for (const char *name : {"twice", "twice", "log", "twice"}) {
    ValueId next = maker.rows(Storage::Arena, std::string("v") + std::to_string(values.size()));
    maker.plan.steps.push_back(kernelStep(name, {values.back()}, {next}, 2));
    values.push_back(next);
  }
  maker.fetch(values.back());
  executable = load(placed(maker.plan, {"twice"}));
  EXPECT_THAT(remarksOf(*executable),
              AllOf(Contains("net.py:7: twice: 2 steps are a CUDA graph"),
                    Contains("net.py:7: log: is not part of a CUDA graph: it runs on the host")));
  auto mixed = Session::create(executable);
  ASSERT_TRUE(bool(mixed));
  for (int run = 0; run < 3; ++run) {
    auto results = (*mixed)->run({{"x", tensor({2, 4}, eight)}});
    ASSERT_TRUE(bool(results)) << results.diagnostics().text();
    EXPECT_FLOAT_EQ(floats((*results)[0])[7], 2 * std::log(32.0F));
  }
  EXPECT_EQ(count("launch graph"), 2U);
}

TEST_F(GraphTest, DynamicDimsAndControlFlowAreNotRecorded) {
  PlanMaker maker;
  ValueId x = maker.value(DType::Float32, {dynamicDim, 4}, Storage::Feed, "x"),
          w = maker.value(DType::Float32, {4}, Storage::Parameter, "w"),
          sum = maker.value(DType::Float32, {dynamicDim, 4}, Storage::Dynamic, "sum");
  maker.plan.steps = {kernelStep("add_rows", {x, w}, {sum}, dynamicDim)};
  maker.fetch(sum);
  EXPECT_THAT(remarksOf(*load(placed(maker.plan, {"add_rows"}))),
              ElementsAre("net.py:7: add_rows: is not part of a CUDA graph: its dims are dynamic"));
}

TEST_F(GraphTest, CanBeTurnedOff) {
  auto session = start({"add_rows", "twice"}, {.usesGraphs = false});
  for (int run = 0; run < 3; ++run)
    ASSERT_TRUE(bool(session->run({{"x", tensor({2, 4}, eight)}})));
  EXPECT_EQ(count("launch graph"), 0U);
  EXPECT_EQ(count("launch twice 2x128+0"), 3U);
  EXPECT_THAT(remarksOf(*executable),
              ElementsAre("net.py:7: add_rows: no step is part of a CUDA graph: graphs are off "
                          "(PROA_CUDA_GRAPHS), or the host waits after each launch"));
}

TEST_F(GraphTest, NoGraphsWhereStepsAreLookedAt) {
  executable = load(placed(straightPlan(), {"add_rows", "twice"}));
  ASSERT_TRUE(bool(executable->checkFinite({})));
  EXPECT_THAT(remarksOf(*executable),
              ElementsAre("net.py:7: add_rows: no step is part of a CUDA graph: results "
                          "are checked for NaN and infinity step by step"));
}

TEST_F(GraphTest, ErrorsOfTheRecordNameTheGraph) {
  for (const char *function :
       {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiate", "cuGraphLaunch"}) {
    driver = std::make_shared<RecordingDriver>();
    auto session = start({"add_rows", "twice"});
    driver->failCalls(function, "CUDA_ERROR_UNKNOWN");
    ASSERT_TRUE(bool(session->run({{"x", tensor({2, 4}, eight)}})));
    auto results = session->run({{"x", tensor({2, 4}, eight)}});
    ASSERT_FALSE(results) << function;
    EXPECT_THAT(results.diagnostics().text(),
                AllOf(HasSubstr(std::string(function) + ": CUDA_ERROR_UNKNOWN"),
                      HasSubstr("a CUDA graph of 2 steps from net.py:7: add_rows on; PROA_CUDA_GRAPHS=off")));
  }
}

TEST_F(GraphTest, ErrorOfAStepEndsTheRecord) {
  auto session = start({"add_rows", "twice"});
  ASSERT_TRUE(bool(session->run({{"x", tensor({2, 4}, eight)}})));
  driver->failCalls("cuLaunchKernel", "CUDA_ERROR_INVALID_VALUE");
  auto results = session->run({{"x", tensor({2, 4}, eight)}});
  ASSERT_FALSE(results);
  EXPECT_THAT(results.diagnostics().text(), HasSubstr("net: net.py:7: add_rows -> sum: cuLaunchKernel"));
}

TEST_F(GraphTest, ProfileHasBytesFlopsAndRoofline) {
  Plan plan = straightPlan();
  plan.steps[0].flops = 8;
  executable = load(placed(plan, {"add_rows", "twice"}));
  ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {0, 0, 0, 0})}})));
  auto session = Session::create(executable);
  Profile profile(executable->plan(), executable->devicePeaks());
  (*session)->setProfile(&profile);
  ASSERT_TRUE(bool((*session)->run({{"x", tensor({2, 4}, eight)}})));
  auto steps = profile.steps();
  auto add = std::ranges::find(steps, "add_rows", &StepTime::ops);
  ASSERT_NE(add, steps.end());
  EXPECT_EQ(add->bytes, 32 + 16 + 32);
  EXPECT_EQ(add->flops, 8);
  // 80 bytes in the double's microsecond; its memory moves 256 GB/s.
  EXPECT_NEAR(add->roofline, 80e6 / 256e9, 1e-9);
  EXPECT_THAT(profile.table(), AllOf(HasSubstr("GB/s"), HasSubstr("GFLOP/s"), HasSubstr("roofline")));
  EXPECT_EQ(count("launch graph"), 0U);
  EXPECT_EQ(count("wait"), 3U); // one for the parameters, one for the run, one for its times
}

TEST_F(GraphTest, ProfileOfTheHostHasBytesAndRoofline) {
  executable = load(placed(straightPlan(), {}));
  ASSERT_TRUE(bool(executable->bindParameters({{"w", tensor({4}, {0, 0, 0, 0})}})));
  auto session = Session::create(executable);
  Profile profile(executable->plan());
  (*session)->setProfile(&profile);
  ASSERT_TRUE(bool((*session)->run({{"x", tensor({2, 4}, eight)}})));
  auto steps = profile.steps();
  auto add = std::ranges::find(steps, "add_rows", &StepTime::ops);
  ASSERT_NE(add, steps.end());
  EXPECT_EQ(add->bytes, 32 + 16 + 32);
  EXPECT_GT(add->roofline, 0);
}

TEST(PeaksTest, FollowFromAttributes) {
  // H100 SXM: 132 multiprocessors at 1.83 GHz, 5120 bits at 2.619 GHz.
  cuda::DeviceProperties h100{.major = 9,
                              .minor = 0,
                              .multiprocessors = 132,
                              .clockKilohertz = 1830000,
                              .memoryClockKilohertz = 2619000,
                              .memoryBusBits = 5120};
  DevicePeaks peaks = cuda::peaksOf(h100);
  EXPECT_NEAR(peaks.bytesPerSecond, 3.35e12, 0.01e12);
  EXPECT_NEAR(peaks.flopsPerSecond, 61.8e12, 0.1e12);
  EXPECT_NEAR(peaks.tensorPerSecond, 989e12, 2e12);
  EXPECT_EQ(cuda::peaksOf({}).bytesPerSecond, 0);
  EXPECT_EQ(cuda::peaksOf({.major = 99}).tensorPerSecond, 0);
}

/// A graph has the address of the workspace; a later step of other dims needs a larger one.
TEST_F(GraphTest, KeepsTheWorkspacesOfItsLibraries) {
  cuda::CudaDevice device(driver, DeviceCode{}, {});
  auto queue = device.createQueue();
  ASSERT_TRUE(bool(queue));
  auto &stream = static_cast<cuda::CudaQueue &>(**queue);
  constexpr size_t small = 4096, large = 8192;
  ASSERT_TRUE(bool(stream.workspace(small)));
  ASSERT_TRUE(bool(stream.beginGraph()));
  auto recorded = stream.workspace(small);
  ASSERT_TRUE(bool(recorded));
  ASSERT_TRUE(bool(stream.fillZero(reinterpret_cast<void *>(*recorded), small)));
  auto graph = stream.endGraph();
  ASSERT_TRUE(bool(graph));
  auto grown = stream.workspace(large);
  ASSERT_TRUE(bool(grown));
  EXPECT_NE(*grown, *recorded);
  EXPECT_EQ(driver->allocatedBytes(), static_cast<int64_t>(small + large));
  ASSERT_TRUE(bool(stream.launch(**graph)));
  EXPECT_TRUE(bool(stream.wait()));
  graph->reset();
  EXPECT_EQ(driver->allocatedBytes(), static_cast<int64_t>(large));
}

} // namespace proa::runtime
