// Failures of each call of the driver: every one is an error that names the call, or has no effect on the
// results.
#include "test/unit/cuda/PlanHarness.h"

#include "lib/runtime/cuda/CudaContext.h"

namespace proa::runtime {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

class DeviceFaultTest : public DevicePlanTest {
protected:
  /// Everything that a program does: the texts of its errors, or of its results.
  std::string runAll(bool profiled = false) {
    std::string text;
    Plan plan = placed(straightPlan(), {"add_rows", "twice"});
    plan.steps[2].launch.sharedBytes = 60000; // more than a kernel may use without asking
    auto executable = Executable::create(plan, "net", resolve, nullptr, device(plan));
    if (!executable)
      return executable.diagnostics().text();
    if (auto bound = (*executable)->bindParameters({{"w", tensor({4}, {1, 1, 1, 1})}}); !bound)
      return bound.diagnostics().text();
    auto session = Session::create(*executable);
    if (!session)
      return session.diagnostics().text();
    Profile profile((*executable)->plan(), (*executable)->devicePeaks());
    if (profiled)
      (*session)->setProfile(&profile);
    for (int run = 0; run < 3; ++run) {
      auto results = (*session)->run({{"x", tensor({2, 4}, eight)}});
      if (!results)
        return results.diagnostics().text();
      text = floats((*results)[0]) == std::vector<float>{4, 6, 8, 10, 12, 14, 16, 18} ? "right" : "wrong";
    }
    return text;
  }
};

} // namespace

TEST_F(DeviceFaultTest, RightWithoutFaults) {
  EXPECT_EQ(runAll(), "right");
  EXPECT_EQ(runAll(true), "right");
}

TEST_F(DeviceFaultTest, EachCallThatFailsIsAnError) {
  const char *functions[] = {"cuMemAlloc",           "cuStreamCreate",      "cuMemcpyHtoDAsync",
                             "cuMemcpyDtoHAsync",    "cuStreamSynchronize", "cuModuleLoadDataEx",
                             "cuModuleGetFunction",  "cuLaunchKernel",      "cuFuncSetAttribute",
                             "cuStreamBeginCapture", "cuStreamEndCapture",  "cuGraphInstantiate",
                             "cuGraphLaunch"};
  for (const char *function : functions)
    for (int passed = 0; passed < 3; ++passed) {
      driver = std::make_shared<RecordingDriver>();
      driver->failCalls(function, "CUDA_ERROR_UNKNOWN (unknown error)", passed);
      std::string text = runAll();
      // Calls that occur less often than that did not fail.
      if (text != "right")
        EXPECT_THAT(text, AllOf(HasSubstr(function), HasSubstr("CUDA_ERROR_UNKNOWN"), HasSubstr("net")))
            << passed;
      else
        EXPECT_GT(passed, 0) << function;
    }
}

TEST_F(DeviceFaultTest, EachCallOfAProfileThatFailsIsAnError) {
  for (const char *function : {"cuEventCreate", "cuEventRecord", "cuEventElapsedTime"}) {
    driver = std::make_shared<RecordingDriver>();
    driver->failCalls(function, "CUDA_ERROR_UNKNOWN");
    EXPECT_THAT(runAll(true), HasSubstr(std::string(function) + ": CUDA_ERROR_UNKNOWN"));
  }
}

/// Pinned memory is a matter of speed.
TEST_F(DeviceFaultTest, WithoutPinnedMemoryCopiesAreLeftToTheDriver) {
  driver->failCalls("cuMemHostAlloc", "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(runAll(), "right");
}

TEST_F(DeviceFaultTest, ReleasesEverythingAfterAnError) {
  for (const char *function :
       {"cuMemcpyDtoHAsync", "cuLaunchKernel", "cuStreamSynchronize", "cuStreamEndCapture"}) {
    driver = std::make_shared<RecordingDriver>();
    driver->failCalls(function, "CUDA_ERROR_UNKNOWN", 1);
    runAll();
    EXPECT_EQ(driver->allocatedBytes(), 0) << function;
  }
}

TEST_F(DeviceFaultTest, MemoryTextWithoutFiguresOfTheDriver) {
  driver = std::make_shared<RecordingDriver>(64);
  driver->failCalls("cuMemGetInfo", "CUDA_ERROR_UNKNOWN");
  EXPECT_THAT(runAll(), HasSubstr("no memory on recording driver for 128 bytes (size unknown)"));
}

TEST_F(DeviceFaultTest, OutOfMemoryCountsParameters) {
  driver = std::make_shared<RecordingDriver>(8);
  EXPECT_THAT(runAll(), AllOf(HasSubstr("no memory on recording driver for w float32[4]"),
                              HasSubstr("w float32[4] (16 bytes)"), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY")));
}

TEST_F(DeviceFaultTest, DriverThatIsOlderThanThePtx) {
  Plan plan = placed(straightPlan(), {"add_rows", "twice"});
  DeviceCode code{"sm_80", {}};
  for (const char *name : {"add_rows", "twice"})
    code.kernels.push_back({name, "", "//\n.version 8.7\n.target sm_80\n"});
  driver->describe().driverVersion = 12020;
  driver->failCalls("cuModuleLoadDataEx",
                    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (the provided PTX was compiled with an "
                    "unsupported toolchain.)");
  auto executable =
      Executable::create(plan, "net", resolve, nullptr, std::make_shared<CudaDevice>(driver, code));
  ASSERT_FALSE(executable);
  EXPECT_THAT(
      executable.diagnostics().text(),
      HasSubstr(
          "kernel 'add_rows' cannot be loaded: cuModuleLoadDataEx: CUDA_ERROR_UNSUPPORTED_PTX_VERSION (the "
          "provided PTX was compiled with an unsupported toolchain.); its PTX has the version 8.7, and the "
          "driver belongs to CUDA 12.2: install a newer driver, or an assembler (proa-ptx --toolkit)"));
}

TEST(CudaContextTest, DevicesAreOpenedOnce) {
  auto first = std::make_shared<RecordingDriver>(), second = std::make_shared<RecordingDriver>();
  cuda::setCudaContext({first, cuda::Libraries::none("none")}, 0);
  cuda::setCudaContext({second, cuda::Libraries::none("none")}, 1);
  EXPECT_EQ(cuda::cudaContext(0)->driver, first);
  EXPECT_EQ(cuda::cudaContext(1)->driver, second);
  cuda::setCudaContext({}, 0);
  cuda::setCudaContext({}, 1);
}

TEST(CudaContextTest, CodeFitsDevices) {
  auto device = [](int major, int minor) { return cuda::DeviceProperties{.major = major, .minor = minor}; };
  cuda::DeviceCode code{"sm_80", {{"k", "cubin", "ptx"}}}, special{"sm_90a", {{"k", "cubin", "ptx"}}},
      bare{"sm_80", {{"k", "cubin", ""}}};
  EXPECT_EQ(cuda::fitOf(code, device(8, 6)), 2);
  EXPECT_EQ(cuda::fitOf(code, device(9, 0)), 1);
  EXPECT_EQ(cuda::fitOf(code, device(7, 5)), 0);
  EXPECT_EQ(cuda::fitOf(special, device(9, 0)), 2);
  EXPECT_EQ(cuda::fitOf(special, device(10, 0)), 0);
  EXPECT_EQ(cuda::fitOf(bare, device(9, 0)), 0);
}

} // namespace proa::runtime
