// Measurement of a device on the recording driver: a formula gives its times, so that each fact is
// known.
#include "lib/compiler/measure/MeasureDevice.h"
#include "lib/compiler/measure/MeasureTarget.h"
#include "lib/runtime/cuda/RecordingDriver.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>

using namespace proa;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr int64_t memoryBytes = int64_t(64) << 20;

class MeasureTest : public ::testing::Test {
protected:
  MeasureTest()
      : driver(std::make_shared<cuda::RecordingDriver>(memoryBytes)),
        context{driver, cuda::Libraries::none("not recorded")}, gpu(*knownFacts<GpuFacts>("sm_90a")) {
    gpu.multiprocessors = 4;
    gpu.clockMegahertz = 1000;
    // 200 kernels in 600 us; one alone in 2 us; a call of the library in 4 us.
    driver->setCost([](const std::string &line) {
      return line == "launch graph"         ? 0.6
             : line.starts_with("launch")   ? 0.002
             : line.starts_with("multiply") ? 0.004
                                            : 0.0;
    });
  }

  std::shared_ptr<cuda::RecordingDriver> driver;
  cuda::CudaContext context;
  GpuFacts gpu;
};

TEST_F(MeasureTest, FactsFollowTimes) {
  context.libraries->blas.set(cuda::recordingBlas(driver));
  Result<void> measured = measureDevice(context, gpu);
  ASSERT_TRUE(measured) << measured.diagnostics().text();
  EXPECT_EQ(gpu.stepNanoseconds, 3000);
  EXPECT_EQ(gpu.libraryNanoseconds, 4000);
  // 8 of 64 MiB are read and written in 2 us.
  EXPECT_EQ(gpu.memoryBandwidth, (int64_t(16) << 20) / 2);
  // A quarter of 1 MiB in 3,000 ns of 4 multiprocessors with 1 GHz; half of the time may be the start.
  EXPECT_EQ(gpu.l2BytesPerClock, std::lround((1 << 18) / (1500.0 * 4)));
  EXPECT_EQ(driver->allocatedBytes(), 0);
}

TEST_F(MeasureTest, WithoutALibraryAndWithoutGraphs) {
  ::setenv("PROA_CUDA_GRAPHS", "off", 1);
  Result<void> measured = measureDevice(context, gpu);
  ::unsetenv("PROA_CUDA_GRAPHS");
  ASSERT_TRUE(measured) << measured.diagnostics().text();
  EXPECT_EQ(gpu.stepNanoseconds, 2000);
  EXPECT_EQ(gpu.libraryNanoseconds, defaultGpu().libraryNanoseconds);
  EXPECT_THAT(driver->log(), Not(Contains("launch graph")));
}

TEST_F(MeasureTest, ACacheOfUnknownSizeIsNotMeasured) {
  driver->describe().l2Bytes = 0;
  ASSERT_TRUE(measureDevice(context, gpu));
  EXPECT_EQ(gpu.l2BytesPerClock, defaultGpu().l2BytesPerClock);
}

TEST_F(MeasureTest, ReportsErrorsOfTheDevice) {
  for (const char *function : {"cuLaunchKernel", "cuMemAlloc", "cuGraphInstantiate", "cuModuleLoadDataEx"}) {
    auto failing = std::make_shared<cuda::RecordingDriver>(memoryBytes);
    failing->failCalls(function, "CUDA_ERROR_UNKNOWN");
    Result<void> measured = measureDevice({failing, context.libraries}, gpu);
    ASSERT_FALSE(measured) << function;
    EXPECT_THAT(measured.diagnostics().text(), HasSubstr(std::string(function) + ": CUDA_ERROR_UNKNOWN"));
  }
}

TEST_F(MeasureTest, TheTargetHasFactsOfDriverAndKernels) {
  cuda::setCudaContext(context);
  Result<TargetFacts> facts = measureTarget(/*device=*/0);
  cuda::setCudaContext({});
  ASSERT_TRUE(facts) << facts.diagnostics().text();
  EXPECT_EQ(whyInvalid(*facts), "");
  ASSERT_TRUE(facts->gpu);
  EXPECT_EQ(facts->gpu->multiprocessors, 4);
  EXPECT_EQ(facts->gpu->stepNanoseconds, 3000);
  EXPECT_GT(facts->cpu.matmul64Rate, 1);
}

} // namespace
