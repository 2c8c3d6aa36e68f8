// Products of 8-bit integers and floats with sums of 32 bits on the emulated GPU, compared with sums in
// double precision. Results of integers are exact.
#include "test/unit/codegen/KernelText.h"

#include "lib/runtime/emulator/Emulator.h"

#include <gtest/gtest.h>

using namespace proa;
using namespace proa::testing;

namespace {

struct ByteDims {
  int64_t m, n, k;
};

/// A product of [m, k] and [k, n], whose elements ops of their own extend to 32 bits. Elements are i8 or
/// one of the 8-bit floats.
struct ByteProduct {
  ByteDims dims{};
  bool isDynamic = false, transposeX = false, transposeY = false, isXUnsigned = false, isYUnsigned = false;
  bool hasEpilogue = false;  ///< the result is float(sum) / 4
  std::string strategy = {}; ///< of proa-choose-contraction
  const char *xElement = "i8", *yElement = "i8";

  bool isOfFloats() const { return std::string(xElement) != "i8"; }
  const char *sumElement() const { return isOfFloats() ? "f32" : "i32"; }
  static DType dtypeOf(const std::string &element) {
    return element == "i8" ? DType::Int8 : element == "f8E5M2" ? DType::Float8E5M2 : DType::Float8E4M3FN;
  }

  std::string type(int64_t rows, int64_t columns, const char *element) const {
    auto text = [&](int64_t size) { return isDynamic ? std::string("?") : std::to_string(size); };
    return "tensor<" + text(rows) + "x" + text(columns) + "x" + element + ">";
  }

  /// Adds the extension of an argument. `sizes`: SSA values of its dims.
  void extend(KernelText &kernel, const std::string &name, const std::string &from, const std::string &to,
              const char *element, bool isUnsigned, const std::string &sizes) const {
    const char *extension = isOfFloats() ? "f" : isUnsigned ? "ui" : "si";
    kernel.generic(name + "32", {{name, from, "0 1"}}, {"", to, "0 1"}, "pp",
                   std::string("%y = arith.ext") + extension + " %i0 : " + element + " to " + sumElement(),
                   "", sizes);
  }

  std::string text() const {
    int64_t xRows = transposeX ? dims.k : dims.m, xColumns = transposeX ? dims.m : dims.k;
    int64_t yRows = transposeY ? dims.n : dims.k, yColumns = transposeY ? dims.k : dims.n;
    std::string x = type(xRows, xColumns, xElement), y = type(yRows, yColumns, yElement),
                sum = type(dims.m, dims.n, sumElement()), out = type(dims.m, dims.n, "f32");
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
    extend(kernel, "%left", x, type(xRows, xColumns, sumElement()), xElement, isXUnsigned, xSizes);
    extend(kernel, "%right", y, type(yRows, yColumns, sumElement()), yElement, isYUnsigned, ySizes);
    kernel.generic("%p",
                   {{"%left32", type(xRows, xColumns, sumElement()), transposeX ? "2 0" : "0 2"},
                    {"%right32", type(yRows, yColumns, sumElement()), transposeY ? "1 2" : "2 1"}},
                   {"", sum, "0 1"}, "ppr",
                   isOfFloats() ? "%t = arith.mulf %i0, %i1 : f32\n%y = arith.addf %o, %t : f32"
                                : "%t = arith.muli %i0, %i1 : i32\n%y = arith.addi %o, %t : i32",
                   isOfFloats() ? "0.0" : "0", sizes);
    if (!hasEpilogue)
      return kernel.returns("%p", sum);
    kernel.generic("%r", {{"%p", sum, "0 1"}}, {"", out, "0 1"}, "pp",
                   std::string(isOfFloats() ? "" : "%f = arith.sitofp %i0 : i32 to f32\n") +
                       "%q = arith.constant 0.25 : f32\n%y = arith.mulf " + (isOfFloats() ? "%i0" : "%f") +
                       ", %q : f32",
                   "", sizes);
    return kernel.returns("%r", out);
  }

  void check(const TestKernel &kernel, const ByteDims &own) const {
    SCOPED_TRACE(text());
    SCOPED_TRACE(std::to_string(own.m) + " x " + std::to_string(own.n) + " x " + std::to_string(own.k));
    auto values = [](const char *element, int64_t rows, int64_t columns, bool transposes, int seed) {
      double limit = std::string(element) == "i8" ? 127 : 1;
      return randomTensor(dtypeOf(element), {transposes ? columns : rows, transposes ? rows : columns},
                          -limit, limit, seed);
    };
    Tensor x = values(xElement, own.m, own.k, transposeX, 1),
           y = values(yElement, own.k, own.n, transposeY, 2);
    auto scalar = [](const Tensor &tensor, int64_t at, bool isUnsigned) {
      double value = element(tensor, at);
      return isUnsigned && value < 0 ? value + 256 : value;
    };
    auto expected = [&](int64_t i) {
      int64_t row = i / own.n, column = i % own.n;
      double sum = 0;
      for (int64_t k = 0; k < own.k; ++k)
        sum += scalar(x, transposeX ? k * own.m + row : row * own.k + k, isXUnsigned) *
               scalar(y, transposeY ? column * own.k + k : k * own.n + column, isYUnsigned);
      return sum * (hasEpilogue ? 0.25 : 1);
    };
    double tolerance = isOfFloats() ? 1e-5 : 0;
    expectElements(kernel.run({x, y}, 2)[0], expected, tolerance, tolerance);
  }

  void check() const {
    TestKernel kernel(text(), {.emulatesGpu = true, .emulatedContraction = matmulStrategy(strategy)});
    ASSERT_TRUE(kernel.valid());
    check(kernel, dims);
  }
};

} // namespace

TEST(IntegerContraction, Signedness) {
  for (const char *strategy : {"fma", "mma", "wgmma"})
    for (bool x : {false, true})
      for (bool y : {false, true})
        ByteProduct{.dims = {40, 72, 112},
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
      for (ByteDims dims : {ByteDims{64, 96, 80}, ByteDims{33, 65, 31}, ByteDims{130, 136, 72}})
        for (bool hasEpilogue : {false, true})
          ByteProduct{
              .dims = dims, .transposeX = x, .transposeY = y, .hasEpilogue = hasEpilogue, .strategy = "mma"}
              .check();
}

TEST(IntegerContraction, Sizes) {
  for (int64_t size : {1, 15, 31, 33, 64, 65, 127})
    for (ByteDims dims : {ByteDims{size, 64, 32}, ByteDims{64, size, 48}, ByteDims{40, 24, size}})
      ByteProduct{.dims = dims}.check();
}

TEST(IntegerContraction, DynamicSizes) {
  ByteProduct product{.isDynamic = true, .transposeY = true, .hasEpilogue = true};
  TestKernel kernel(product.text(), {.emulatesGpu = true});
  ASSERT_TRUE(kernel.valid());
  for (ByteDims dims : {ByteDims{1, 1, 1}, ByteDims{33, 64, 31}, ByteDims{64, 33, 64}, ByteDims{127, 65, 130},
                        ByteDims{4, 4, 0}})
    product.check(kernel, dims);
}

TEST(IntegerContraction, WarpgroupSizes) {
  for (ByteDims dims :
       {ByteDims{1, 16, 16}, ByteDims{65, 72, 80}, ByteDims{129, 136, 320}, ByteDims{64, 64, 2048}})
    ByteProduct{.dims = dims, .transposeY = true, .hasEpilogue = true, .strategy = "wgmma"}.check();
}

TEST(IntegerContraction, Schedules) {
  for (const char *strategy : {"mma", "wgmma"})
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
      emulator::setScheduling({.rotation = rotation});
      ByteProduct{.dims = {72, 72, 336}, .transposeY = true, .strategy = strategy}.check();
      emulator::setScheduling({});
    }
}

TEST(Float8Contraction, Formats) {
  for (const char *strategy : {"fma", "mma", "wgmma"})
    for (const char *x : {"f8E4M3FN", "f8E5M2"})
      for (const char *y : {"f8E4M3FN", "f8E5M2"})
        ByteProduct{
            .dims = {40, 72, 112}, .transposeY = true, .strategy = strategy, .xElement = x, .yElement = y}
            .check();
}

TEST(Float8Contraction, TransposedOperandsAndSizes) {
  for (bool x : {false, true})
    for (bool y : {false, true})
      for (ByteDims dims : {ByteDims{64, 96, 80}, ByteDims{33, 65, 31}, ByteDims{1, 8, 130}})
        ByteProduct{.dims = dims,
                    .transposeX = x,
                    .transposeY = y,
                    .hasEpilogue = x == y,
                    .xElement = "f8E4M3FN",
                    .yElement = "f8E5M2"}
            .check();
}

TEST(Float8Contraction, WarpgroupSizes) {
  for (ByteDims dims : {ByteDims{1, 16, 16}, ByteDims{65, 72, 80}, ByteDims{129, 136, 320}})
    ByteProduct{.dims = dims,
                .transposeY = true,
                .hasEpilogue = true,
                .strategy = "wgmma",
                .xElement = "f8E4M3FN",
                .yElement = "f8E4M3FN"}
        .check();
}

TEST(Float8Contraction, Schedules) {
  for (const char *strategy : {"mma", "wgmma"})
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
      emulator::setScheduling({.rotation = rotation});
      ByteProduct{.dims = {72, 72, 336},
                  .transposeY = true,
                  .strategy = strategy,
                  .xElement = "f8E4M3FN",
                  .yElement = "f8E5M2"}
          .check();
      emulator::setScheduling({});
    }
}
