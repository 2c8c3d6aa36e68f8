// Data-movement kernels: transposes, gathers, slices, reshapes.
#include "test/unit/codegen/KernelText.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace proa;
using namespace proa::testing;

TEST(Movement, Transposes) {
  KernelText text("transpose", "%x: tensor<5x33x47xf32>");
  text.generic("%a", {{"%x", "tensor<5x33x47xf32>", "1 0 2"}}, {"", "tensor<33x5x47xf32>", "0 1 2"}, "ppp",
               "%y = arith.negf %i0 : f32");
  TestKernel kernel(text.returns("%a", "tensor<33x5x47xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {5, 33, 47});
  expectElements(kernel.run({x})[0], [&](int64_t i) {
    int64_t a = i / (5 * 47), b = i / 47 % 5, c = i % 47;
    return -element(x, (b * 33 + a) * 47 + c);
  });
}

TEST(Movement, TransposeOfTheInnermostDimension) {
  KernelText text("transpose", "%x: tensor<70x50xf32>");
  text.generic("%a", {{"%x", "tensor<70x50xf32>", "1 0"}}, {"", "tensor<50x70xf32>", "0 1"}, "pp",
               "%y = arith.addf %i0, %i0 : f32");
  TestKernel kernel(text.returns("%a", "tensor<50x70xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {70, 50});
  expectElements(kernel.run({x})[0], [&](int64_t i) { return 2 * element(x, i % 70 * 50 + i / 70); });
}

/// f(x[.., j, i], y[.., i, j]) on the emulated GPU, where x goes through shared memory.
static void transposeOnGpu(DType dtype, const std::string &type, const std::string &code, int64_t batch,
                           int64_t rows, int64_t columns, bool isDynamic = false) {
  SCOPED_TRACE(type + " " + std::to_string(rows) + "x" + std::to_string(columns));
  auto tensor = [&](int64_t m, int64_t n) {
    auto dim = [&](int64_t size) { return isDynamic ? std::string("?") : std::to_string(size); };
    return "tensor<" + std::to_string(batch) + "x" + dim(m) + "x" + dim(n) + "x" + type + ">";
  };
  std::string from = tensor(rows, columns), to = tensor(columns, rows);
  KernelText text("transpose", "%x: " + from + ", %z: " + to);
  if (isDynamic)
    text.raw("%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n%m = tensor.dim %z, %c1 : " +
             to + "\n%n = tensor.dim %z, %c2 : " + to);
  text.generic("%a", {{"%x", from, "0 2 1"}, {"%z", to, "0 1 2"}}, {"", to, "0 1 2"}, "ppp", code, "",
               isDynamic ? "%m, %n" : "");
  TestKernel kernel(text.returns("%a", to), {.emulatesGpu = true});
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(dtype, {batch, rows, columns}, -9, 9),
         z = randomTensor(dtype, {batch, columns, rows}, -9, 9, 2);
  expectElements(
      kernel.run({x, z})[0],
      [&](int64_t i) {
        int64_t b = i / (rows * columns), column = i / rows % columns, row = i % rows;
        return element(x, (b * rows + row) * columns + column) - element(z, i);
      },
      1e-2, 0);
}

TEST(Movement, TransposesOnAGpu) {
  for (auto [rows, columns] : {std::pair(64, 128), std::pair(70, 50), std::pair(3, 500), std::pair(500, 3),
                               std::pair(131, 257), std::pair(40, 1), std::pair(7, 5)}) {
    transposeOnGpu(DType::Float32, "f32", "%y = arith.subf %i0, %i1 : f32", 2, rows, columns);
    transposeOnGpu(DType::Float16, "f16", "%y = arith.subf %i0, %i1 : f16", 1, rows, columns);
    transposeOnGpu(DType::Int8, "i8", "%y = arith.subi %i0, %i1 : i8", 3, rows, columns);
    transposeOnGpu(DType::Float64, "f64", "%y = arith.subf %i0, %i1 : f64", 1, rows, columns);
    transposeOnGpu(DType::Float32, "f32", "%y = arith.subf %i0, %i1 : f32", 2, rows, columns,
                   /*isDynamic=*/true);
  }
}

TEST(Movement, MatrixPlusItsTranspose) {
  KernelText text("symmetric", "%x: tensor<40x40xf32>");
  text.generic("%e", {{"%x", "tensor<40x40xf32>", "0 1"}}, {"", "tensor<40x40xf32>", "0 1"}, "pp",
               "%y = math.exp %i0 : f32");
  text.generic("%a", {{"%e", "tensor<40x40xf32>", "0 1"}, {"%e", "tensor<40x40xf32>", "1 0"}},
               {"", "tensor<40x40xf32>", "0 1"}, "pp", "%y = arith.addf %i0, %i1 : f32");
  TestKernel kernel(text.returns("%a, %e", "tensor<40x40xf32>, tensor<40x40xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {40, 40});
  expectElements(kernel.run({x})[0], [&](int64_t i) {
    return std::exp(element(x, i)) + std::exp(element(x, i % 40 * 40 + i / 40));
  });
}

TEST(Movement, GatherOfRows) {
  KernelText text("gather", "%ids: tensor<?xi64>, %w: tensor<100x30xf32>");
  text.raw("%c0 = arith.constant 0 : index\n%n = tensor.dim %ids, %c0 : tensor<?xi64>");
  text.generic("%r", {{"%ids", "tensor<?xi64>", "0"}}, {"", "tensor<?x30xf32>", "0 1"}, "pp",
               "%row = arith.index_cast %i0 : i64 to index\n%column = linalg.index 1 : index\n"
               "%y = tensor.extract %w[%row, %column] : tensor<100x30xf32>",
               "", "%n");
  TestKernel kernel(text.returns("%r", "tensor<?x30xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor ids = randomTensor(DType::Int64, {55}, 0, 100), w = randomTensor(DType::Float32, {100, 30});
  expectElements(
      kernel.run({ids, w})[0],
      [&](int64_t i) { return element(w, int64_t(element(ids, i / 30)) * 30 + i % 30); }, 0, 0);
}

TEST(Movement, LoopIndicesAreCorrectInTiles) {
  KernelText text("iota", "%x: tensor<300x20xi64>");
  text.generic(
      "%r", {{"%x", "tensor<300x20xi64>", "0 1"}}, {"", "tensor<300x20xi64>", "0 1"}, "pp",
      "%0 = linalg.index 0 : index\n%1 = linalg.index 1 : index\n%2 = arith.index_cast %0 : index to i64\n"
      "%3 = arith.index_cast %1 : index to i64\n%4 = arith.muli %2, %i0 : i64\n%y = arith.addi %4, %3 : i64");
  TestKernel kernel(text.returns("%r", "tensor<300x20xi64>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Int64, {300, 20}, -9, 9);
  expectElements(
      kernel.run({x})[0], [&](int64_t i) { return double(i / 20) * element(x, i) + double(i % 20); }, 0, 0);
}

TEST(Movement, SlicesAndReshapes) {
  KernelText text("slices", "%x: tensor<6x10x8xf32>");
  text.raw(
      "%s = tensor.extract_slice %x[1, 2, 0] [4, 6, 8] [1, 1, 1] : tensor<6x10x8xf32> to tensor<4x6x8xf32>\n"
      "%c = tensor.collapse_shape %s [[0, 1], [2]] : tensor<4x6x8xf32> into tensor<24x8xf32>");
  text.generic("%a", {{"%c", "tensor<24x8xf32>", "0 1"}}, {"", "tensor<24x8xf32>", "0 1"}, "pp",
               "%y = math.exp %i0 : f32");
  text.raw("%e = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 12, 8] : tensor<24x8xf32> into "
           "tensor<2x12x8xf32>");
  TestKernel kernel(text.returns("%e", "tensor<2x12x8xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {6, 10, 8});
  expectElements(kernel.run({x})[0], [&](int64_t i) {
    int64_t a = i / 48 + 1, b = i / 8 % 6 + 2, c = i % 8;
    return std::exp(element(x, (a * 10 + b) * 8 + c));
  });
}

TEST(Movement, ReshapeInTheMiddle) {
  KernelText text("reshape", "%x: tensor<6x10xf32>");
  text.generic("%a", {{"%x", "tensor<6x10xf32>", "0 1"}}, {"", "tensor<6x10xf32>", "0 1"}, "pp",
               "%y = math.exp %i0 : f32");
  text.raw(
      "%f = tensor.collapse_shape %a [[0, 1]] : tensor<6x10xf32> into tensor<60xf32>\n"
      "%e = tensor.expand_shape %f [[0, 1]] output_shape [15, 4] : tensor<60xf32> into tensor<15x4xf32>");
  text.generic("%r", {{"%e", "tensor<15x4xf32>", "0 1"}}, {"", "tensor<15xf32>", "0"}, "pr",
               "%y = arith.addf %o, %i0 : f32", "0.0");
  TestKernel kernel(text.returns("%r, %a", "tensor<15xf32>, tensor<6x10xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {6, 10});
  expectElements(kernel.run({x})[0], [&](int64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < 4; ++k)
      sum += std::exp(element(x, i * 4 + k));
    return sum;
  });
}

TEST(Movement, CollapsedDynamicResult) {
  KernelText text("collapse", "%x: tensor<?x3x?xf32>");
  text.raw("%c0 = arith.constant 0 : index\n%c2 = arith.constant 2 : index\n"
           "%n = tensor.dim %x, %c0 : tensor<?x3x?xf32>\n%m = tensor.dim %x, %c2 : tensor<?x3x?xf32>");
  text.generic("%a", {{"%x", "tensor<?x3x?xf32>", "0 1 2"}}, {"", "tensor<?x3x?xf32>", "0 1 2"}, "ppp",
               "%y = arith.negf %i0 : f32", "", "%n, %m");
  text.raw("%r = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x3x?xf32> into tensor<?x?xf32>");
  TestKernel kernel(text.returns("%r", "tensor<?x?xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {4, 3, 7});
  std::vector<Tensor> results = kernel.run({x});
  EXPECT_EQ(results[0].dims(), (std::vector<int64_t>{12, 7}));
  expectElements(results[0], [&](int64_t i) { return -element(x, i); });
}

TEST(Movement, SliceAlone) {
  KernelText text("slice", "%x: tensor<9x100xf32>");
  text.raw("%r = tensor.extract_slice %x[3, 10] [5, 40] [1, 2] : tensor<9x100xf32> to tensor<5x40xf32>");
  TestKernel kernel(text.returns("%r", "tensor<5x40xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {9, 100});
  expectElements(
      kernel.run({x})[0], [&](int64_t i) { return element(x, (i / 40 + 3) * 100 + 10 + i % 40 * 2); }, 0, 0);
}

TEST(Movement, Fill) {
  KernelText text("fill", "%x: tensor<?xi64>");
  text.raw(
      "%c0 = arith.constant 0 : index\n%n = tensor.dim %x, %c0 : tensor<?xi64>\n%k = arith.constant 7 : i64\n"
      "%e = tensor.empty(%n) : tensor<?xi64>\n%r = linalg.fill ins(%k : i64) outs(%e : tensor<?xi64>) -> "
      "tensor<?xi64>");
  TestKernel kernel(text.returns("%r", "tensor<?xi64>"));
  ASSERT_TRUE(kernel.valid());
  expectElements(kernel.run({randomTensor(DType::Int64, {9000})})[0], [&](int64_t) { return 7; }, 0, 0);
}
