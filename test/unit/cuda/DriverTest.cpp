#include "lib/runtime/cuda/Driver.h"
#include "lib/runtime/cuda/RecordingDriver.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

using namespace proa;
using namespace proa::cuda;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// A copy of the fake library: each is a driver of its own, which starts once.
std::string fakeLibrary(const std::string &name, const char *behaviour) {
  namespace fs = std::filesystem;
  setenv("PROA_FAKE_CUDA", behaviour, 1);
  fs::path copy = fs::path(::testing::TempDir()) / ("fake-cuda-" + std::to_string(::getpid()) + "-" + name);
  fs::copy_file(PROA_FAKE_CUDA_LIBRARY, copy, fs::copy_options::overwrite_existing);
  return copy.string();
}

template <class T> std::string textOf(const Result<T> &result) {
  return result ? "success" : result.diagnostics().text();
}

} // namespace

TEST(DriverTest, MissingLibraryIsNoDevice) {
  EXPECT_THAT(textOf(openDriver(0, "/missing/libcuda.so.1")),
              HasSubstr("no CUDA device: the driver is not installed: /missing/libcuda.so.1"));
}

TEST(DriverTest, OtherLibraryIsNoDevice) {
  EXPECT_THAT(textOf(countDevices("libm.so.6")),
              HasSubstr("no CUDA device: the driver has no function cuGetProcAddress_v2"));
}

TEST(DriverTest, FailedStartNamesTheError) {
  EXPECT_THAT(textOf(openDriver(0, fakeLibrary("stub", "34"))),
              HasSubstr("no CUDA device: cuInit: CUDA_ERROR_STUB_LIBRARY (CUDA driver is a stub library)"));
}

TEST(DriverTest, ZeroDevicesAreNoDevice) {
  EXPECT_THAT(textOf(openDriver(0, fakeLibrary("zero", "0,0"))),
              HasSubstr("no CUDA device: the driver reports 0 devices"));
}

TEST(DriverTest, RefusesDeviceThatIsNotThere) {
  EXPECT_THAT(textOf(openDriver(2, fakeLibrary("two", "0,2"))),
              HasSubstr("no CUDA device: device 2 is requested, but the driver reports 2 devices"));
}

TEST(DriverTest, CallsTheLibrary) {
  auto driver = openDriver(1, fakeLibrary("works", "0,2"));
  ASSERT_TRUE(bool(driver)) << textOf(driver);
  const DeviceProperties &properties = (*driver)->properties();
  EXPECT_EQ(properties.name, "fake device 101");
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.multiprocessors, 132);
  EXPECT_EQ(properties.sharedBytesPerBlock, 232448);
  auto memory = (*driver)->allocate(64);
  auto stream = (*driver)->createStream();
  ASSERT_TRUE(memory && stream);
  auto module = (*driver)->loadModule("image");
  ASSERT_TRUE(bool(module));
  auto function = (*driver)->function(*module, "kernel");
  ASSERT_TRUE(bool(function));
  std::vector<uint64_t> parameters = {*memory, 5};
  ASSERT_TRUE(bool((*driver)->launch(*function, {3, 128, 16}, parameters, *stream)));
  int64_t value = 0;
  ASSERT_TRUE(bool((*driver)->copyToHost(&value, *memory, sizeof value, *stream)));
  EXPECT_EQ(value, 3133);
  EXPECT_TRUE(bool((*driver)->free(*memory)));
}

TEST(DriverTest, InstantiatesGraphs) {
  auto driver = openDriver(0, fakeLibrary("graph", "0,1"));
  ASSERT_TRUE(bool(driver)) << textOf(driver);
  auto stream = (*driver)->createStream();
  ASSERT_TRUE(bool(stream));
  ASSERT_TRUE(bool((*driver)->beginCapture(*stream)));
  auto graph = (*driver)->endCapture(*stream);
  ASSERT_TRUE(bool(graph)) << textOf(graph);
  EXPECT_NE(graph->value, nullptr);
}

TEST(DriverTest, ErrorsNameFunctionAndCode) {
  auto driver = openDriver(0, fakeLibrary("memory", "0,1"));
  ASSERT_TRUE(bool(driver));
  EXPECT_THAT(textOf((*driver)->allocate(size_t(1) << 30)),
              HasSubstr("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"));
}

TEST(RecordingDriverTest, RunsLateAndInOrder) {
  RecordingDriver driver;
  auto stream = driver.createStream();
  auto memory = driver.allocate(8);
  auto module = driver.loadModule("");
  ASSERT_TRUE(stream && memory && module);
  driver.registerKernel("add", [](const LaunchShape &shape, std::span<const uint64_t> parameters) {
    *reinterpret_cast<int64_t *>(parameters[0]) += static_cast<int64_t>(parameters[1]) * shape.blocks;
  });
  auto add = driver.function(*module, "add");
  int64_t input = 40, output = 0;
  EXPECT_TRUE(bool(driver.copyToDevice(*memory, &input, 8, *stream)));
  input = 0; // pageable memory was read already
  EXPECT_TRUE(bool(driver.launch(*add, {2, 32, 0}, std::vector<uint64_t>{*memory, 1}, *stream)));
  EXPECT_TRUE(bool(driver.copyToHost(&output, *memory, 8, *stream)));
  EXPECT_EQ(output, 0);
  EXPECT_TRUE(bool(driver.synchronize(*stream)));
  EXPECT_EQ(output, 42);
  EXPECT_THAT(driver.log(), ElementsAre("copy to device 8", "launch add 2x32+0", "copy to host 8", "wait"));
}

TEST(RecordingDriverTest, PinnedMemoryIsReadLate) {
  RecordingDriver driver;
  auto stream = driver.createStream();
  auto memory = driver.allocate(8);
  auto pinned = driver.allocatePinned(8);
  auto *input = static_cast<int64_t *>(*pinned);
  int64_t output = 0;
  *input = 1;
  EXPECT_TRUE(bool(driver.copyToDevice(*memory, input, 8, *stream)));
  *input = 2;
  EXPECT_TRUE(bool(driver.copyToHost(&output, *memory, 8, *stream)));
  EXPECT_TRUE(bool(driver.synchronize(*stream)));
  EXPECT_EQ(output, 2);
  EXPECT_TRUE(bool(driver.freePinned(input)));
}

TEST(RecordingDriverTest, EventEndsThePartThatIsAwaited) {
  RecordingDriver driver;
  auto stream = driver.createStream();
  auto memory = driver.allocate(8);
  auto event = driver.createEvent();
  int64_t input = 7, first = 0, second = 0;
  EXPECT_TRUE(bool(driver.copyToDevice(*memory, &input, 8, *stream)));
  EXPECT_TRUE(bool(driver.copyToHost(&first, *memory, 8, *stream)));
  EXPECT_TRUE(bool(driver.record(*event, *stream)));
  EXPECT_TRUE(bool(driver.copyToHost(&second, *memory, 8, *stream)));
  EXPECT_TRUE(bool(driver.synchronize(*event)));
  EXPECT_EQ(first, 7);
  EXPECT_EQ(second, 0);
}

TEST(RecordingDriverTest, FindsBadAccessAndLimits) {
  RecordingDriver driver(1024);
  auto stream = driver.createStream();
  auto memory = driver.allocate(512);
  EXPECT_THAT(textOf(driver.allocate(1024)), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
  char byte[1024] = {};
  EXPECT_TRUE(bool(driver.copyToDevice(*memory + 8, byte, 512, *stream)));
  EXPECT_THAT(textOf(driver.synchronize(*stream)), HasSubstr("access of 512 bytes outside of device memory"));
  auto module = driver.loadModule("");
  auto function = driver.function(*module, "k");
  EXPECT_THAT(textOf(driver.launch(*function, {1, 2048, 0}, {}, *stream)), HasSubstr("INVALID_VALUE"));
  EXPECT_THAT(textOf(driver.launch(*function, {1, 32, 60000}, {}, *stream)), HasSubstr("INVALID_VALUE"));
  EXPECT_TRUE(bool(driver.allowSharedBytes(*function, 60000)));
  EXPECT_TRUE(bool(driver.launch(*function, {1, 32, 60000}, {}, *stream)));
}

TEST(RecordingDriverTest, GraphRepeatsCapturedWork) {
  RecordingDriver driver;
  auto stream = driver.createStream();
  auto memory = driver.allocate(8);
  int64_t output = 0, zero = 0;
  auto module = driver.loadModule("");
  driver.registerKernel("increment", [](const LaunchShape &, std::span<const uint64_t> parameters) {
    ++*reinterpret_cast<int64_t *>(parameters[0]);
  });
  auto function = driver.function(*module, "increment");
  EXPECT_TRUE(bool(driver.copyToDevice(*memory, &zero, 8, *stream)));
  EXPECT_TRUE(bool(driver.beginCapture(*stream)));
  EXPECT_TRUE(bool(driver.launch(*function, {1, 1, 0}, std::vector<uint64_t>{*memory}, *stream)));
  auto graph = driver.endCapture(*stream);
  ASSERT_TRUE(bool(graph));
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(bool(driver.launch(*graph, *stream)));
  EXPECT_TRUE(bool(driver.copyToHost(&output, *memory, 8, *stream)));
  EXPECT_TRUE(bool(driver.synchronize(*stream)));
  EXPECT_EQ(output, 3);
}
