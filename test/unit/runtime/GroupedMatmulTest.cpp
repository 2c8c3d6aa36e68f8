// Products of groups of rows compared with their definition in double precision.
#include "test/unit/runtime/KernelHarness.h"

#include "proa/Half.h"

#include <gmock/gmock.h>

namespace proa::runtime {
namespace {

using ::testing::HasSubstr;
using Sizes = std::vector<int64_t>;

double at(const Tensor &tensor, int64_t i) {
  return tensor.dtype() == DType::Float32 ? static_cast<double>(tensor.as<float>()[i])
         : tensor.dtype() == DType::Float64
             ? tensor.as<double>()[i]
             : static_cast<double>(static_cast<float>(tensor.as<BFloat16>()[i]));
}

Tensor randomOf(DType dtype, std::vector<int64_t> dims, unsigned seed) {
  Tensor floats = randomFloats(dims, seed), out(dtype, dims);
  for (int64_t i = 0; i < out.size(); ++i)
    if (dtype == DType::Float32)
      out.as<float>()[i] = floats.as<float>()[i];
    else if (dtype == DType::Float64)
      out.as<double>()[i] = static_cast<double>(floats.as<float>()[i]);
    else
      out.as<BFloat16>()[i] = BFloat16(floats.as<float>()[i]);
  return out;
}

/// Operands of `rows` rows, of which groups have sizes[g].
struct Problem {
  DType dtype;
  int64_t rows, inner, columns;
  Sizes sizes;
  bool transposeY = false;

  int64_t groups() const { return static_cast<int64_t>(sizes.size()); }

  KernelCase product() const {
    Tensor y = randomOf(dtype, {groups(), transposeY ? columns : inner, transposeY ? inner : columns}, 2);
    return {"grouped_matmul",
            {{"transpose_y", transposeY}},
            {randomOf(dtype, {rows, inner}, 1), y, longs({groups()}, sizes)},
            {{dtype, {rows, columns}}}};
  }
  KernelCase gradient() const {
    return {
        "grouped_matmul_y_grad",
        {},
        {randomOf(dtype, {rows, inner}, 1), randomOf(dtype, {rows, columns}, 3), longs({groups()}, sizes)},
        {{dtype, {groups(), inner, columns}}}};
  }

  /// By the definition: each row of each group, in order.
  std::vector<double> expected(const KernelCase &of) const {
    bool isGradient = of.name != "grouped_matmul";
    std::vector<double> sums(static_cast<size_t>((isGradient ? groups() * inner : rows) * columns));
    int64_t row = 0;
    for (int64_t g = 0; g < groups(); ++g)
      for (int64_t end = row + sizes[static_cast<size_t>(g)]; row < end; ++row)
        for (int64_t k = 0; k < inner; ++k)
          for (int64_t n = 0; n < columns; ++n) {
            int64_t other = isGradient   ? row * columns + n
                            : transposeY ? (g * columns + n) * inner + k
                                         : (g * inner + k) * columns + n;
            sums[static_cast<size_t>((isGradient ? g * inner + k : row) * columns + n)] +=
                at(of.inputs[0], row * inner + k) * at(of.inputs[1], other);
          }
    return sums;
  }

  void check() const {
    double tolerance = dtype == DType::Float64 ? 1e-13 : dtype == DType::Float32 ? 1e-5 : 2e-2;
    for (KernelCase own : {product(), gradient()})
      for (Dims dims : {Dims::Static, Dims::Dynamic}) {
        own.dims = dims;
        auto results = runCase(own);
        ASSERT_TRUE(bool(results)) << results.diagnostics()[0].message;
        std::vector<double> sums = expected(own);
        ASSERT_EQ((*results)[0].size(), static_cast<int64_t>(sums.size()));
        for (size_t i = 0; i < sums.size(); ++i)
          ASSERT_NEAR(at((*results)[0], static_cast<int64_t>(i)), sums[i],
                      tolerance * (1 + std::abs(sums[i])))
              << own.name << " element " << i;
      }
  }
};

constexpr DType dtypes[] = {DType::Float32, DType::Float64, DType::BFloat16};

} // namespace

TEST(GroupedMatmul, Definition) {
  for (DType dtype : dtypes)
    for (bool transposeY : {false, true}) {
      Problem{dtype, 40, 17, 9, {0, 3, 30, 0, 1, 6, 0}, transposeY}.check();
      Problem{dtype, 40, 16, 32, {20, 3}, transposeY}.check(); // rows without a group
    }
}

TEST(GroupedMatmul, Empty) {
  Problem{DType::Float32, 0, 4, 5, {0, 0}}.check();
  Problem{DType::Float32, 3, 0, 5, {1, 2}}.check();
  Problem{DType::Float32, 3, 4, 0, {1, 2}}.check();
  Problem{DType::Float32, 3, 4, 5, {}}.check();
}

TEST(GroupedMatmul, WrongSizes) {
  Problem problem{DType::Float32, 7, 4, 5, {2, 3, 2}};
  auto errorOf = [](KernelCase own, const Sizes &sizes) {
    own.inputs[2] = longs({static_cast<int64_t>(sizes.size())}, sizes);
    auto results = runCase(own);
    return results ? std::string("no error") : results.diagnostics()[0].message;
  };
  for (const KernelCase &own : {problem.product(), problem.gradient()}) {
    EXPECT_THAT(errorOf(own, {2, 3, 3}), HasSubstr("the sizes up to [2] sum to 8, which is more than 7"));
    EXPECT_THAT(errorOf(own, {2, -1, 3}), HasSubstr("size -1 at [1] is negative"));
    EXPECT_THAT(errorOf(own, {2, INT64_MAX, 3}),
                HasSubstr("the size at [1] is negative, or the sizes up to it"));
  }
}

} // namespace proa::runtime
