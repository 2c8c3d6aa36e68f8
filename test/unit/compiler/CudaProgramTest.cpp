// Whole programs for a CUDA device, on the recording driver. Its kernels are the emulated ones.
#include "lib/compiler/CudaProgram.h"
#include "lib/codegen/LoadedObject.h"
#include "lib/codegen/cuda/CudaToolkit.h"
#include "lib/compiler/CompiledFunction.h"
#include "lib/compiler/Registration.h"
#include "lib/emulator/Emulator.h"
#include "lib/runtime/cuda/RecordingDriver.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace proa;

namespace {

constexpr const char *program = R"(
func.func @main(%x: tensor<3x4xf32> {pd.feed = "x"}, %w: tensor<4x5xf32> {pd.feed = "w"})
    -> (tensor<3x5xf32> {pd.fetch = "y"}) {
  %p = pd.matmul %x, %w : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %m = pd.max %p {axis = array<i64: 1>, keepdim = true} : (tensor<3x5xf32>) -> tensor<3x1xf32>
  %d = pd.subtract %p, %m : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %e = pd.exp %d : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %s = pd.sum %e {axis = array<i64: 1>, keepdim = true} : (tensor<3x5xf32>) -> tensor<3x1xf32>
  %y = pd.divide %e, %s : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
})";

class CudaProgramTest : public ::testing::Test {
protected:
  CudaProgramTest() : context(registry()), driver(std::make_shared<cuda::RecordingDriver>()) {
    context.loadAllAvailableDialects();
    setCudaContext({driver, cuda::recordingBlas(driver)});
  }
  ~CudaProgramTest() override { setCudaContext({}); }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse() {
    return mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  }

  /// Gives the driver the emulated form of the kernels.
  void registerKernels() {
    CompileOptions options;
    options.target = TargetKind::CudaEmulated;
    auto compiled = compileForCpu(parse(), options);
    ASSERT_TRUE(compiled) << compiled.diagnostics().text();
    auto object = LoadedObject::load(compiled->archive);
    ASSERT_TRUE(object) << object.diagnostics().text();
    for (const runtime::Step &step : compiled->plan.steps) {
      if (step.kind != runtime::StepKind::Kernel)
        continue;
      auto function = object->function<void(void *const *, const int64_t *, int64_t, int64_t)>(step.symbol);
      ASSERT_TRUE(function) << function.diagnostics().text();
      driver->registerKernel(step.symbol, [name = step.symbol, function = *function, keep = *object](
                                              const cuda::LaunchShape &, std::span<const uint64_t> values) {
        std::vector<void *> buffers;
        for (uint64_t address : values.first(values.size() - 2))
          buffers.push_back(reinterpret_cast<void *>(address));
        int64_t begin = static_cast<int64_t>(values[values.size() - 2]),
                end = static_cast<int64_t>(values.back());
        auto called = emulator::invoke({name, function, buffers, {}, nullptr, begin, end});
        EXPECT_TRUE(called) << called.diagnostics().text();
      });
    }
  }

  mlir::MLIRContext context;
  std::shared_ptr<cuda::RecordingDriver> driver;
};

TEST_F(CudaProgramTest, RunsOnTheDevice) {
  if (cuda::CudaToolkit::find().libdevice.empty())
    GTEST_SKIP() << "libdevice was not found";
  registerKernels();
  Tensor x(DType::Float32, {3, 4}), w(DType::Float32, {4, 5});
  for (int64_t i = 0; i < x.size(); ++i)
    x.as<float>()[i] = static_cast<float>(std::sin(i));
  for (int64_t i = 0; i < w.size(); ++i)
    w.as<float>()[i] = static_cast<float>(std::cos(3 * i));
  CompileOptions options;
  options.target = TargetKind::Cuda;
  auto compiled = CompiledFunction::create(parse(), {x, w}, options);
  ASSERT_TRUE(compiled) << compiled.diagnostics().text();
  driver->clearLog();
  auto results = compiled->run({x, w});
  ASSERT_TRUE(results) << results.diagnostics().text();
  for (int i = 0; i < 3; ++i) {
    double products[5], sum = 0;
    for (int j = 0; j < 5; ++j) {
      products[j] = 0;
      for (int k = 0; k < 4; ++k)
        products[j] += double(x.as<float>()[4 * i + k]) * double(w.as<float>()[5 * k + j]);
      sum += std::exp(products[j]);
    }
    for (int j = 0; j < 5; ++j)
      EXPECT_NEAR(results->front().as<float>()[5 * i + j], std::exp(products[j]) / sum, 1e-5);
  }
  EXPECT_THAT(driver->log(), ::testing::Contains(::testing::StartsWith("launch kernel")));
}

/// Products with many multiplications are those of the library.
TEST_F(CudaProgramTest, LargeProductsUseTheLibrary) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
func.func @main(%x: tensor<512x1024xf32>, %w: tensor<1024x512xf32>) -> tensor<512x512xf32> {
  %p = pd.matmul %x, %w : (tensor<512x1024xf32>, tensor<1024x512xf32>) -> tensor<512x512xf32>
  return %p : tensor<512x512xf32>
})",
                                                        &context);
  Tensor x(DType::Float32, {512, 1024}), w(DType::Float32, {1024, 512});
  std::fill_n(x.as<float>(), x.size(), 1.0f);
  std::fill_n(w.as<float>(), w.size(), 2.0f);
  CompileOptions options;
  options.target = TargetKind::Cuda;
  auto compiled = CompiledFunction::create(std::move(module), {x, w}, options);
  ASSERT_TRUE(compiled) << compiled.diagnostics().text();
  auto results = compiled->run({x, w});
  ASSERT_TRUE(results) << results.diagnostics().text();
  EXPECT_THAT(std::span(results->front().as<float>(), 512 * 512), ::testing::Each(2048.0f));
  EXPECT_THAT(driver->log(), ::testing::Contains(::testing::StartsWith("multiply float32 512x512x1024")));
}

TEST_F(CudaProgramTest, ChipsOfDevices) {
  cuda::DeviceProperties properties;
  properties.major = 9;
  EXPECT_EQ(chipOf(properties), "sm_90a");
  properties.major = 8;
  properties.minor = 6;
  EXPECT_EQ(chipOf(properties), "sm_86");
}

} // namespace
