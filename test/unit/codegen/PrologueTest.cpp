// Matmuls whose operands are computed while they are copied: quantized weights with scales.
// Generated kernels for the GPU, run by the emulator and compared with sums in double precision.
#include "test/unit/codegen/KernelText.h"

#include "lib/runtime/emulator/Emulator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace proa;
using namespace proa::testing;

namespace {

struct Quantized {
  const char *type = "f16", *strategy = "";
  int64_t batch = 1, m = 16, n = 32, k = 64;
  bool transposeY = false, quantizesX = false;

  DType dtype() const {
    return std::string(type) == "f32"   ? DType::Float32
           : std::string(type) == "f16" ? DType::Float16
                                        : DType::BFloat16;
  }
  /// Relative to the sum of absolute values: 16 bits round the weights and the result.
  double tolerance() const {
    return dtype() == DType::Float32 ? 1e-6 : dtype() == DType::Float16 ? 2e-3 : 1.6e-2;
  }

  /// The scale of a weight is the scale of its column, along the last dim or the one before.
  std::string text() const {
    std::string x = fmt::format("tensor<{}x{}x{}x{}>", batch, m, k, type),
                w = fmt::format("tensor<{}x{}x", transposeY ? n : k, transposeY ? k : n),
                s = transposeY ? fmt::format("tensor<{}x1x{}>", n, type)
                               : fmt::format("tensor<{}x{}>", n, type),
                out = fmt::format("tensor<{}x{}x{}x{}>", batch, m, n, type), own = w + type + ">";
    std::string xIn = quantizesX ? fmt::format("tensor<{}x{}x{}xi8>", batch, m, k) : x;
    std::string makeX =
        quantizesX ? fmt::format("%x = pd.cast %q {{dtype = {0}}} : ({1}) -> {2}\n", type, xIn, x) : "";
    return fmt::format(
        "func.func private @product(%{8}: {9}, %w: {1}i8>, %s: {2}) -> {3} attributes {{proa.kernel}} "
        "{{\n{10}"
        "%a = pd.cast %w {{dtype = {5}}} : ({1}i8>) -> {4}\n%b = pd.multiply %a, %s : ({4}, {2}) -> {4}\n"
        "%0 = pd.matmul %x, %b {{transpose_y = {6}}} : ({7}, {4}) -> {3}\nreturn %0 : {3}\n}}\n",
        x, w, s, out, own, type, transposeY, x, quantizesX ? "q" : "x", xIn, makeX);
  }

  void check() const {
    TestKernel kernel(text(), {.emulatesGpu = true, .emulatedContraction = matmulStrategy(strategy)});
    ASSERT_TRUE(kernel.valid());
    std::vector<Tensor> given{
        randomTensor(quantizesX ? DType::Int8 : dtype(), {batch, m, k}, -4, 4, 1),
        randomTensor(DType::Int8, {transposeY ? n : k, transposeY ? k : n}, -100, 100, 2),
        randomTensor(dtype(), transposeY ? std::vector<int64_t>{n, 1} : std::vector<int64_t>{n}, 0.01, 0.1,
                     3)};
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
      SCOPED_TRACE(fmt::format("{} {} {} x {} x {} x {} transposed {} quantizes x {} schedule {}", type,
                               strategy, batch, m, n, k, transposeY, quantizesX, rotation));
      emulator::setScheduling({.rotation = rotation});
      std::vector<Tensor> results = kernel.run(given, /*pieces=*/1);
      emulator::setScheduling({});
      ASSERT_EQ(results.size(), 1U);
      for (int64_t i = 0; i < batch * m * n; ++i) {
        double sum = 0, terms = 0;
        for (int64_t inner = 0; inner < k; ++inner) {
          double term = element(given[0], i / n * k + inner) *
                        element(given[1], transposeY ? i % n * k + inner : inner * n + i % n) *
                        element(given[2], i % n);
          sum += term;
          terms += std::abs(term);
        }
        ASSERT_LE(std::abs(element(results[0], i) - sum), tolerance() * terms) << "element " << i;
      }
    }
  }
};

const char *const prologueTypes[] = {"f32", "f16", "bf16"};

} // namespace

TEST(Prologue, Sizes) {
  for (const char *type : prologueTypes)
    for (bool transposeY : {false, true})
      for (auto [m, n, k] :
           {std::tuple(1, 64, 128), std::tuple(33, 72, 65), std::tuple(128, 31, 40), std::tuple(5, 7, 3)})
        Quantized{.type = type, .m = m, .n = n, .k = k, .transposeY = transposeY}.check();
}

TEST(Prologue, BothOperands) {
  for (const char *type : prologueTypes)
    for (int64_t k : {64, 67})
      Quantized{.type = type, .batch = 2, .m = 40, .n = 48, .k = k, .quantizesX = true}.check();
}

// Few tiles: blocks divide the contracted dim among them.
TEST(Prologue, Slices) {
  for (const char *type : prologueTypes)
    Quantized{.type = type, .m = 4, .n = 64, .k = 4096}.check();
}

TEST(Prologue, Strategies) {
  for (const char *strategy : {"fma", "mma"})
    Quantized{.strategy = strategy, .m = 70, .n = 96, .k = 128}.check();
}
