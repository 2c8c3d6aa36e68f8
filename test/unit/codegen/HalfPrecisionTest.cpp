// Kernels on f16 and bf16: arithmetic in f32, on CPUs with and without instructions for them.
#include "test/unit/codegen/KernelText.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace proa;
using namespace proa::testing;

struct HalfCase {
  DType dtype;
  const char *type;
  double tolerance;
};

class ElementType : public ::testing::TestWithParam<HalfCase> {};

TEST_P(ElementType, SigmoidTimesX) {
  std::string t = GetParam().type, tensor = "tensor<1000x" + t + ">";
  KernelText text("half", "%x: " + tensor);
  text.generic("%s", {{"%x", tensor, "0"}}, {"", tensor, "0"}, "p",
               "%one = arith.constant 1.0 : " + t + "\n%0 = arith.negf %i0 : " + t +
                   "\n%1 = math.exp %0 : " + t + "\n%2 = arith.addf %1, %one : " + t +
                   "\n%3 = arith.divf %one, %2 : " + t + "\n%y = arith.mulf %3, %i0 : " + t);
  TestKernel kernel(text.returns("%s", tensor));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(GetParam().dtype, {1000}, -8, 8);
  expectElements(
      kernel.run({x})[0], [&](int64_t i) { return element(x, i) / (1 + std::exp(-element(x, i))); },
      GetParam().tolerance);
}

INSTANTIATE_TEST_SUITE_P(All, ElementType,
                         ::testing::Values(HalfCase{DType::Float16, "f16", 6e-4},
                                           HalfCase{DType::BFloat16, "bf16", 4e-3},
                                           HalfCase{DType::Float64, "f64", 1e-14}));

TEST(HalfPrecision, PrecisionOnCpuWithoutInstructions) {
  KernelText text("cast", "%x: tensor<100xbf16>, %h: tensor<100xf16>");
  text.generic(
      "%r", {{"%x", "tensor<100xbf16>", "0"}, {"%h", "tensor<100xf16>", "0"}}, {"", "tensor<100xbf16>", "0"},
      "p",
      "%0 = arith.extf %i0 : bf16 to f32\n%1 = arith.extf %i1 : f16 to f32\n%2 = arith.addf %0, %1 : f32\n"
      "%y = arith.truncf %2 : f32 to bf16");
  for (const char *cpu : {"x86-64", "x86-64-v3"}) {
    CodegenOptions options;
    options.cpu = cpu;
    TestKernel kernel(text.returns("%r", "tensor<100xbf16>"), options);
    ASSERT_TRUE(kernel.valid());
    Tensor x = randomTensor(DType::BFloat16, {100}), h = randomTensor(DType::Float16, {100}, -1, 1, 2);
    expectElements(kernel.run({x, h})[0], [&](int64_t i) { return element(x, i) + element(h, i); }, 4e-3);
  }
}

TEST(HalfPrecision, LongSumsDoNotLosePrecision) {
  KernelText text("long", "%x: tensor<2x5000xbf16>");
  text.generic("%r", {{"%x", "tensor<2x5000xbf16>", "0 1"}}, {"", "tensor<2xbf16>", "0"}, "pr",
               "%y = arith.addf %o, %i0 : bf16", "0.0");
  TestKernel kernel(text.returns("%r", "tensor<2xbf16>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::BFloat16, {2, 5000}, 0.9, 1.1);
  expectElements(kernel.run({x})[0], [&](int64_t i) { return sumOf(x, i * 5000, 5000); }, 4e-3);
}
