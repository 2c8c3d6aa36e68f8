// Kernels that are optimized after they were compiled.
#include "test/unit/codegen/KernelText.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace proa;
using namespace proa::testing;

namespace {

/// tanh of 300 numbers.
std::string tanhKernel() {
  KernelText text("tanh", "%x: tensor<300xf32>");
  text.generic("%r", {{"%x", "tensor<300xf32>", "0"}}, {"", "tensor<300xf32>", "0"}, "p",
               "%y = math.tanh %i0 : f32");
  return text.returns("%r", "tensor<300xf32>");
}

/// The largest error of the kernel in an archive.
double errorOf(const std::string &archive) {
  auto object = LoadedObject::load(archive);
  EXPECT_TRUE(object) << object.diagnostics().text();
  auto kernel = object->function<void(void *const *, const int64_t *, int64_t, int64_t)>("tanh");
  EXPECT_TRUE(kernel) << kernel.diagnostics().text();
  Tensor x = randomTensor(DType::Float32, {300}), y(DType::Float32, {300});
  void *buffers[] = {x.data(), y.data()};
  (*kernel)(buffers, nullptr, 0, 1);
  double error = 0;
  for (int64_t i = 0; i < 300; ++i)
    error = std::max(error, std::fabs(y.as<float>()[i] - std::tanh(static_cast<double>(x.as<float>()[i]))));
  return error;
}

TEST(Deferred, BothFormsOfTheCodeAreTheKernel) {
  CodegenOptions options;
  options.deferBelow = 1e9;
  auto compiled = compileText(tanhKernel(), options);
  ASSERT_TRUE(compiled) << compiled.diagnostics().text();
  ASSERT_EQ(compiled->kernels[0].rows, 1);
  ASSERT_TRUE(compiled->deferred);
  EXPECT_EQ(compiled->deferred->modules.size(), 1u);
  EXPECT_LT(errorOf(compiled->archive), 1e-6);
  auto optimized = optimizeKernels(*compiled->deferred, options);
  ASSERT_TRUE(optimized) << optimized.diagnostics().text();
  EXPECT_NE(*optimized, compiled->archive);
  EXPECT_LT(errorOf(*optimized), 1e-6);
}

TEST(Deferred, KernelsWithMuchWorkAreOptimizedAtOnce) {
  CodegenOptions options;
  options.deferBelow = 1;
  auto compiled = compileText(tanhKernel(), options);
  ASSERT_TRUE(compiled) << compiled.diagnostics().text();
  EXPECT_GT(compiled->kernels[0].work, 1);
  EXPECT_FALSE(compiled->deferred);
}

TEST(Deferred, NothingIsDeferredWithoutOptimization) {
  CodegenOptions options;
  options.deferBelow = 1e9;
  options.optimizes = false;
  auto compiled = compileText(tanhKernel(), options);
  ASSERT_TRUE(compiled) << compiled.diagnostics().text();
  EXPECT_FALSE(compiled->deferred);
}

TEST(Deferred, AStopEndsTheOptimization) {
  CodegenOptions options;
  options.deferBelow = 1e9;
  auto compiled = compileText(tanhKernel(), options);
  ASSERT_TRUE(compiled && compiled->deferred);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(optimizeKernels(*compiled->deferred, options, stop.get_token()));
}

} // namespace
