// Steps between placements on recorded devices, one for each rank, with the arrays of test/unit/spmd.
#include "lib/runtime/cuda/CudaQueue.h"
#include "lib/runtime/cuda/DeviceCollective.h"
#include "test/unit/cuda/LibraryHarness.h"
#include "test/unit/runtime/CollectiveCases.h"

namespace proa::runtime {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// The device of one rank.
struct RankDevice {
  std::shared_ptr<cuda::RecordingDriver> driver = std::make_shared<cuda::RecordingDriver>(int64_t(1) << 24);
  std::shared_ptr<cuda::Libraries> libraries = recordedLibraries(driver);
  cuda::CudaDevice device{driver, {}, {.libraries = libraries}};
  std::unique_ptr<DeviceQueue> queue = std::move(*device.createQueue());

  /// The local tensor after the step, which `starts` where something else runs before the wait for it.
  Result<Tensor> run(const DeviceLibraryKernel &kernel, const Tensor &local, Communicator &communicator,
                     bool starts = false) {
    View x{local.dtype(), local.dims(), nullptr};
    Result<std::vector<std::vector<int64_t>>> dims = kernel.outputDims(std::span(&x, 1), &communicator);
    if (!dims)
      return dims.diagnostics();
    Tensor result(local.dtype(), dims->front());
    auto from = queue->allocate(std::max<size_t>(local.bytes(), 1)),
         to = queue->allocate(std::max<size_t>(result.bytes(), 1));
    if (!from || !to)
      return (from ? to : from).diagnostics();
    x.data = from->get();
    View out{result.dtype(), result.dims(), to->get()};
    if (auto done = queue->copyToDevice(x.data, local.data(), local.bytes()); !done)
      return done.diagnostics();
    std::unique_ptr<StartedWork> work;
    if (auto done = kernel.run(
            {*queue, std::span(&x, 1), std::span(&out, 1), &communicator, starts ? &work : nullptr});
        !done)
      return done.diagnostics();
    if (starts) {
      auto beside = queue->allocate(std::max<size_t>(local.bytes(), 1));
      if (!beside)
        return beside.diagnostics();
      if (auto done = queue->copyOnDevice(beside->get(), x.data, local.bytes()); !done)
        return done.diagnostics();
      if (auto done = work->wait(); !done)
        return done.diagnostics();
    }
    if (auto done = queue->copyToHost(result.data(), out.data, result.bytes()); !done)
      return done.diagnostics();
    if (auto done = queue->wait(); !done)
      return done.diagnostics();
    return result;
  }
};

/// Runs the cases that the device supports on all ranks; returns how many those are.
size_t runOnDevices(const std::vector<CollectiveCase> &cases, bool starts = false) {
  std::atomic<size_t> count = 0;
  auto ran = runSimulated(
      cases.front().step.mesh.size(), [&](std::shared_ptr<Communicator> communicator) -> Result<void> {
        RankDevice rank;
        for (const CollectiveCase &c : cases) {
          int64_t position = *spmd::positionOf(c.step.mesh, communicator->rank());
          const Tensor &local = c.before[static_cast<size_t>(position)];
          auto kernel = cuda::createDeviceCollective(c.step, local.dtype());
          if (!kernel)
            continue;
          Result<Tensor> result = rank.run(**kernel, local, *communicator, starts);
          if (!result)
            return result.diagnostics();
          // The double combines in the order of the ranks, as the host does.
          std::string differs = difference(*result, c.after[static_cast<size_t>(position)], c.isRounded);
          if (!differs.empty())
            return errorAt("", fmt::format("{} from {} to {}: {}", spmd::nameOf(c.step.kind),
                                           spmd::toText(c.step.mesh, c.step.from),
                                           spmd::toText(c.step.mesh, c.step.to), differs));
          ++count;
        }
        return {};
      });
  for (const Diagnostics &diagnostics : ran)
    EXPECT_EQ(diagnostics.text(), "");
  return count;
}

} // namespace

TEST(DeviceCollectiveTest, AllStepsBetweenSplitAndSummedPlacements) {
  const spmd::Reduction sums[] = {spmd::Reduction::Sum};
  spmd::Mesh square{{{"x", 2}, {"y", 2}}, {}}, line{{{"x", 3}}, {}};
  EXPECT_GT(runOnDevices(allCases(DType::Float32, square, {4, 6}, sums)), 100U);
  EXPECT_GT(runOnDevices(allCases(DType::Float32, line, {5, 3}, sums)), 10U); // parts of different sizes
}

TEST(DeviceCollectiveTest, AllStepsStarted) {
  const spmd::Reduction sums[] = {spmd::Reduction::Sum};
  spmd::Mesh square{{{"x", 2}, {"y", 2}}, {}};
  EXPECT_GT(runOnDevices(allCases(DType::Float32, square, {4, 6}, sums), /*starts=*/true), 100U);
}

TEST(DeviceCollectiveTest, ReductionsAndDtypes) {
  spmd::Mesh line{{{"x", 2}}, {}};
  for (DType dtype : {DType::Float64, DType::Float16, DType::BFloat16, DType::Int32, DType::Int64}) {
    const spmd::Reduction all[] = {spmd::Reduction::Sum, spmd::Reduction::Max, spmd::Reduction::Min};
    EXPECT_GT(runOnDevices(allCases(dtype, line, {4}, all)), 5U);
  }
  const spmd::Reduction logical[] = {spmd::Reduction::Any, spmd::Reduction::All};
  EXPECT_GT(runOnDevices(allCases(DType::Bool, line, {4}, logical)), 2U);
  EXPECT_FALSE(cuda::hasReduction(spmd::Reduction::Sum, DType::Complex64));
  EXPECT_FALSE(cuda::hasReduction(spmd::Reduction::Avg, DType::Int32));
}

/// The requests of rank 0, without copies, for a step of a tensor [4, 6] on two devices.
std::vector<std::string> requestsOf(spmd::StepKind kind, const spmd::Placement &from,
                                    const spmd::Placement &to) {
  spmd::Mesh line{{{"x", 2}}, {}};
  PlacementStep step{kind, line, from, to, {4, 6}, 0};
  std::vector<std::string> requests;
  auto ran = runSimulated(2, [&](std::shared_ptr<Communicator> communicator) -> Result<void> {
    RankDevice rank;
    auto kernel = cuda::createDeviceCollective(step, DType::Float32);
    Tensor local(DType::Float32, spmd::localDims(line, from, step.dims, communicator->rank()));
    auto result = kernel ? rank.run(**kernel, local, *communicator) : kernel.diagnostics();
    if (!result)
      return result.diagnostics();
    if (communicator->rank() == 0)
      for (const std::string &text : rank.driver->log())
        if (!text.starts_with("copy to") && text != "wait")
          requests.push_back(text);
    return {};
  });
  for (const Diagnostics &diagnostics : ran)
    EXPECT_EQ(diagnostics.text(), "");
  return requests;
}

/// Parts of one size are one request of the library; slices of the first dimension need no copies.
TEST(DeviceCollectiveTest, EvenShardsAreOneRequest) {
  spmd::Mesh line{{{"x", 2}}, {}};
  spmd::AxisRef x = line.full(0);
  spmd::Placement whole{{{}, {}}, {}}, rows{{{{x}}, {}}, {}}, columns{{{}, {{x}}}, {}},
      sum{{{}, {}}, {{x, spmd::Reduction::Sum}}};
  EXPECT_THAT(requestsOf(spmd::StepKind::AllGather, rows, whole), ElementsAre("all_gather 48"));
  EXPECT_THAT(requestsOf(spmd::StepKind::AllGather, columns, whole),
              AllOf(Contains("all_gather 48"), SizeIs(3)));
  EXPECT_THAT(requestsOf(spmd::StepKind::ReduceScatter, sum, rows),
              Contains("reduce_scatter sum float32 12"));
}

/// The failure of one rank ends the wait of the others, in whose device the collective never ends.
TEST(DeviceCollectiveTest, AFailedRankEndsTheOthers) {
  spmd::Mesh line{{{"x", 2}}, {}};
  spmd::Placement partial{{{}}, {{line.full(0), spmd::Reduction::Sum}}}, whole{{{}}, {}};
  PlacementStep step{spmd::StepKind::AllReduce, line, partial, whole, {4}, 0};
  auto kernel = cuda::createDeviceCollective(step, DType::Float32);
  ASSERT_TRUE(bool(kernel));
  auto ran = runSimulated(2, [&](std::shared_ptr<Communicator> communicator) -> Result<void> {
    RankDevice rank;
    Tensor local = floats({4}, {1, 2, 3, 4});
    if (auto first = rank.run(**kernel, local, *communicator); !first)
      return first.diagnostics();
    if (communicator->rank() == 1)
      return errorAt("", "an error of rank 1");
    auto second = rank.run(**kernel, local, *communicator);
    return second ? Result<void>() : Result<void>(second.diagnostics());
  });
  EXPECT_THAT(ran[0].text(), HasSubstr("the other members do not come"));
  EXPECT_THAT(ran[1].text(), HasSubstr("an error of rank 1"));
}

/// Ranks of one process that use one device have one Libraries: none waits for the other's lock.
TEST(DeviceCollectiveTest, RanksOfOneDeviceJoinTheirGroup) {
  auto driver = std::make_shared<cuda::RecordingDriver>();
  auto libraries = recordedLibraries(driver);
  auto ran = runSimulated(2, [&](std::shared_ptr<Communicator> communicator) -> Result<void> {
    auto group = libraries->groupOf(*communicator, {0, 1}, "a test");
    if (!group)
      return group.diagnostics();
    auto again = libraries->groupOf(*communicator, {0, 1}, "a test");
    return again && *again == *group ? Result<void>() : Result<void>(errorAt("", "another group"));
  });
  for (const Diagnostics &diagnostics : ran)
    EXPECT_EQ(diagnostics.text(), "");
}

TEST(DeviceCollectiveTest, UnsupportedStepsStayOnTheHost) {
  spmd::Mesh line{{{"x", 2}}, {}};
  spmd::Placement partial{{{}}, {{line.full(0), spmd::Reduction::Sum}}}, whole{{{}}, {}};
  auto textOf = [](const auto &created) { return created ? std::string() : created.diagnostics().text(); };
  EXPECT_THAT(textOf(cuda::createDeviceCollective({spmd::StepKind::AllReduce, line, partial, whole, {-1}, 0},
                                                  DType::Float32)),
              HasSubstr("NCCL exchanges no values of dynamic dims"));
  EXPECT_THAT(textOf(cuda::createDeviceCollective({spmd::StepKind::AllReduce, line, partial, whole, {4}, 0},
                                                  DType::Complex64)),
              HasSubstr("NCCL has no sum of complex64"));
}

} // namespace proa::runtime
