// Products of 8-bit integers with sums of 32 bits on the emulated GPU. All results are exact.
#include "test/unit/codegen/KernelText.h"

#include "lib/emulator/Emulator.h"

#include <gtest/gtest.h>

using namespace proa;
using namespace proa::testing;

namespace {

struct IntegerDims {
  int64_t m, n, k;
};

/// A product of [m, k] and [k, n], whose elements ops of their own extend to 32 bits.
struct IntegerProduct {
  IntegerDims dims{};
  bool isDynamic = false, transposeX = false, transposeY = false, isXUnsigned = false, isYUnsigned = false;
  bool hasEpilogue = false;  ///< the result is float(sum) / 4
  std::string strategy = {}; ///< of proa-choose-contraction

  std::string type(int64_t rows, int64_t columns, const char *element) const {
    auto text = [&](int64_t size) { return isDynamic ? std::string("?") : std::to_string(size); };
    return "tensor<" + text(rows) + "x" + text(columns) + "x" + element + ">";
  }

  /// Adds the extension of an argument. `sizes`: SSA values of its dims.
  static void extend(KernelText &kernel, const std::string &name, const std::string &from,
                     const std::string &to, bool isUnsigned, const std::string &sizes) {
    kernel.generic(name + "32", {{name, from, "0 1"}}, {"", to, "0 1"}, "pp",
                   std::string("%y = arith.ext") + (isUnsigned ? "ui" : "si") + " %i0 : i8 to i32", "",
                   sizes);
  }

  std::string text() const {
    int64_t xRows = transposeX ? dims.k : dims.m, xColumns = transposeX ? dims.m : dims.k;
    int64_t yRows = transposeY ? dims.n : dims.k, yColumns = transposeY ? dims.k : dims.n;
    std::string x = type(xRows, xColumns, "i8"), y = type(yRows, yColumns, "i8"),
                sum = type(dims.m, dims.n, "i32"), out = type(dims.m, dims.n, "f32");
    KernelText kernel("product", "%left: " + x + ", %right: " + y);
    std::string xSizes, ySizes, sizes;
    if (isDynamic) {
      kernel.raw("%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index");
      for (const char *dim : {"0", "1"})
        for (const std::string name : {"left", "right"})
          kernel.raw("%" + name + dim + " = tensor.dim %" + name + ", %c" + dim + " : " +
                     (name == "left" ? x : y));
      xSizes = "%left0, %left1";
      ySizes = "%right0, %right1";
      sizes = std::string(transposeX ? "%left1" : "%left0") + (transposeY ? ", %right0" : ", %right1");
    }
    extend(kernel, "%left", x, type(xRows, xColumns, "i32"), isXUnsigned, xSizes);
    extend(kernel, "%right", y, type(yRows, yColumns, "i32"), isYUnsigned, ySizes);
    kernel.generic("%p",
                   {{"%left32", type(xRows, xColumns, "i32"), transposeX ? "2 0" : "0 2"},
                    {"%right32", type(yRows, yColumns, "i32"), transposeY ? "1 2" : "2 1"}},
                   {"", sum, "0 1"}, "ppr", "%t = arith.muli %i0, %i1 : i32\n%y = arith.addi %o, %t : i32",
                   "0", sizes);
    if (!hasEpilogue)
      return kernel.returns("%p", sum);
    kernel.generic("%r", {{"%p", sum, "0 1"}}, {"", out, "0 1"}, "pp",
                   "%f = arith.sitofp %i0 : i32 to f32\n%q = arith.constant 0.25 : f32\n"
                   "%y = arith.mulf %f, %q : f32",
                   "", sizes);
    return kernel.returns("%r", out);
  }

  void check(const TestKernel &kernel, const IntegerDims &own) const {
    SCOPED_TRACE(text());
    SCOPED_TRACE(std::to_string(own.m) + " x " + std::to_string(own.n) + " x " + std::to_string(own.k));
    auto numbers = [](int64_t rows, int64_t columns, bool transposes, int seed) {
      return randomTensor(DType::Int8, {transposes ? columns : rows, transposes ? rows : columns}, -128, 127,
                          seed);
    };
    Tensor x = numbers(own.m, own.k, transposeX, 1), y = numbers(own.k, own.n, transposeY, 2);
    auto number = [](const Tensor &tensor, int64_t at, bool isUnsigned) {
      auto value = static_cast<int64_t>(element(tensor, at));
      return isUnsigned ? value & 0xff : value;
    };
    auto expected = [&](int64_t i) {
      int64_t row = i / own.n, column = i % own.n, sum = 0;
      for (int64_t k = 0; k < own.k; ++k)
        sum += number(x, transposeX ? k * own.m + row : row * own.k + k, isXUnsigned) *
               number(y, transposeY ? column * own.k + k : k * own.n + column, isYUnsigned);
      return static_cast<double>(sum) * (hasEpilogue ? 0.25 : 1);
    };
    expectElements(kernel.run({x, y}, 2)[0], expected, 0, 0);
  }

  void check() const {
    TestKernel kernel(text(), {.emulatesGpu = true, .emulatedContraction = strategy});
    ASSERT_TRUE(kernel.valid());
    check(kernel, dims);
  }
};

} // namespace

TEST(IntegerContraction, Signedness) {
  for (const char *strategy : {"fma", "mma", "wgmma"})
    for (bool x : {false, true})
      for (bool y : {false, true})
        IntegerProduct{.dims = {40, 72, 112},
                       .transposeY = true,
                       .isXUnsigned = x,
                       .isYUnsigned = y,
                       .strategy = strategy}
            .check();
}

// Operands that are not adjacent along k are transposed when they are stored in shared memory.
TEST(IntegerContraction, TransposedOperands) {
  for (bool x : {false, true})
    for (bool y : {false, true})
      for (IntegerDims dims : {IntegerDims{64, 96, 80}, IntegerDims{33, 65, 31}, IntegerDims{130, 136, 72}})
        for (bool hasEpilogue : {false, true})
          IntegerProduct{
              .dims = dims, .transposeX = x, .transposeY = y, .hasEpilogue = hasEpilogue, .strategy = "mma"}
              .check();
}

TEST(IntegerContraction, Sizes) {
  for (int64_t size : {1, 15, 31, 33, 64, 65, 127})
    for (IntegerDims dims : {IntegerDims{size, 64, 32}, IntegerDims{64, size, 48}, IntegerDims{40, 24, size}})
      IntegerProduct{.dims = dims}.check();
}

TEST(IntegerContraction, DynamicSizes) {
  IntegerProduct product{.isDynamic = true, .transposeY = true, .hasEpilogue = true};
  TestKernel kernel(product.text(), {.emulatesGpu = true});
  ASSERT_TRUE(kernel.valid());
  for (IntegerDims dims : {IntegerDims{1, 1, 1}, IntegerDims{33, 64, 31}, IntegerDims{64, 33, 64},
                           IntegerDims{127, 65, 130}, IntegerDims{4, 4, 0}})
    product.check(kernel, dims);
}

TEST(IntegerContraction, WarpgroupSizes) {
  for (IntegerDims dims : {IntegerDims{1, 16, 16}, IntegerDims{65, 72, 80}, IntegerDims{129, 136, 320},
                           IntegerDims{64, 64, 2048}})
    IntegerProduct{.dims = dims, .transposeY = true, .hasEpilogue = true, .strategy = "wgmma"}.check();
}

TEST(IntegerContraction, Schedules) {
  for (const char *strategy : {"mma", "wgmma"})
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
      emulator::setScheduling({.rotation = rotation});
      IntegerProduct{.dims = {72, 72, 336}, .transposeY = true, .strategy = strategy}.check();
      emulator::setScheduling({});
    }
}
