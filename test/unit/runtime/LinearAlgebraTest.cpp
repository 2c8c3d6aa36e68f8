// LAPACK kernels compared with definitions: factors multiply to the matrix, solutions solve the system.
#include "lib/runtime/kernels/linalg/Lapack.h"
#include "test/unit/runtime/KernelHarness.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <random>
#include <thread>

namespace proa::runtime {
namespace {

using ::testing::HasSubstr;
using Complex = std::complex<double>;
using Shape = std::vector<int64_t>;

Tensor doubles(Shape dims, const std::vector<double> &values) {
  return tensorOf(DType::Float64, std::move(dims), values);
}

Tensor randomMatrices(DType dtype, Shape dims, unsigned seed) {
  Tensor tensor(dtype, std::move(dims));
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(-1, 1);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (dtype == DType::Float64)
      tensor.as<double>()[i] = distribution(generator);
    else
      tensor.as<Complex>()[i] = {distribution(generator), distribution(generator)};
  }
  return tensor;
}

/// The elements of matrix `index` of a stack, as complex numbers.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<Complex> data;

  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), data(static_cast<size_t>(rows * columns)) {}
  static Matrix of(const Tensor &tensor, int64_t index) {
    Matrix m(tensor.dims()[tensor.dims().size() - 2], tensor.dims().back());
    for (int64_t i = 0; i < m.rows * m.columns; ++i) {
      int64_t at = index * m.rows * m.columns + i;
      m.data[static_cast<size_t>(i)] =
          tensor.dtype() == DType::Float64 ? Complex(tensor.as<double>()[at]) : tensor.as<Complex>()[at];
    }
    return m;
  }
  Complex &operator()(int64_t r, int64_t c) { return data[static_cast<size_t>(r * columns + c)]; }
  const Complex &operator()(int64_t r, int64_t c) const { return data[static_cast<size_t>(r * columns + c)]; }
  Matrix adjoint() const {
    Matrix out(columns, rows);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        out(c, r) = std::conj((*this)(r, c));
    return out;
  }
};

Matrix operator*(const Matrix &x, const Matrix &y) {
  Matrix out(x.rows, y.columns);
  for (int64_t r = 0; r < x.rows; ++r)
    for (int64_t c = 0; c < y.columns; ++c)
      for (int64_t k = 0; k < x.columns; ++k)
        out(r, c) += x(r, k) * y(k, c);
  return out;
}

void expectEqual(const Matrix &found, const Matrix &expected) {
  ASSERT_EQ(found.data.size(), expected.data.size());
  for (size_t i = 0; i < found.data.size(); ++i)
    EXPECT_LT(std::abs(found.data[i] - expected.data[i]), 1e-12) << "element " << i;
}

Matrix identity(int64_t n) {
  Matrix out(n, n);
  for (int64_t i = 0; i < n; ++i)
    out(i, i) = 1;
  return out;
}

std::vector<Tensor> runAll(const KernelCase &c) {
  Result<std::vector<Tensor>> out = runCase(c);
  EXPECT_TRUE(out) << (out ? "" : out.diagnostics().text());
  return out ? *out : std::vector<Tensor>();
}

class Dtypes : public ::testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(LinearAlgebra, Dtypes, ::testing::Values(DType::Float64, DType::Complex128));

TEST_P(Dtypes, SingularValues) {
  for (bool full : {false, true})
    for (Shape dims : {Shape{2, 3, 5}, Shape{2, 5, 3}, Shape{2, 4, 4}}) {
      int64_t m = dims[1], n = dims[2], k = std::min(m, n);
      Tensor x = randomMatrices(GetParam(), dims, 1);
      auto out = runAll({"svd",
                         {{"full_matrices", full}},
                         {x},
                         {{GetParam(), {2, m, full ? m : k}},
                          {DType::Float64, {2, k}},
                          {GetParam(), {2, full ? n : k, n}}}});
      ASSERT_EQ(out.size(), 3u);
      for (int64_t i = 0; i < 2; ++i) {
        Matrix u = Matrix::of(out[0], i), v = Matrix::of(out[2], i), s(u.columns, v.rows);
        for (int64_t j = 0; j < k; ++j)
          s(j, j) = out[1].as<double>()[i * k + j];
        expectEqual(u * s * v, Matrix::of(x, i));
        expectEqual(u.adjoint() * u, identity(u.columns));
      }
    }
}

TEST_P(Dtypes, OrthonormalFactors) {
  for (std::string mode : {"reduced", "complete"})
    for (Shape dims : {Shape{2, 3, 5}, Shape{2, 5, 3}}) {
      int64_t m = dims[1], n = dims[2], k = mode == "complete" ? m : std::min(m, n);
      Tensor x = randomMatrices(GetParam(), dims, 2);
      auto out = runAll({"qr", {{"mode", mode}}, {x}, {{GetParam(), {2, m, k}}, {GetParam(), {2, k, n}}}});
      ASSERT_EQ(out.size(), 2u);
      Matrix q = Matrix::of(out[0], 1), r = Matrix::of(out[1], 1);
      expectEqual(q * r, Matrix::of(x, 1));
      expectEqual(q.adjoint() * q, identity(k));
      EXPECT_EQ(r(1, 0), Complex(0));
    }
}

TEST_P(Dtypes, Eigenvectors) {
  Tensor x = randomMatrices(GetParam(), {2, 4, 4}, 3);
  auto out = runAll({"eig", {}, {x}, {{DType::Complex128, {2, 4}}, {DType::Complex128, {2, 4, 4}}}});
  ASSERT_EQ(out.size(), 2u);
  Matrix v = Matrix::of(out[1], 1), w(4, 4);
  for (int64_t i = 0; i < 4; ++i)
    w(i, i) = out[0].as<Complex>()[4 + i];
  expectEqual(Matrix::of(x, 1) * v, v * w);

  // Hermitian: x x^H; only one triangle is read.
  Matrix square = Matrix::of(x, 0) * Matrix::of(x, 0).adjoint();
  Tensor h(GetParam(), {4, 4});
  for (int64_t i = 0; i < 16; ++i)
    if (GetParam() == DType::Float64)
      h.as<double>()[i] = square.data[static_cast<size_t>(i)].real();
    else
      h.as<Complex>()[i] = square.data[static_cast<size_t>(i)];
  auto hermitian = runAll({"eigh", {{"UPLO", "U"}}, {h}, {{DType::Float64, {4}}, {GetParam(), {4, 4}}}});
  ASSERT_EQ(hermitian.size(), 2u);
  Matrix vectors = Matrix::of(hermitian[1], 0), values(4, 4);
  for (int64_t i = 0; i < 4; ++i)
    values(i, i) = hermitian[0].as<double>()[i];
  expectEqual(vectors * values * vectors.adjoint(), square);
  auto factor = runAll({"cholesky", {{"upper", false}}, {h}, {{GetParam(), {4, 4}}}});
  ASSERT_EQ(factor.size(), 1u);
  Matrix lower = Matrix::of(factor[0], 0);
  expectEqual(lower * lower.adjoint(), square);
  EXPECT_EQ(lower(0, 3), Complex(0));
}

TEST_P(Dtypes, SolutionsSolve) {
  Tensor x = randomMatrices(GetParam(), {2, 1, 4, 4}, 4), y = randomMatrices(GetParam(), {3, 4, 2}, 5);
  auto out = runAll({"solve", {}, {x, y}, {{GetParam(), {2, 3, 4, 2}}}});
  ASSERT_EQ(out.size(), 1u);
  expectEqual(Matrix::of(x, 1) * Matrix::of(out[0], 5), Matrix::of(y, 2));
  auto triangle = runAll({"triangular_solve",
                          {{"upper", true}, {"transpose", false}, {"unitriangular", false}},
                          {x, y},
                          {{GetParam(), {2, 3, 4, 2}}}});
  ASSERT_EQ(triangle.size(), 1u);
  Matrix upper = Matrix::of(x, 1);
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < r; ++c)
      upper(r, c) = 0;
  expectEqual(upper * Matrix::of(triangle[0], 4), Matrix::of(y, 1));
  auto inverse = runAll({"inverse", {}, {x}, {{GetParam(), {2, 1, 4, 4}}}});
  ASSERT_EQ(inverse.size(), 1u);
  expectEqual(Matrix::of(x, 0) * Matrix::of(inverse[0], 0), identity(4));
}

/// Whether matmuls of one thread are correct while other threads compute matmuls.
TEST(LinearAlgebra, ConcurrentMatmuls) {
  constexpr int rows = 5, inner = 18, columns = 25;
  std::atomic<int> wrong{0};
  auto multiplyOften = [&](unsigned seed) {
    std::vector<double> x(rows * inner), y(inner * columns), out(rows * columns);
    std::mt19937 random(seed);
    for (int repeat = 0; repeat < 5000; ++repeat) {
      for (std::vector<double> *scalars : {&x, &y})
        for (double &value : *scalars)
          value = static_cast<double>(random() % 100);
      Lapack<double>::gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1, x.data(),
                           inner, y.data(), columns, 0, out.data(), columns);
      double expected = 0; // of the last element; small integers are exact
      for (int k = 0; k < inner; ++k)
        expected += x[(rows - 1) * inner + k] * y[k * columns + columns - 1];
      wrong += out.back() != expected;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed)
    threads.emplace_back(multiplyOften, seed);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(LinearAlgebra, Determinants) {
  Tensor x = doubles({3, 2, 2}, {1, 2, 3, 4, 1, 2, 2, 4, 0, 2, 3, 0});
  expectClose(runAll({"det", {}, {x}, {{DType::Float64, {3}}}})[0], {-2, 0, -6}, 1e-14);
  double inf = std::numeric_limits<double>::infinity();
  std::vector<double> found = valuesOf<double>(runAll({"slogdet", {}, {x}, {{DType::Float64, {2, 3}}}})[0]);
  std::vector<double> expected{-1, 0, -1, std::log(2), -inf, std::log(6)};
  for (size_t i = 0; i < 6; ++i)
    EXPECT_TRUE(found[i] == expected[i] || std::abs(found[i] - expected[i]) < 1e-14) << i << ": " << found[i];
}

TEST(LinearAlgebra, TrianglesAndSwaps) {
  Tensor x = doubles({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10});
  auto lu = runAll({"lu", {}, {x}, {{DType::Float64, {3, 3}}, {DType::Int32, {3}}, {DType::Int32, {1}}}});
  ASSERT_EQ(lu.size(), 3u);
  auto p =
      runAll({"lu_permutation", {{"rows", 3}, {"dtype", "float64"}}, {lu[1]}, {{DType::Float64, {3, 3}}}});
  ASSERT_EQ(p.size(), 1u);
  Matrix both = Matrix::of(lu[0], 0), lower = identity(3), upper(3, 3);
  for (int64_t r = 0; r < 3; ++r)
    for (int64_t c = 0; c < 3; ++c)
      (c < r ? lower : upper)(r, c) = both(r, c);
  expectEqual(Matrix::of(p[0], 0) * lower * upper, Matrix::of(x, 0));
}

// The line through (0, 1), (1, 3), (2, 5), (3, 8): by hand 0.8 + 2.3 t, residual 0.3.
TEST(LinearAlgebra, LeastSquares) {
  Tensor x = doubles({4, 2}, {1, 0, 1, 1, 1, 2, 1, 3}), y = doubles({4, 1}, {1, 3, 5, 8});
  for (std::string driver : {"gels", "gelsy", "gelsd", "gelss"}) {
    bool values = driver == "gelsd" || driver == "gelss";
    auto out = runAll({"lstsq",
                       {{"driver", driver}, {"rcond", 1e-12}},
                       {x, y},
                       {{DType::Float64, {2, 1}},
                        {DType::Float64, {1}},
                        {DType::Int32, driver == "gels" ? Shape{0} : Shape{}},
                        {DType::Float64, values ? Shape{2} : Shape{0}}}});
    ASSERT_EQ(out.size(), 4u);
    expectClose(out[0], {0.8, 2.3}, 1e-12);
    expectClose(out[1], {0.3}, 1e-12);
    if (driver != "gels")
      EXPECT_EQ(out[2].as<int32_t>()[0], 2);
  }
}

TEST(LinearAlgebra, SingularMatrixErrorHasIndex) {
  Tensor x = doubles({2, 2, 2}, {1, 0, 0, 1, 1, 2, 2, 4});
  auto out = runCase({"inverse", {}, {x}, {{DType::Float64, {2, 2, 2}}}});
  ASSERT_FALSE(out);
  EXPECT_THAT(out.diagnostics().text(), HasSubstr("matrix 1 is singular"));
  auto factor = runCase({"cholesky", {}, {doubles({2, 2}, {1, 2, 2, 1})}, {{DType::Float64, {2, 2}}}});
  ASSERT_FALSE(factor);
  EXPECT_THAT(factor.diagnostics().text(), HasSubstr("matrix 0 is not positive definite"));
}

} // namespace
} // namespace proa::runtime
