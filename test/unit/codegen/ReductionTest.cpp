// Kernels with reductions, compared with plain loops.
#include "test/unit/codegen/KernelText.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace proa;
using namespace proa::testing;

namespace {

constexpr const char *addCode = "%y = arith.addf %o, %i0 : f32";

} // namespace

TEST(Reduction, AddLayerNormWithMeanAndVariance) {
  const std::string m = "tensor<?x96xf32>", v = "tensor<?xf32>", w = "tensor<96xf32>";
  KernelText text("layer_norm", "%x: " + m + ", %z: " + m + ", %g: " + w + ", %b: " + w);
  text.raw("%c0 = arith.constant 0 : index\n%n = tensor.dim %x, %c0 : " + m);
  text.generic("%t", {{"%x", m, "0 1"}, {"%z", m, "0 1"}}, {"", m, "0 1"}, "pp",
               "%y = arith.addf %i0, %i1 : f32", "", "%n");
  text.generic("%sum", {{"%t", m, "0 1"}}, {"", v, "0"}, "pr", addCode, "0.0", "%n");
  text.generic("%mean", {{"%sum", v, "0"}}, {"", v, "0"}, "p",
               "%k = arith.constant 96.0 : f32\n%y = arith.divf %i0, %k : f32", "", "%n");
  text.generic("%sq", {{"%t", m, "0 1"}, {"%mean", v, "0"}}, {"", v, "0"}, "pr",
               "%0 = arith.subf %i0, %i1 : f32\n%1 = arith.mulf %0, %0 : f32\n%y = arith.addf %o, %1 : f32",
               "0.0", "%n");
  text.generic("%var", {{"%sq", v, "0"}}, {"", v, "0"}, "p",
               "%k = arith.constant 96.0 : f32\n%y = arith.divf %i0, %k : f32", "", "%n");
  text.generic("%r", {{"%t", m, "0 1"}, {"%mean", v, "0"}, {"%var", v, "0"}, {"%g", w, "1"}, {"%b", w, "1"}},
               {"", m, "0 1"}, "pp",
               "%e = arith.constant 1.0e-5 : f32\n%0 = arith.addf %i2, %e : f32\n%1 = math.sqrt %0 : f32\n"
               "%2 = arith.subf %i0, %i1 : f32\n%3 = arith.divf %2, %1 : f32\n%4 = arith.mulf %3, %i3 : f32\n"
               "%y = arith.addf %4, %i4 : f32",
               "", "%n");
  TestKernel kernel(text.returns("%r, %mean, %var", m + ", " + v + ", " + v));
  ASSERT_TRUE(kernel.valid());
  for (int64_t n : {0, 1, 10}) {
    Tensor x = randomTensor(DType::Float32, {n, 96}), y = randomTensor(DType::Float32, {n, 96}, -1, 1, 2);
    Tensor g = randomTensor(DType::Float32, {96}, 0, 2, 3), b = randomTensor(DType::Float32, {96}, -1, 1, 4);
    std::vector<Tensor> results = kernel.run({x, y, g, b});
    auto t = [&](int64_t i) { return element(x, i) + element(y, i); };
    auto mean = [&](int64_t row) { return (sumOf(x, row * 96, 96) + sumOf(y, row * 96, 96)) / 96; };
    auto variance = [&](int64_t row) {
      double sum = 0;
      for (int64_t i = 0; i < 96; ++i)
        sum += std::pow(t(row * 96 + i) - mean(row), 2);
      return sum / 96;
    };
    expectElements(results[1], mean);
    expectElements(results[2], variance);
    expectElements(results[0], [&](int64_t i) {
      int64_t row = i / 96, column = i % 96;
      return (t(i) - mean(row)) / std::sqrt(variance(row) + 1e-5) * element(g, column) + element(b, column);
    });
  }
}

/// Softmax of `shape` over dimension `axis`, with a scale and a mask that may have -inf.
static void softmaxTest(std::vector<int64_t> shape, int axis) {
  std::string dims, all, reduced, others, loops;
  int64_t inner = 1;
  for (int i = 0; i < int(shape.size()); ++i) {
    dims += std::to_string(shape[i]) + "x";
    all += std::to_string(i) + " ";
    loops += i == axis ? "r" : "p";
    if (i > axis)
      inner *= shape[i];
    if (i == axis)
      continue;
    reduced += std::to_string(i) + " ";
    others += std::to_string(shape[i]) + "x";
  }
  int64_t size = shape[axis];
  const std::string full = "tensor<" + dims + "f32>", slice = "tensor<" + others + "f32>",
                    mask = "tensor<" + std::to_string(size) + "xf32>", axisMap = std::to_string(axis);
  std::string parallel(shape.size(), 'p');
  KernelText text("softmax", "%x: " + full + ", %m: " + mask);
  text.generic(
      "%t", {{"%x", full, all}, {"%m", mask, axisMap}}, {"", full, all}, parallel,
      "%k = arith.constant 0.125 : f32\n%0 = arith.mulf %i0, %k : f32\n%y = arith.addf %0, %i1 : f32");
  text.generic("%max", {{"%t", full, all}}, {"", slice, reduced}, loops, "%y = arith.maximumf %o, %i0 : f32",
               "0xFF800000");
  text.generic("%e", {{"%t", full, all}, {"%max", slice, reduced}}, {"", full, all}, parallel,
               "%0 = arith.subf %i0, %i1 : f32\n%y = math.exp %0 : f32");
  text.generic("%sum", {{"%e", full, all}}, {"", slice, reduced}, loops, addCode, "0.0");
  text.generic("%r", {{"%e", full, all}, {"%sum", slice, reduced}}, {"", full, all}, parallel,
               "%y = arith.divf %i0, %i1 : f32");
  TestKernel kernel(text.returns("%r", full));
  ASSERT_TRUE(kernel.valid());
  EXPECT_GT(kernel.description().rows, 1);
  Tensor x = randomTensor(DType::Float32, shape, -9, 9), m = randomTensor(DType::Float32, {size}, -1, 1, 2);
  setElement(m, 1, -INFINITY);
  auto t = [&](int64_t i) { return element(x, i) * 0.125 + element(m, i / inner % size); };
  auto firstOf = [&](int64_t i) { return i / (inner * size) * (inner * size) + i % inner; };
  std::vector<double> sums(x.size(), 0); // at the place of the first element
  for (int64_t i = 0; i < x.size(); ++i)
    sums[firstOf(i)] += std::exp(t(i));
  expectElements(kernel.run({x, m})[0], [&](int64_t i) { return std::exp(t(i)) / sums[firstOf(i)]; });
}

TEST(Reduction, SoftmaxOverTheLastDimension) { softmaxTest({3, 50, 33}, 2); }
TEST(Reduction, SoftmaxOverAMiddleDimension) { softmaxTest({2, 19, 130}, 1); }
TEST(Reduction, SoftmaxOverTheFirstDimension) { softmaxTest({21, 1000}, 0); }
TEST(Reduction, SoftmaxOfShortRows) { softmaxTest({4, 700, 10}, 2); }
TEST(Reduction, SoftmaxOfRowsLargerThanTheStack) { softmaxTest({3, 60000}, 1); }

/// Softmax of long rows on the emulated GPU, which computes maximum and sum at once. A row has -inf, one NaN,
/// one an infinity, and one nothing else than -inf.
static void longSoftmaxTest(const std::string &rowSize, int64_t size, const std::string &maximum) {
  const std::string full = "tensor<4x" + rowSize + "xf32>", slice = "tensor<4xf32>";
  KernelText text("softmax", "%x: " + full);
  const std::string sizes = rowSize == "?" ? "%n" : "";
  if (!sizes.empty())
    text.raw("%c1 = arith.constant 1 : index\n%n = tensor.dim %x, %c1 : " + full);
  text.generic("%max", {{"%x", full, "0 1"}}, {"", slice, "0"}, "pr",
               "%y = arith." + maximum + " %o, %i0 : f32", "0xFF800000");
  text.generic(
      "%e", {{"%x", full, "0 1"}, {"%max", slice, "0"}}, {"", full, "0 1"}, "pp",
      "%0 = arith.subf %i0, %i1 : f32\n%k = arith.constant -64.0 : f32\n"
      "%1 = arith.cmpf olt, %0, %k : f32\n%2 = arith.select %1, %k, %0 : f32\n%y = math.exp %2 : f32",
      "", sizes);
  text.generic("%sum", {{"%e", full, "0 1"}}, {"", slice, "0"}, "pr", addCode, "0.0");
  text.generic("%r", {{"%e", full, "0 1"}, {"%sum", slice, "0"}}, {"", full, "0 1"}, "pp",
               "%y = arith.divf %i0, %i1 : f32", "", sizes);
  TestKernel kernel(text.returns("%r", full), {.emulatesGpu = true});
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {4, size}, -9, 9);
  for (int64_t i = 0; i < size; i += 3)
    setElement(x, i, -INFINITY);
  setElement(x, size + size / 2, NAN);
  setElement(x, 2 * size + size / 3, INFINITY);
  for (int64_t i = 3 * size; i < 4 * size; ++i)
    setElement(x, i, -INFINITY);
  double greatest = -INFINITY, sum = 0;
  for (int64_t i = 0; i < size; ++i)
    greatest = std::max(greatest, element(x, i));
  for (int64_t i = 0; i < size; ++i)
    sum += std::exp(std::max(element(x, i) - greatest, -64.0));
  expectElements(
      kernel.run({x})[0],
      [&](int64_t i) { return i < size ? std::exp(std::max(element(x, i) - greatest, -64.0)) / sum : NAN; },
      1e-5, 1e-30);
}

TEST(Reduction, SoftmaxOfLongRowsOnAGpu) {
  longSoftmaxTest("20000", 20000, "maxnumf");
  longSoftmaxTest("16411", 16411, "maximumf");
  longSoftmaxTest("?", 301, "maxnumf");
}

TEST(Reduction, InnerDimension) {
  KernelText text("inner", "%x: tensor<50x301xf32>");
  text.generic("%r", {{"%x", "tensor<50x301xf32>", "0 1"}}, {"", "tensor<50xf32>", "0"}, "pr", addCode,
               "0.0");
  TestKernel kernel(text.returns("%r", "tensor<50xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {50, 301});
  expectElements(kernel.run({x})[0], [&](int64_t i) { return sumOf(x, i * 301, 301); }, 1e-5, 1e-4);
}

TEST(Reduction, OuterDimension) {
  KernelText text("outer", "%x: tensor<50x301xf32>");
  text.generic("%r", {{"%x", "tensor<50x301xf32>", "0 1"}}, {"", "tensor<301xf32>", "1"}, "rp", addCode,
               "0.0");
  TestKernel kernel(text.returns("%r", "tensor<301xf32>"));
  ASSERT_TRUE(kernel.valid());
  EXPECT_GT(kernel.description().rows, 1);
  Tensor x = randomTensor(DType::Float32, {50, 301});
  expectElements(kernel.run({x})[0], [&](int64_t i) { return sumOf(x, i, 50, 301); }, 1e-5, 1e-4);
}

TEST(Reduction, OuterAndInnerDimensionsOfDynamicSize) {
  const std::string t = "tensor<?x?x?xf32>", v = "tensor<?xf32>";
  KernelText text("middle", "%x: " + t);
  text.raw("%c1 = arith.constant 1 : index\n%n = tensor.dim %x, %c1 : " + t);
  text.generic("%r", {{"%x", t, "0 1 2"}}, {"", v, "1"}, "rpr", addCode, "0.0", "%n");
  TestKernel kernel(text.returns("%r", v));
  ASSERT_TRUE(kernel.valid());
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{4, 9, 17}, {0, 9, 17}, {4, 0, 17}, {4, 9, 0}, {1, 600, 1}}) {
    Tensor x = randomTensor(DType::Float32, shape);
    expectElements(
        kernel.run({x})[0],
        [&](int64_t i) {
          double sum = 0;
          for (int64_t n = 0; n < shape[0]; ++n)
            sum += sumOf(x, (n * shape[1] + i) * shape[2], shape[2]);
          return sum;
        },
        1e-5, 1e-4);
  }
}

TEST(Reduction, AllElementsAndTheirQuotient) {
  KernelText text("normalize", "%x: tensor<30x40xf32>");
  text.generic("%s", {{"%x", "tensor<30x40xf32>", "0 1"}}, {"", "tensor<f32>", ""}, "rr", addCode, "0.0");
  text.generic("%r", {{"%x", "tensor<30x40xf32>", "0 1"}, {"%s", "tensor<f32>", ""}},
               {"", "tensor<30x40xf32>", "0 1"}, "pp", "%y = arith.divf %i0, %i1 : f32");
  TestKernel kernel(text.returns("%r, %s", "tensor<30x40xf32>, tensor<f32>"));
  ASSERT_TRUE(kernel.valid());
  EXPECT_EQ(kernel.description().rows, 1);
  Tensor x = randomTensor(DType::Float32, {30, 40}, 0, 1);
  std::vector<Tensor> results = kernel.run({x});
  double sum = sumOf(x, 0, 1200);
  expectElements(results[1], [&](int64_t) { return sum; });
  expectElements(results[0], [&](int64_t i) { return element(x, i) / sum; });
}

TEST(Reduction, RowAndColumnSumsInOneKernel) {
  KernelText text("both", "%x: tensor<20x30xf32>");
  text.generic("%d", {{"%x", "tensor<20x30xf32>", "0 1"}}, {"", "tensor<20x30xf32>", "0 1"}, "pp",
               "%y = arith.mulf %i0, %i0 : f32");
  text.generic("%r", {{"%d", "tensor<20x30xf32>", "0 1"}}, {"", "tensor<20xf32>", "0"}, "pr", addCode, "0.0");
  text.generic("%c", {{"%d", "tensor<20x30xf32>", "0 1"}}, {"", "tensor<30xf32>", "1"}, "rp", addCode, "0.0");
  TestKernel kernel(text.returns("%r, %c, %d", "tensor<20xf32>, tensor<30xf32>, tensor<20x30xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {20, 30});
  std::vector<Tensor> results = kernel.run({x});
  expectElements(results[2], [&](int64_t i) { return std::pow(element(x, i), 2); });
  expectElements(results[0], [&](int64_t i) { return sumOf(results[2], i * 30, 30); }, 1e-5, 1e-5);
  expectElements(results[1], [&](int64_t i) { return sumOf(results[2], i, 20, 30); }, 1e-5, 1e-5);
}

TEST(Reduction, ColumnSumBesideElementwise) {
  KernelText text("bias_gradient", "%x: tensor<40x700xf32>, %z: tensor<40x700xf32>");
  text.generic("%d", {{"%x", "tensor<40x700xf32>", "0 1"}, {"%z", "tensor<40x700xf32>", "0 1"}},
               {"", "tensor<40x700xf32>", "0 1"}, "pp", "%y = arith.mulf %i0, %i1 : f32");
  text.generic("%c", {{"%d", "tensor<40x700xf32>", "0 1"}}, {"", "tensor<700xf32>", "1"}, "rp", addCode,
               "0.0");
  TestKernel kernel(text.returns("%d, %c", "tensor<40x700xf32>, tensor<700xf32>"));
  ASSERT_TRUE(kernel.valid());
  EXPECT_GT(kernel.description().rows, 1);
  Tensor x = randomTensor(DType::Float32, {40, 700}), y = randomTensor(DType::Float32, {40, 700}, -1, 1, 2);
  std::vector<Tensor> results = kernel.run({x, y});
  expectElements(results[0], [&](int64_t i) { return element(x, i) * element(y, i); });
  expectElements(results[1], [&](int64_t i) { return sumOf(results[0], i, 40, 700); }, 1e-5, 1e-5);
}

TEST(Reduction, MaximumOfIntegersAndAnyOfBools) {
  KernelText text("integers", "%x: tensor<17x23xi64>, %b: tensor<17x23xi1>");
  text.generic("%m", {{"%x", "tensor<17x23xi64>", "0 1"}}, {"", "tensor<17xi64>", "0"}, "pr",
               "%y = arith.maxsi %o, %i0 : i64", "-9223372036854775808");
  text.generic("%a", {{"%b", "tensor<17x23xi1>", "0 1"}}, {"", "tensor<17xi1>", "0"}, "pr",
               "%y = arith.ori %o, %i0 : i1", "false");
  TestKernel kernel(text.returns("%m, %a", "tensor<17xi64>, tensor<17xi1>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Int64, {17, 23}, -1e9, 1e9), b = randomTensor(DType::Bool, {17, 23}, -30, 1);
  std::vector<Tensor> results = kernel.run({x, b});
  auto greatest = [](const Tensor &t, int64_t row) {
    double best = -INFINITY;
    for (int64_t i = 0; i < 23; ++i)
      best = std::max(best, element(t, row * 23 + i));
    return best;
  };
  expectElements(results[0], [&](int64_t i) { return greatest(x, i); }, 0, 0);
  expectElements(results[1], [&](int64_t i) { return greatest(b, i); }, 0, 0);
}

TEST(Reduction, MaximumKeepsNaN) {
  KernelText text("nan", "%x: tensor<3x40xf32>");
  text.generic("%r", {{"%x", "tensor<3x40xf32>", "0 1"}}, {"", "tensor<3xf32>", "0"}, "pr",
               "%y = arith.maximumf %o, %i0 : f32", "0xFF800000");
  TestKernel kernel(text.returns("%r", "tensor<3xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {3, 40});
  setElement(x, 45, NAN);
  std::vector<Tensor> results = kernel.run({x});
  EXPECT_FALSE(std::isnan(element(results[0], 0)));
  EXPECT_TRUE(std::isnan(element(results[0], 1)));
  EXPECT_FALSE(std::isnan(element(results[0], 2)));
}

/// Maxima and minima of rows of each length, with and without NaN, in one kernel of several results.
static void extremesTest(const std::string &operation, const std::string &identity, bool isDynamic) {
  const bool isMax = operation.starts_with("max"), keepsNan = operation.ends_with("imumf");
  std::vector<int64_t> sizes{63, 64, 65, 100, 127, 128, 129, 255, 259, 1000};
  for (int64_t size = 1; size <= 40; ++size)
    sizes.push_back(size);
  for (int64_t size : sizes) {
    SCOPED_TRACE(operation + " of " + std::to_string(size));
    const std::string row = isDynamic ? "?" : std::to_string(size), in = "tensor<24x" + row + "xf32>";
    KernelText text("extremes", "%x: " + in);
    text.generic("%r", {{"%x", in, "0 1"}}, {"", "tensor<24xf32>", "0"}, "pr",
                 "%y = arith." + operation + " %o, %i0 : f32", identity);
    TestKernel kernel(text.returns("%r", "tensor<24xf32>"));
    ASSERT_TRUE(kernel.valid());
    Tensor x = randomTensor(DType::Float32, {24, size}, -1, 1, static_cast<unsigned>(size));
    for (int64_t r = 8; r < 24; ++r) // some rows have one NaN, others two
      for (int64_t i = 0; i <= r / 16; ++i)
        setElement(x, r * size + (r * 7 + i * 5) % size, NAN);
    auto extreme = [&](int64_t r) {
      double best = isMax ? -HUGE_VAL : HUGE_VAL;
      for (int64_t i = 0; i < size; ++i) {
        double value = element(x, r * size + i);
        if (std::isnan(value) && keepsNan)
          return value;
        best = isMax ? std::fmax(best, value) : std::fmin(best, value);
      }
      return best;
    };
    expectElements(kernel.run({x})[0], extreme, 0, 0);
  }
}
TEST(Reduction, MaximumAndMinimumOfRowsOfAllLengths) {
  for (bool isDynamic : {false, true}) {
    extremesTest("maxnumf", "0xFF800000", isDynamic);
    extremesTest("minnumf", "0x7F800000", isDynamic);
    extremesTest("maximumf", "0xFF800000", isDynamic);
    extremesTest("minimumf", "0x7F800000", isDynamic);
  }
}

TEST(Reduction, KeptDimensionsOfSizeOne) {
  KernelText text("keep", "%x: tensor<8x12x16xf32>");
  text.generic("%s", {{"%x", "tensor<8x12x16xf32>", "0 1 2"}}, {"", "tensor<8x1x16xf32>", "0 c0 2"}, "prp",
               addCode, "0.0");
  text.generic("%r", {{"%x", "tensor<8x12x16xf32>", "0 1 2"}, {"%s", "tensor<8x1x16xf32>", "0 c0 2"}},
               {"", "tensor<8x12x16xf32>", "0 1 2"}, "ppp", "%y = arith.subf %i0, %i1 : f32");
  TestKernel kernel(text.returns("%r", "tensor<8x12x16xf32>"));
  ASSERT_TRUE(kernel.valid());
  EXPECT_GT(kernel.description().rows, 1);
  Tensor x = randomTensor(DType::Float32, {8, 12, 16});
  expectElements(
      kernel.run({x})[0], [&](int64_t i) { return element(x, i) - sumOf(x, i / 192 * 192 + i % 16, 12, 16); },
      1e-5, 1e-5);
}
