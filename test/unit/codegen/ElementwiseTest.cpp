// Elementwise kernels of all element types, compared with plain loops.
#include "test/unit/codegen/KernelText.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

using namespace proa;
using namespace proa::testing;

TEST(Elementwise, BiasGelu) {
  KernelText text("gelu", "%x: tensor<37x300xf32>, %b: tensor<300xf32>");
  text.generic("%t", {{"%x", "tensor<37x300xf32>", "0 1"}, {"%b", "tensor<300xf32>", "1"}},
               {"", "tensor<37x300xf32>", "0 1"}, "pp", "%y = arith.addf %i0, %i1 : f32");
  text.generic(
      "%r", {{"%t", "tensor<37x300xf32>", "0 1"}}, {"", "tensor<37x300xf32>", "0 1"}, "pp",
      "%c = arith.constant 0.70710678 : f32\n%h = arith.constant 0.5 : f32\n%one = arith.constant 1.0 : f32\n"
      "%0 = arith.mulf %i0, %c : f32\n%1 = math.erf %0 : f32\n%2 = arith.addf %1, %one : f32\n"
      "%3 = arith.mulf %i0, %h : f32\n%y = arith.mulf %2, %3 : f32");
  TestKernel kernel(text.returns("%r", "tensor<37x300xf32>"));
  ASSERT_TRUE(kernel.valid());
  EXPECT_GT(kernel.description().rows, 1);
  Tensor x = randomTensor(DType::Float32, {37, 300}), b = randomTensor(DType::Float32, {300}, -1, 1, 2);
  expectElements(kernel.run({x, b})[0], [&](int64_t i) {
    double t = element(x, i) + element(b, i % 300);
    return 0.5 * t * (1 + std::erf(t / std::sqrt(2.0)));
  });
}

TEST(Elementwise, FlatDynamicOfAnySize) {
  KernelText text("flat", "%x: tensor<?xf32>, %z: tensor<?xf32>");
  text.raw("%c0 = arith.constant 0 : index\n%n = tensor.dim %x, %c0 : tensor<?xf32>");
  text.generic("%r", {{"%x", "tensor<?xf32>", "0"}, {"%z", "tensor<?xf32>", "0"}}, {"", "tensor<?xf32>", "0"},
               "p", "%0 = math.tanh %i0 : f32\n%y = arith.mulf %0, %i1 : f32", "", "%n");
  TestKernel kernel(text.returns("%r", "tensor<?xf32>"));
  ASSERT_TRUE(kernel.valid());
  EXPECT_TRUE(kernel.description().hasShapeFunction);
  EXPECT_EQ(kernel.description().rows, -1);
  for (int64_t n : {0, 1, 63, 4096, 4097, 100000}) {
    Tensor x = randomTensor(DType::Float32, {n}), y = randomTensor(DType::Float32, {n}, -1, 1, 2);
    std::vector<Tensor> results = kernel.run({x, y}, 4);
    EXPECT_EQ(results[0].dims(), std::vector<int64_t>{n});
    expectElements(results[0], [&](int64_t i) { return std::tanh(element(x, i)) * element(y, i); });
  }
}

TEST(Elementwise, DynamicBroadcastOfUnknownAndKnownDims) {
  KernelText text("broadcast", "%x: tensor<?x5x?xf32>, %b: tensor<5x1xf32>");
  text.raw("%c0 = arith.constant 0 : index\n%c2 = arith.constant 2 : index\n"
           "%n = tensor.dim %x, %c0 : tensor<?x5x?xf32>\n%m = tensor.dim %x, %c2 : tensor<?x5x?xf32>");
  text.generic("%r", {{"%x", "tensor<?x5x?xf32>", "0 1 2"}, {"%b", "tensor<5x1xf32>", "1 c0"}},
               {"", "tensor<?x5x?xf32>", "0 1 2"}, "ppp", "%y = arith.subf %i0, %i1 : f32", "", "%n, %m");
  TestKernel kernel(text.returns("%r", "tensor<?x5x?xf32>"));
  ASSERT_TRUE(kernel.valid());
  for (auto [n, m] : {std::pair{3, 7}, {0, 7}, {4, 0}, {1, 5000}}) {
    Tensor x = randomTensor(DType::Float32, {n, 5, m}), b = randomTensor(DType::Float32, {5, 1}, -1, 1, 2);
    expectElements(kernel.run({x, b})[0],
                   [&, m = m](int64_t i) { return element(x, i) - element(b, i / m % 5); });
  }
}

TEST(Elementwise, ScalarOfRankZero) {
  KernelText text("scalar", "%x: tensor<f32>, %z: tensor<f32>");
  text.generic("%r", {{"%x", "tensor<f32>", ""}, {"%z", "tensor<f32>", ""}}, {"", "tensor<f32>", ""}, "",
               "%y = arith.divf %i0, %i1 : f32");
  TestKernel kernel(text.returns("%r", "tensor<f32>"));
  ASSERT_TRUE(kernel.valid());
  EXPECT_EQ(kernel.description().rows, 1);
  Tensor x = randomTensor(DType::Float32, {}), y = randomTensor(DType::Float32, {}, 1, 2, 2);
  expectElements(kernel.run({x, y})[0], [&](int64_t) { return element(x, 0) / element(y, 0); });
}

TEST(Elementwise, BoolsAreBytes) {
  KernelText text("bools", "%x: tensor<100x9xf32>, %m: tensor<9xi1>");
  text.generic(
      "%c", {{"%x", "tensor<100x9xf32>", "0 1"}, {"%m", "tensor<9xi1>", "1"}},
      {"", "tensor<100x9xi1>", "0 1"}, "pp",
      "%z = arith.constant 0.0 : f32\n%p = arith.cmpf ogt, %i0, %z : f32\n%y = arith.andi %p, %i1 : i1");
  text.generic("%s", {{"%c", "tensor<100x9xi1>", "0 1"}, {"%x", "tensor<100x9xf32>", "0 1"}},
               {"", "tensor<100x9xf32>", "0 1"}, "pp",
               "%k = arith.constant -1.0 : f32\n%y = arith.select %i0, %i1, %k : f32");
  TestKernel kernel(text.returns("%c, %s", "tensor<100x9xi1>, tensor<100x9xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {100, 9}), m = randomTensor(DType::Bool, {9}, -1, 1, 5);
  std::vector<Tensor> results = kernel.run({x, m});
  auto condition = [&](int64_t i) { return element(x, i) > 0 && element(m, i % 9) > 0; };
  expectElements(results[0], [&](int64_t i) { return condition(i) ? 1 : 0; }, 0, 0);
  expectElements(results[1], [&](int64_t i) { return condition(i) ? element(x, i) : -1; }, 0, 0);
}

TEST(Elementwise, ConstantsOfBoolsAndIntegers) {
  KernelText text("constants", "%x: tensor<4xi64>");
  text.raw("%k = arith.constant dense<[1, -2, 3, 4]> : tensor<4xi64>\n"
           "%m = arith.constant dense<[true, false, true, false]> : tensor<4xi1>");
  text.generic("%r",
               {{"%x", "tensor<4xi64>", "0"}, {"%k", "tensor<4xi64>", "0"}, {"%m", "tensor<4xi1>", "0"}},
               {"", "tensor<4xi64>", "0"}, "p",
               "%0 = arith.muli %i0, %i1 : i64\n%y = arith.select %i2, %0, %i0 : i64");
  TestKernel kernel(text.returns("%r", "tensor<4xi64>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x(DType::Int64, {4});
  const int64_t values[4] = {int64_t(1) << 40, 5, -7, 9}, expected[4] = {int64_t(1) << 40, 5, -21, 9};
  std::copy(values, values + 4, x.as<int64_t>());
  std::vector<Tensor> results = kernel.run({x});
  EXPECT_TRUE(std::equal(expected, expected + 4, results[0].as<int64_t>()));
}

TEST(Elementwise, Complex) {
  KernelText text("complex", "%x: tensor<50xcomplex<f32>>, %z: tensor<50xcomplex<f32>>");
  text.generic("%r", {{"%x", "tensor<50xcomplex<f32>>", "0"}, {"%z", "tensor<50xcomplex<f32>>", "0"}},
               {"", "tensor<50xcomplex<f32>>", "0"}, "p",
               "%0 = complex.mul %i0, %i1 : complex<f32>\n%y = complex.add %0, %i0 : complex<f32>");
  text.generic("%a", {{"%r", "tensor<50xcomplex<f32>>", "0"}}, {"", "tensor<50xf32>", "0"}, "p",
               "%y = complex.abs %i0 : complex<f32>");
  TestKernel kernel(text.returns("%r, %a", "tensor<50xcomplex<f32>>, tensor<50xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x(DType::Complex64, {50}), z(DType::Complex64, {50}), slices = randomTensor(DType::Float32, {200});
  std::memcpy(x.data(), slices.data(), x.bytes());
  std::memcpy(z.data(), slices.as<float>() + 100, z.bytes());
  std::vector<Tensor> results = kernel.run({x, z});
  for (int64_t i = 0; i < 50; ++i) {
    std::complex<double> a = x.as<std::complex<float>>()[i], b = z.as<std::complex<float>>()[i],
                         want = a * b + a;
    std::complex<double> got = results[0].as<std::complex<float>>()[i];
    EXPECT_LT(std::abs(got - want), 1e-5);
    EXPECT_NEAR(results[1].as<float>()[i], std::abs(want), 1e-5);
  }
}

TEST(Elementwise, ResultThatIsAnArgument) {
  KernelText text("identity", "%x: tensor<6x7xf32>");
  text.generic("%r", {{"%x", "tensor<6x7xf32>", "0 1"}}, {"", "tensor<6x7xf32>", "0 1"}, "pp",
               "%y = arith.negf %i0 : f32");
  TestKernel kernel(text.returns("%r, %x, %r", "tensor<6x7xf32>, tensor<6x7xf32>, tensor<6x7xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {6, 7});
  std::vector<Tensor> results = kernel.run({x});
  expectElements(results[0], [&](int64_t i) { return -element(x, i); }, 0, 0);
  expectElements(results[1], [&](int64_t i) { return element(x, i); }, 0, 0);
  expectElements(results[2], [&](int64_t i) { return -element(x, i); }, 0, 0);
}
