// Collectives that a device starts: kernels run beside them until the wait.
#include "lib/runtime/ranks/Communicator.h"
#include "test/unit/cuda/LibraryHarness.h"
#include "test/unit/cuda/PlanHarness.h"

namespace proa::runtime {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// x summed over the ranks of a mesh of two devices, an all_reduce.
Step allReduce(ValueId in, ValueId out, int64_t index) {
  json dim = {{"axes", json::array()}, {"isClosed", true}, {"priority", 0}, {"blocks", json::array()}};
  json sharding = {
      {"mesh", "m"}, {"dims", {dim, dim}}, {"replicated", json::array()}, {"partial", json::array()}};
  json partial = sharding;
  partial["partial"] = {{{"reduction", "sum"}, {"axes", {{{"name", "d"}, {"pre", 0}, {"size", 0}}}}}};
  Step step = kernelStep("dist_all_reduce", {in}, {out});
  step.kind = StepKind::Library;
  step.attributes = {{"global", {2, 4}},
                     {"mesh", {{"names", {"d"}}, {"sizes", {2}}, {"devices", json::array()}}},
                     {"from", partial},
                     {"to", sharding},
                     {"number", index}};
  return step;
}

/// sum = x over all ranks, started; doubled = 2 y, computed beside it; total = sum + row.
/// With `blocking` y is summed over all ranks before, in a collective that does not start.
Plan planWithStart(bool blocking = false) {
  PlanMaker m;
  ValueId x = m.rows(Storage::Feed, "x"), y = m.rows(Storage::Feed, "y");
  ValueId row = m.value(DType::Float32, {4}, Storage::Feed, "row");
  ValueId sum = m.rows(Storage::Arena, "sum"), doubled = m.rows(Storage::Arena, "doubled");
  ValueId arrived = m.rows(Storage::Alias, "arrived"), total = m.rows(Storage::Arena, "total");
  m.plan.values[static_cast<size_t>(arrived)].base = sum;
  Step start = allReduce(x, sum, 0), wait = kernelStep("dist_wait", {sum, x}, {arrived});
  start.isStart = true;
  wait.kind = StepKind::Library;
  m.plan.steps = {start};
  if (blocking) {
    ValueId other = m.rows(Storage::Arena, "other");
    m.plan.steps.push_back(allReduce(y, other, 1));
    y = other;
  }
  m.plan.steps.push_back(kernelStep("twice", {y}, {doubled}, 2));
  m.plan.steps.push_back(wait);
  m.plan.steps.push_back(kernelStep("add_rows", {arrived, row}, {total}, 2));
  m.fetch(doubled);
  m.fetch(total);
  return m.plan;
}

/// Places the steps as the compiler does.
Plan onDevice(Plan plan, cuda::Libraries *libraries) {
  for (Step &step : plan.steps)
    if (step.kind == StepKind::Library)
      step.launch.library = cuda::chooseLibrary(step, plan, libraries).library;
  return placed(std::move(plan), {"twice", "add_rows"});
}

struct Rank {
  std::shared_ptr<RecordingDriver> driver = std::make_shared<RecordingDriver>();
  std::shared_ptr<cuda::Libraries> libraries = recordedLibraries(driver);

  Result<std::vector<Tensor>> run(Plan plan, std::shared_ptr<Communicator> communicator, float base) {
    DeviceCode code{"sm_90", {}};
    plan = onDevice(std::move(plan), libraries.get());
    for (const Step &step : plan.steps)
      if (step.isOnDevice() && step.kind == StepKind::Kernel) {
        code.kernels.push_back({step.symbol, "cubin", ""});
        driver->registerRowKernel(step.symbol, kernels().at(step.symbol), step.launch.parameters);
      }
    auto device = std::make_shared<CudaDevice>(driver, code, CudaDeviceOptions{.libraries = libraries});
    auto executable = Executable::create(plan, "net", resolve, nullptr, device);
    if (!executable)
      return executable.diagnostics();
    auto session = Session::create(*executable);
    if (!session)
      return session.diagnostics();
    (*session)->setCommunicator(std::move(communicator));
    auto filled = [](std::vector<int64_t> dims, float value) {
      Tensor tensor(DType::Float32, std::move(dims));
      std::fill_n(static_cast<float *>(tensor.data()), tensor.size(), value);
      return tensor;
    };
    NamedTensors feeds;
    feeds["x"] = filled({2, 4}, base);
    feeds["y"] = filled({2, 4}, 10 * base);
    feeds["row"] = filled({4}, 0.5F);
    for (int i = 0; i < 2; ++i) // the second run has the graphs of the first one's steps
      if (auto done = (*session)->run(feeds); !done)
        return done.diagnostics();
    driver->clearLog();
    return (*session)->run(feeds);
  }
};

float first(const Tensor &tensor) { return *static_cast<const float *>(tensor.data()); }

/// Requests of a run by the device of rank 0, without copies from and to the host.
std::vector<std::string> requests(const std::vector<std::string> &log) {
  std::vector<std::string> kept;
  for (const std::string &line : log)
    if (!line.starts_with("copy to") && line != "wait")
      kept.push_back(line);
  return kept;
}

std::vector<std::string> runPlan(bool blocking, std::vector<float> expected) {
  std::vector<std::string> log;
  auto ran = runSimulated(2, [&](std::shared_ptr<Communicator> communicator) -> Result<void> {
    Rank rank;
    int64_t index = communicator->rank();
    auto results = rank.run(planWithStart(blocking), communicator, static_cast<float>(index + 1));
    if (!results)
      return results.diagnostics();
    EXPECT_EQ(first((*results)[0]), expected[static_cast<size_t>(index)]);
    EXPECT_EQ(first((*results)[1]), 3.5F);
    if (index == 0)
      log = requests(rank.driver->log());
    return {};
  });
  for (const Diagnostics &diagnostics : ran)
    EXPECT_EQ(diagnostics.text(), "");
  return log;
}

} // namespace

TEST(StartedCollectiveTest, KernelsRunBetweenTheStartAndTheWait) {
  Rank rank;
  Plan plan = onDevice(planWithStart(), rank.libraries.get());
  auto valid = verify(plan, "net");
  ASSERT_TRUE(valid) << valid.diagnostics().text();
  EXPECT_THAT(runPlan(false, {20, 40}),
              ElementsAre("wait for event", "all_reduce sum float32 8", HasSubstr("twice"), "wait for event",
                          HasSubstr("add_rows")));
}

/// On all ranks collectives run in the order of the program, in whichever stream they are.
TEST(StartedCollectiveTest, ABlockingCollectiveRunsAfterTheStartedOne) {
  EXPECT_THAT(runPlan(true, {60, 60}),
              ElementsAre("wait for event", "all_reduce sum float32 8", "wait for event",
                          "all_reduce sum float32 8", HasSubstr("twice"), "wait for event",
                          HasSubstr("add_rows")));
}

/// The failure of a rank between the start and the wait ends the others.
TEST(StartedCollectiveTest, AFailedRankEndsTheOthers) {
  auto ran = runSimulated(2, [&](std::shared_ptr<Communicator> communicator) -> Result<void> {
    Rank rank;
    if (communicator->rank() == 1)
      rank.driver->failCalls("cuLaunchKernel", "CUDA_ERROR_LAUNCH_FAILED", 2);
    auto results = rank.run(planWithStart(), communicator, 1);
    return results ? Result<void>() : Result<void>(results.diagnostics());
  });
  EXPECT_THAT(ran[0].text(), HasSubstr("the other members do not come"));
  EXPECT_THAT(ran[1].text(), HasSubstr("CUDA_ERROR_LAUNCH_FAILED"));
}

} // namespace proa::runtime
