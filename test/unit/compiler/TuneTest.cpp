// Tuning of kernels on the recording driver, whose times are those of a formula.
#include "lib/base/support/Files.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/cuda/TuneKernels.h"
#include "lib/runtime/cuda/RecordingDriver.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <unistd.h>

using namespace proa;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

namespace {

constexpr const char *softmaxProgram = R"(
func.func @main(%x: tensor<64x2048xf32> {pd.feed = "x"}) -> (tensor<64x2048xf32> {pd.fetch = "y"}) {
  %y = pd.softmax %x : (tensor<64x2048xf32>) -> tensor<64x2048xf32>
  return %y : tensor<64x2048xf32>
})";

class TuneTest : public ::testing::Test {
protected:
  TuneTest() : context(registry()), driver(std::make_shared<cuda::RecordingDriver>()) {
    context.loadAllAvailableDialects();
    device = {driver, cuda::Libraries::none("not recorded")};
    cuda::setCudaContext(device);
    file = ::testing::TempDir() + "/tuning-" + std::to_string(::getpid()) + ".json";
    std::filesystem::remove(file);
  }
  ~TuneTest() override {
    cuda::setCudaContext({});
    std::filesystem::remove(file);
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }

  Result<CompiledProgram> compile(const std::function<Result<void>(mlir::ModuleOp)> &onKernels = nullptr) {
    CompileOptions options;
    options.target = TargetKind::Cuda;
    options.cacheDirectory = "off";
    options.tuningFile = onKernels ? "off" : file;
    options.onDeviceKernels = onKernels;
    return compileProgram(mlir::parseSourceString<mlir::ModuleOp>(softmaxProgram, &context), options);
  }

  /// Tunes the program's kernels; the lines of the report.
  std::vector<std::string> tune(TuningDatabase &database, size_t expected) {
    std::vector<std::string> lines;
    TuneOptions options{.context = device, .launches = 4};
    options.report = [&](const std::string &text) { lines.push_back(text); };
    auto compiled = compile([&](mlir::ModuleOp kernels) -> Result<void> {
      auto measured = tuneKernels(kernels, database, options);
      EXPECT_TRUE(measured) << measured.diagnostics().text();
      EXPECT_EQ(measured ? *measured : 0, expected);
      return {};
    });
    EXPECT_TRUE(compiled) << compiled.diagnostics().text();
    return lines;
  }

  static int threadsOf(const CompiledProgram &compiled) {
    for (const runtime::Step &step : compiled.plan.steps)
      if (step.isOnDevice())
        return step.launch.threads;
    return 0;
  }

  mlir::MLIRContext context;
  std::shared_ptr<cuda::RecordingDriver> driver;
  cuda::CudaContext device;
  std::string file;
};

/// "launch NAME 64x128+0": blocks of 128 threads are the fastest.
double costOf(const std::string &line) {
  size_t at = line.rfind('x');
  if (!line.starts_with("launch") || at == std::string::npos)
    return 0;
  int threads = std::atoi(line.c_str() + at + 1);
  return 0.01 + 0.001 * std::abs(threads - 128);
}

TEST_F(TuneTest, StoresTheFastestAndCompileReadsIt) {
  driver->setCost(costOf);
  auto before = compile();
  ASSERT_TRUE(before) << before.diagnostics().text();
  EXPECT_EQ(threadsOf(*before), 256);
  TuningDatabase database;
  EXPECT_THAT(tune(database, 1),
              Contains(AllOf(HasSubstr("10.00 us with 128 threads"), HasSubstr("138.00 us by default"))));
  ASSERT_TRUE(database.write(file));
  auto after = compile();
  ASSERT_TRUE(after) << after.diagnostics().text();
  EXPECT_EQ(threadsOf(*after), 128);
  // Kernels that were measured are not measured again.
  auto read = TuningDatabase::read(file);
  ASSERT_TRUE(read) << read.diagnostics().text();
  tune(*read, 0);
}

TEST_F(TuneTest, ErrorsOfTheDeviceEndTheTuning) {
  driver->failCalls("cuLaunchKernel", "CUDA_ERROR_UNKNOWN", 3);
  TuningDatabase database;
  auto compiled = compile([&](mlir::ModuleOp kernels) -> Result<void> {
    auto measured = tuneKernels(kernels, database, {.context = device});
    return measured ? Result<void>() : Result<void>(measured.diagnostics());
  });
  ASSERT_FALSE(compiled);
  EXPECT_THAT(compiled.diagnostics().text(), HasSubstr("cuLaunchKernel: CUDA_ERROR_UNKNOWN"));
  EXPECT_EQ(database.size(), 0U);
}

TEST_F(TuneTest, StrategiesThatTheDeviceRefusesAreLeftOut) {
  driver->setCost(costOf);
  // The default has five launches, and the next strategy, of 64 threads, none.
  driver->failCalls("cuLaunchKernel", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", /*passed=*/5, /*times=*/1);
  TuningDatabase database;
  EXPECT_THAT(tune(database, 1), Contains(HasSubstr("10.00 us with 128 threads")));
}

/// The caches hold nothing of a kernel's operands: before each launch that is measured, other memory is
/// copied.
TEST_F(TuneTest, LaunchesHaveColdCaches) {
  TuningDatabase database;
  driver->clearLog();
  tune(database, 1);
  std::string last;
  int launches = 0, cold = 0;
  for (const std::string &line : driver->log()) {
    if (line.starts_with("launch")) {
      ++launches;
      cold += last.starts_with("copy on device");
    }
    if (line.starts_with("launch") || line.starts_with("copy"))
      last = line;
  }
  EXPECT_GT(launches, 10);
  EXPECT_EQ(cold * 5, launches * 4); // the first one of five is not measured
}

TEST_F(TuneTest, DamagedDatabasesAreErrors) {
  auto textOf = [&](const std::string &content) {
    EXPECT_TRUE(writeFile(file, content));
    auto read = TuningDatabase::read(file);
    return read ? std::string() : read.diagnostics().text();
  };
  EXPECT_THAT(textOf("{"), HasSubstr("expected a tuning database of proa-tune"));
  EXPECT_THAT(textOf(R"({"version": 99, "kernels": {}})"),
              HasSubstr("found version 99 of a tuning database, expected 1"));
  EXPECT_THAT(textOf(R"({"version": 1, "kernels": {"k": {"maxThreads": 100, "contraction": "", "label": "",
                         "microseconds": 1, "defaultMicroseconds": 1}}})"),
              HasSubstr("kernel 'k' has 100 threads, expected a power of two from 32 to 1024"));
  EXPECT_THAT(
      textOf(R"({"version": 1, "kernels": {"k": {"maxThreads": 128, "contraction": "simd", "label": "",
                         "microseconds": 1, "defaultMicroseconds": 1}}})"),
      HasSubstr("kernel 'k' has contraction 'simd', expected fma, mma, wgmma or nothing"));
  auto compiled = compile();
  ASSERT_FALSE(compiled);
  EXPECT_THAT(compiled.diagnostics().text(), HasSubstr(file));
}

} // namespace
