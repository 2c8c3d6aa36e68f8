// Products of groups of rows by generated kernels for the GPU, run by the emulator and compared with sums in
// double precision.
#include "test/unit/codegen/KernelText.h"

#include "lib/runtime/emulator/Emulator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace proa;
using namespace proa::testing;

namespace {

struct GroupedMatmul {
  const char *type = "f32", *strategy = "";
  std::vector<int64_t> sizes{1};
  int64_t restRows = 0; ///< rows after the rows of the groups
  int64_t inner = 64, columns = 64;
  bool transposeY = false, isYGrad = false;

  int64_t rows() const { return std::accumulate(sizes.begin(), sizes.end(), restRows); }
  auto groups() const { return static_cast<int64_t>(sizes.size()); }
  DType dtype() const {
    return std::string(type) == "f64"   ? DType::Float64
           : std::string(type) == "f32" ? DType::Float32
           : std::string(type) == "f16" ? DType::Float16
                                        : DType::BFloat16;
  }
  /// Relative: 16 bits round the sum, and wider elements each addition.
  double tolerance() const {
    return dtype() == DType::Float64   ? 1e-14
           : dtype() == DType::Float32 ? 1e-6
           : dtype() == DType::Float16 ? 1e-3
                                       : 8e-3;
  }

  std::string text() const {
    std::string x = fmt::format("tensor<{}x{}x{}>", rows(), inner, type),
                n = fmt::format("tensor<{}xi64>", groups()), y, out, op;
    if (isYGrad) {
      op = "pd.grouped_matmul_y_grad %x, %y, %n";
      y = fmt::format("tensor<{}x{}x{}>", rows(), columns, type);
      out = fmt::format("tensor<{}x{}x{}x{}>", groups(), inner, columns, type);
    } else {
      op = transposeY ? "pd.grouped_matmul %x, %y, %n {transpose_y = true}" : "pd.grouped_matmul %x, %y, %n";
      y = fmt::format("tensor<{}x{}x{}x{}>", groups(), transposeY ? columns : inner,
                      transposeY ? inner : columns, type);
      out = fmt::format("tensor<{}x{}x{}>", rows(), columns, type);
    }
    return fmt::format("func.func private @grouped(%x: {0}, %y: {1}, %n: {2}) -> {3} attributes "
                       "{{proa.device_kernel = #proa.device_kernel<op>}} "
                       "{{\n%0 = {4} : ({0}, {1}, {2}) -> {3}\nreturn %0 : {3}\n}}\n",
                       x, y, n, out, op);
  }

  std::vector<Tensor> inputs() const {
    std::vector<int64_t> y{rows(), columns};
    if (!isYGrad)
      y = {groups(), transposeY ? columns : inner, transposeY ? inner : columns};
    std::vector<Tensor> tensors{randomTensor(dtype(), {rows(), inner}, -2, 2, 1),
                                randomTensor(dtype(), y, -2, 2, 2), Tensor(DType::Int64, {groups()})};
    for (int64_t g = 0; g < groups(); ++g)
      tensors[2].as<int64_t>()[g] = sizes[static_cast<size_t>(g)];
    // No product reads rows without a group.
    for (int64_t i = (rows() - restRows) * inner; i < rows() * inner; ++i)
      setElement(tensors[0], i, NAN);
    return tensors;
  }

  /// The sums, and their absolute values for the tolerance.
  std::pair<std::vector<double>, std::vector<double>> expected(const std::vector<Tensor> &given) const {
    std::vector<double> sums(static_cast<size_t>((isYGrad ? groups() * inner : rows()) * columns)),
        sizesOfTerms = sums;
    int64_t row = 0;
    for (int64_t g = 0; g < groups(); ++g)
      for (int64_t end = row + sizes[static_cast<size_t>(g)]; row < end; ++row)
        for (int64_t k = 0; k < inner; ++k)
          for (int64_t n = 0; n < columns; ++n) {
            int64_t position = isYGrad      ? row * columns + n
                               : transposeY ? (g * columns + n) * inner + k
                                            : (g * inner + k) * columns + n;
            auto result = static_cast<size_t>((isYGrad ? g * inner + k : row) * columns + n);
            double term = element(given[0], row * inner + k) * element(given[1], position);
            sums[result] += term;
            sizesOfTerms[result] += std::abs(term);
          }
    return {sums, sizesOfTerms};
  }

  /// Runs the kernel in all schedules of its threads.
  void check() const {
    TestKernel kernel(text(), {.emulatesGpu = true, .emulatedContraction = matmulStrategy(strategy)});
    ASSERT_TRUE(kernel.valid());
    std::vector<Tensor> given = inputs();
    auto [sums, sizesOfTerms] = expected(given);
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
      SCOPED_TRACE(fmt::format("{} {} sizes {} rest {} {}x{} transposed {} gradient {} schedule {}", type,
                               strategy, fmt::join(sizes, ","), restRows, inner, columns, transposeY, isYGrad,
                               rotation));
      emulator::setScheduling({.rotation = rotation});
      std::vector<Tensor> results = kernel.run(given, /*pieces=*/1);
      emulator::setScheduling({});
      ASSERT_EQ(results.size(), 1U);
      ASSERT_EQ(results[0].size(), static_cast<int64_t>(sums.size()));
      for (int64_t i = 0; i < results[0].size(); ++i) {
        auto position = static_cast<size_t>(i);
        double error = std::abs(element(results[0], i) - sums[position]);
        ASSERT_LE(error, tolerance() * sizesOfTerms[position]) << "element " << i;
      }
    }
  }
};

const char *const groupedTypes[] = {"f64", "f32", "f16", "bf16"};

} // namespace

// Groups without rows, of one row, and of sizes around the sizes of tiles.
TEST(GroupedMatmul, Sizes) {
  for (const char *type : groupedTypes)
    for (bool isYGrad : {false, true})
      GroupedMatmul{.type = type, .sizes = {0, 1, 31, 33, 0, 129, 0}, .isYGrad = isYGrad}.check();
}

// One token for each of some groups, as in decoding, and no rows at all.
TEST(GroupedMatmul, FewRows) {
  for (const char *type : groupedTypes)
    for (bool isYGrad : {false, true}) {
      GroupedMatmul{.type = type, .sizes = {0, 0, 1, 0, 1, 1, 0, 0, 1}, .isYGrad = isYGrad}.check();
      GroupedMatmul{.type = type, .sizes = {0, 0}, .restRows = 3, .isYGrad = isYGrad}.check();
    }
}

// Rows that no access of 16 bytes reads, and slices of tiles.
TEST(GroupedMatmul, OddDims) {
  for (const char *type : groupedTypes)
    for (auto [inner, columns] : {std::pair(1, 31), std::pair(33, 1), std::pair(67, 130), std::pair(72, 40)})
      for (bool isYGrad : {false, true})
        GroupedMatmul{
            .type = type, .sizes = {5, 40, 3}, .inner = inner, .columns = columns, .isYGrad = isYGrad}
            .check();
}

TEST(GroupedMatmul, TransposedY) {
  for (const char *type : groupedTypes)
    for (auto [inner, columns] : {std::pair(64, 64), std::pair(67, 33)})
      GroupedMatmul{
          .type = type, .sizes = {17, 0, 70}, .inner = inner, .columns = columns, .transposeY = true}
          .check();
}

// Rows after the rows of all groups are zeros, whatever x has there.
TEST(GroupedMatmul, RestRows) {
  for (const char *type : groupedTypes)
    for (int64_t rest : {1, 64, 150})
      for (bool isYGrad : {false, true})
        GroupedMatmul{.type = type, .sizes = {9, 64}, .restRows = rest, .isYGrad = isYGrad}.check();
}

// Each way to multiply.
TEST(GroupedMatmul, Strategies) {
  for (const char *type : {"f16", "bf16"})
    for (const char *strategy : {"fma", "mma", "wgmma"})
      for (bool transposeY : {false, true})
        GroupedMatmul{.type = type,
                      .strategy = strategy,
                      .sizes = {70, 0, 1, 140},
                      .restRows = 5,
                      .inner = 200,
                      .columns = 136,
                      .transposeY = transposeY}
            .check();
}
