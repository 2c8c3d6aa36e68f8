// Matmuls on the emulated GPU, compared with sums in double precision.
#include "test/unit/codegen/KernelText.h"

#include "lib/runtime/emulator/Emulator.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace proa;
using namespace proa::testing;

namespace {

struct Dims {
  int64_t batch, m, n, k;
};

/// A product, as a kernel for all dims (`isDynamic`) or for `dims`.
struct Product {
  DType dtype = DType::Float32;
  const char *typeName = "f32";
  Dims dims{};
  bool isDynamic = false, transposeX = false, transposeY = false, hasBatch = false, hasEpilogue = false;
  std::string strategy = {}; ///< of proa-choose-contraction
  bool isTf32 = false;       ///< operands become TF32

  bool isFloat() const { return dtype != DType::Int32 && dtype != DType::Int64 && dtype != DType::Int8; }

  std::string type(const std::vector<int64_t> &sizes) const {
    std::string text = "tensor<";
    for (int64_t size : sizes)
      text += (isDynamic ? "?" : std::to_string(size)) + "x";
    return text + typeName + ">";
  }
  std::vector<int64_t> shape(int64_t batch, int64_t rows, int64_t columns, bool transposes) const {
    std::vector<int64_t> sizes{transposes ? columns : rows, transposes ? rows : columns};
    if (hasBatch)
      sizes.insert(sizes.begin(), batch);
    return sizes;
  }

  std::string text() const {
    std::string x = type(shape(dims.batch, dims.m, dims.k, transposeX)), sizes;
    std::string y = type(shape(dims.batch, dims.k, dims.n, transposeY));
    std::string out = type(shape(dims.batch, dims.m, dims.n, false)), bias = type({dims.n});
    KernelText kernel("product", "%left: " + x + ", %right: " + y + (hasEpilogue ? ", %bias: " + bias : ""));
    int first = hasBatch ? 1 : 0;
    auto dim = [&](const std::string &name, const std::string &of, const std::string &type, int position) {
      std::string index = "%i" + name;
      kernel.raw(index + " = arith.constant " + std::to_string(position) + " : index\n%d" + name +
                 " = tensor.dim %" + of + ", " + index + " : " + type);
      sizes += (sizes.empty() ? "%d" : ", %d") + name;
    };
    if (isDynamic && hasBatch)
      dim("batch", "left", x, 0);
    if (isDynamic) {
      dim("m", "left", x, first + (transposeX ? 1 : 0));
      dim("n", "right", y, first + (transposeY ? 0 : 1));
    }
    // Loops: batch, m, n, k.
    std::string b = hasBatch ? "0 " : "", m = std::to_string(first), n = std::to_string(first + 1),
                k = std::to_string(first + 2);
    std::string add = isFloat() ? "addf" : "addi", multiply = isFloat() ? "mulf" : "muli", e = typeName;
    kernel.generic("%p",
                   {{"%left", x, b + (transposeX ? k + " " + m : m + " " + k)},
                    {"%right", y, b + (transposeY ? n + " " + k : k + " " + n)}},
                   {"", out, b + m + " " + n}, hasBatch ? "pppr" : "ppr",
                   "%t = arith." + multiply + " %i0, %i1 : " + e + "\n%y = arith." + add + " %o, %t : " + e,
                   isFloat() ? "0.0" : "0", sizes);
    if (!hasEpilogue)
      return kernel.returns("%p", out);
    // tanh(p / 4 + bias)
    kernel.generic("%r", {{"%p", out, b + m + " " + n}, {"%bias", bias, n}}, {"", out, b + m + " " + n},
                   hasBatch ? "ppp" : "pp",
                   "%q = arith.constant 0.25 : " + e + "\n%s = arith.mulf %i0, %q : " + e +
                       "\n%t = arith.addf %s, %i1 : " + e + "\n%y = math.tanh %t : " + e,
                   "", sizes);
    return kernel.returns("%r", out);
  }

  /// A kernel that may round its operands.
  std::string textOfKernel() const {
    std::string whole = text();
    if (isTf32)
      whole.replace(whole.find("proa.kernel"), 0, "proa.tf32, ");
    return whole;
  }

  /// Random numbers, with `isTf32` those that TF32 has.
  Tensor numbers(const std::vector<int64_t> &dims, double limit, int seed) const {
    Tensor tensor = randomTensor(dtype, dims, -limit, limit, seed);
    for (int64_t i = 0; isTf32 && i < tensor.size(); ++i) {
      auto &scalar = static_cast<float *>(tensor.data())[i];
      scalar = std::bit_cast<float>(std::bit_cast<uint32_t>(scalar) & 0xffffe000);
    }
    return tensor;
  }

  /// Relative error of storing the result.
  double tolerance() const {
    switch (dtype) {
    case DType::BFloat16:
      return 0x1p-8;
    case DType::Float16:
      return 0x1p-10;
    case DType::Float32:
      return 1e-6;
    case DType::Float64:
      return 1e-14;
    default:
      return 0;
    }
  }

  void check(const TestKernel &kernel, const Dims &own) const {
    SCOPED_TRACE(text());
    SCOPED_TRACE(std::to_string(own.batch) + " x " + std::to_string(own.m) + " x " + std::to_string(own.n) +
                 " x " + std::to_string(own.k));
    double limit = isFloat() ? 1 : 8;
    Tensor left = numbers(shape(own.batch, own.m, own.k, transposeX), limit, 1);
    Tensor right = numbers(shape(own.batch, own.k, own.n, transposeY), limit, 2);
    std::vector<Tensor> inputs{left, right};
    if (hasEpilogue)
      inputs.push_back(randomTensor(dtype, {own.n}, -1, 1, 3));
    std::vector<Tensor> results = kernel.run(inputs, 2);
    auto expected = [&](int64_t i) {
      int64_t column = i % own.n, row = i / own.n % own.m, batch = i / own.n / own.m;
      double sum = 0;
      for (int64_t k = 0; k < own.k; ++k) {
        int64_t inX = transposeX ? k * own.m + row : row * own.k + k;
        int64_t inY = transposeY ? column * own.k + k : k * own.n + column;
        sum += element(left, batch * own.m * own.k + inX) * element(right, batch * own.k * own.n + inY);
      }
      if (hasEpilogue)
        sum = std::tanh(sum / 4 + element(inputs[2], column));
      return dtype == DType::Int8 ? static_cast<double>(static_cast<int8_t>(static_cast<int64_t>(sum))) : sum;
    };
    // The sum of k products is rounded in f32, or in f64.
    double sums = dtype == DType::Float64 ? 1e-14 : 3e-6;
    expectElements(results[0], expected, tolerance(),
                   isFloat() ? sums * std::sqrt(static_cast<double>(own.k) + 1) : 0);
  }

  void check() const {
    TestKernel kernel(textOfKernel(), {.emulatesGpu = true, .emulatedContraction = matmulStrategy(strategy)});
    ASSERT_TRUE(kernel.valid());
    check(kernel, dims);
  }
};

struct Element {
  DType dtype;
  const char *name;
};
constexpr Element elements[] = {{DType::Float32, "f32"},   {DType::Float64, "f64"}, {DType::Float16, "f16"},
                                {DType::BFloat16, "bf16"}, {DType::Int32, "i32"},   {DType::Int8, "i8"},
                                {DType::Int64, "i64"}};
constexpr int64_t sizes[] = {1, 31, 33, 64, 65, 127};

} // namespace

// All sizes around the sizes of tiles, in kernels whose dims are known.
TEST(Contraction, StaticSizes) {
  for (const Element &element : elements)
    for (int64_t size : sizes) {
      Product product{.dtype = element.dtype, .typeName = element.name};
      for (Dims dims : {Dims{1, size, 64, 32}, Dims{1, 64, size, 48}, Dims{1, 40, 24, size}}) {
        product.dims = dims;
        product.check();
      }
    }
}

TEST(Contraction, TransposedOperands) {
  for (const Element &element : elements)
    for (bool x : {false, true})
      for (bool y : {false, true})
        for (Dims dims : {Dims{1, 64, 96, 80}, Dims{1, 33, 65, 31}})
          Product{.dtype = element.dtype,
                  .typeName = element.name,
                  .dims = dims,
                  .transposeX = x,
                  .transposeY = y}
              .check();
}

// One kernel for all dims.
TEST(Contraction, DynamicSizes) {
  for (const Element &element : {elements[0], elements[3]})
    for (bool transposes : {false, true}) {
      Product product{.dtype = element.dtype,
                      .typeName = element.name,
                      .isDynamic = true,
                      .transposeX = transposes,
                      .transposeY = transposes};
      TestKernel kernel(product.text(), {.emulatesGpu = true});
      ASSERT_TRUE(kernel.valid());
      for (int64_t m : sizes)
        for (int64_t n : {1, 33, 64, 127})
          for (int64_t k : {0, 1, 31, 64, 65})
            product.check(kernel, {1, m, n, k});
    }
}

TEST(Contraction, Batch) {
  for (const Element &element : elements)
    for (bool isDynamic : {false, true}) {
      Product product{.dtype = element.dtype,
                      .typeName = element.name,
                      .dims = {3, 33, 40, 31},
                      .isDynamic = isDynamic,
                      .transposeY = true,
                      .hasBatch = true};
      product.check();
    }
}

TEST(Contraction, Epilogue) {
  for (const Element &element : {elements[0], elements[1], elements[2], elements[3]})
    for (bool isDynamic : {false, true})
      for (Dims dims : {Dims{2, 64, 64, 64}, Dims{2, 33, 65, 31}, Dims{1, 130, 70, 20}})
        Product{.dtype = element.dtype,
                .typeName = element.name,
                .dims = dims,
                .isDynamic = isDynamic,
                .hasBatch = true,
                .hasEpilogue = true}
            .check();
}

// An op that reads the result of the epilogue is computed by other threads than the epilogue.
TEST(Contraction, ReaderOfEpilogue) {
  const std::string x = "tensor<40x40xf32>";
  KernelText text("product", "%left: " + x + ", %right: " + x);
  text.generic("%p", {{"%left", x, "0 2"}, {"%right", x, "2 1"}}, {"", x, "0 1"}, "ppr",
               "%t = arith.mulf %i0, %i1 : f32\n%y = arith.addf %o, %t : f32", "0.0");
  text.generic("%r", {{"%p", x, "0 1"}}, {"", x, "0 1"}, "pp", "%y = arith.negf %i0 : f32");
  text.generic("%s", {{"%r", x, "0 1"}}, {"", x, "0 1"}, "pp", "");
  TestKernel kernel(text.returns("%r, %s", x + ", " + x), {.emulatesGpu = true});
  ASSERT_TRUE(kernel.valid());
  Tensor left = randomTensor(DType::Float32, {40, 40}),
         right = randomTensor(DType::Float32, {40, 40}, -2, 2, 2);
  std::vector<Tensor> results = kernel.run({left, right}, 1);
  auto expected = [&](int64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < 40; ++k)
      sum -= element(left, i / 40 * 40 + k) * element(right, k * 40 + i % 40);
    return sum;
  };
  expectElements(results[0], expected, 1e-5, 1e-5);
  expectElements(results[1], expected, 1e-5, 1e-5);
}

// Enough tiles for the largest ones: 128x128. Only columns of a multiple of 8 elements are aligned.
TEST(Contraction, LargeTiles) {
  for (const Element &element : {elements[0], elements[3]})
    for (int64_t columns : {130, 136}) {
      Product product{.dtype = element.dtype,
                      .typeName = element.name,
                      .dims = {67, 256, columns, 40},
                      .hasBatch = true,
                      .hasEpilogue = true};
      product.check();
    }
}

// Every block in every order of its threads.
TEST(Contraction, Schedules) {
  for (const Element &element : {elements[0], elements[3]})
    for (Dims dims : {Dims{1, 65, 100, 70}, Dims{1, 65, 104, 200}})
      for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
        emulator::setScheduling({.rotation = rotation});
        Product{.dtype = element.dtype, .typeName = element.name, .dims = dims, .hasEpilogue = true}.check();
        emulator::setScheduling({});
      }
}

// wgmma reads what the tensor memory accelerator copies: rows of both operands, or columns, are multiples of
// 16 bytes. All other sizes are those around tiles.
TEST(Contraction, WarpgroupSizes) {
  for (const Element &element : {elements[2], elements[3]})
    for (Dims dims : {Dims{1, 1, 8, 8}, Dims{1, 31, 64, 64}, Dims{1, 65, 72, 72}, Dims{1, 127, 264, 200},
                      Dims{1, 129, 136, 320}})
      Product{.dtype = element.dtype, .typeName = element.name, .dims = dims, .strategy = "wgmma"}.check();
}

// Each operand with adjacent elements along k and along its rows or columns.
TEST(Contraction, WarpgroupTransposedOperands) {
  for (const Element &element : {elements[2], elements[3]})
    for (bool x : {false, true})
      for (bool y : {false, true})
        for (Dims dims : {Dims{1, 64, 96, 80}, Dims{1, 136, 200, 72}})
          Product{.dtype = element.dtype,
                  .typeName = element.name,
                  .dims = dims,
                  .transposeX = x,
                  .transposeY = y,
                  .strategy = "wgmma"}
              .check();
}

// One kernel for all sizes of the batch and of m, which do not change the alignment. Blocks compute several
// tiles.
TEST(Contraction, WarpgroupBatchAndEpilogue) {
  for (const Element &element : {elements[2], elements[3]})
    for (Dims dims : {Dims{3, 33, 40, 24}, Dims{2, 130, 72, 136}})
      Product{.dtype = element.dtype,
              .typeName = element.name,
              .dims = dims,
              .transposeY = true,
              .hasBatch = true,
              .hasEpilogue = true,
              .strategy = "wgmma"}
          .check();
}

TEST(Contraction, WarpgroupDynamicRows) {
  const std::string x = "tensor<?x40xbf16>", y = "tensor<40x72xbf16>", out = "tensor<?x72xbf16>";
  KernelText text("product", "%left: " + x + ", %right: " + y);
  text.raw("%i = arith.constant 0 : index\n%d = tensor.dim %left, %i : " + x);
  text.generic("%p", {{"%left", x, "0 2"}, {"%right", y, "2 1"}}, {"", out, "0 1"}, "ppr",
               "%t = arith.mulf %i0, %i1 : bf16\n%y = arith.addf %o, %t : bf16", "0.0", "%d");
  TestKernel kernel(text.returns("%p", out),
                    {.emulatesGpu = true, .emulatedContraction = matmulStrategy("wgmma")});
  ASSERT_TRUE(kernel.valid());
  Product product{.dtype = DType::BFloat16, .typeName = "bf16"};
  for (int64_t m : {0, 1, 31, 64, 129, 300})
    product.check(kernel, {1, m, 72, 40});
}

// Every block in every order of its threads, with early and late copies.
TEST(Contraction, WarpgroupSchedules) {
  for (bool transposes : {false, true})
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
      emulator::setScheduling({.rotation = rotation});
      Product{.dtype = DType::BFloat16,
              .typeName = "bf16",
              .dims = {2, 136, 136, 328},
              .transposeX = transposes,
              .transposeY = !transposes,
              .hasBatch = true,
              .hasEpilogue = true,
              .strategy = "wgmma"}
          .check();
      emulator::setScheduling({});
    }
}

// Blocks divide k among them: slices of whole steps, with a shorter last step or slice, and with an epilogue
// of the block that adds the slices.
TEST(Contraction, WarpgroupSlices) {
  for (bool transposes : {false, true})
    for (Dims dims : {Dims{1, 64, 64, 2048}, Dims{1, 72, 136, 1096}, Dims{2, 40, 72, 840}})
      Product{.dtype = DType::BFloat16,
              .typeName = "bf16",
              .dims = dims,
              .transposeX = transposes,
              .transposeY = transposes,
              .hasBatch = true,
              .hasEpilogue = true,
              .strategy = "wgmma"}
          .check();
}

TEST(Contraction, WarpgroupSlicesSchedules) {
  for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
    emulator::setScheduling({.rotation = rotation});
    Product{.dtype = DType::Float16, .typeName = "f16", .dims = {1, 72, 72, 1096}, .strategy = "wgmma"}
        .check();
    emulator::setScheduling({});
  }
}

// Operands that TF32 has give the sums of float32.
TEST(Contraction, TensorFloat32) {
  for (bool x : {false, true})
    for (bool y : {false, true})
      for (Dims dims : {Dims{1, 64, 96, 80}, Dims{1, 33, 65, 31}, Dims{1, 130, 136, 72}})
        Product{.dims = dims,
                .transposeX = x,
                .transposeY = y,
                .hasEpilogue = true,
                .strategy = "mma",
                .isTf32 = true}
            .check();
}

// wgmma needs 32-bit elements that are adjacent along k.
TEST(Contraction, WarpgroupTensorFloat32) {
  for (Dims dims : {Dims{1, 1, 8, 8}, Dims{1, 65, 72, 76}, Dims{1, 129, 136, 320}, Dims{1, 64, 64, 1024}})
    Product{.dims = dims, .transposeY = true, .strategy = "wgmma", .isTf32 = true}.check();
}

// mma.sync rounds other operands to the nearest number of TF32.
TEST(Contraction, TensorFloat32Rounds) {
  Product product{.dims = {1, 16, 16, 2}, .strategy = "mma", .isTf32 = true};
  TestKernel kernel(product.textOfKernel(),
                    {.emulatesGpu = true, .emulatedContraction = matmulStrategy("mma")});
  ASSERT_TRUE(kernel.valid());
  Tensor left(DType::Float32, {16, 2}), right(DType::Float32, {2, 16});
  for (int64_t i = 0; i < 16; ++i) {
    auto *x = static_cast<float *>(left.data()) + 2 * i, *y = static_cast<float *>(right.data()) + i;
    x[0] = 1 + static_cast<float>(i) * 0x1p-13F;
    x[1] = y[16] = 0;
    y[0] = 1;
  }
  std::vector<Tensor> results = kernel.run({left, right}, 1);
  // Steps of 2^-10: up to 3 of 8 become 0, from 4 of 8 on the next one.
  auto expected = [](int64_t i) { return 1 + std::floor(static_cast<double>(i / 16) / 8 + 0.5) * 0x1p-10; };
  expectElements(results[0], expected, 0, 0);
}
