// Kernels for the GPU at odd sizes, run by the emulator in all schedules and compared with their formulas.
// The emulator checks the address of every access.
#include "lib/compiler/autodiff/CompiledFunction.h"
#include "lib/compiler/compile/Registration.h"
#include "lib/runtime/emulator/Emulator.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using namespace proa;

namespace {

/// A matrix in double precision.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> elements;

  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), elements(static_cast<size_t>(rows * columns)) {}
  double &at(int64_t i, int64_t j) { return elements[static_cast<size_t>(i * columns + j)]; }
  double at(int64_t i, int64_t j) const { return elements[static_cast<size_t>(i * columns + j)]; }
};

/// A kernel of one matrix {r}x{c} of f32, and its formula.
struct Kernel {
  const char *name;
  const char *body; ///< of @main(%x: tensor<{r}x{c}xf32>); ends with the result %y
  const char *type; ///< of the result
  Matrix (*formula)(const Matrix &x);
  double tolerance = 1e-5;
};

Matrix softmax(const Matrix &x) {
  Matrix y = x;
  for (int64_t i = 0; i < x.rows; ++i) {
    double most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < x.columns; ++j)
      most = std::max(most, x.at(i, j));
    for (int64_t j = 0; j < x.columns; ++j)
      sum += std::exp(x.at(i, j) - most);
    for (int64_t j = 0; j < x.columns; ++j)
      y.at(i, j) = std::exp(x.at(i, j) - most) / sum;
  }
  return y;
}

Matrix sumRows(const Matrix &x) {
  Matrix y(x.columns, 1);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j)
      y.at(j, 0) += x.at(i, j);
  return y;
}

Matrix sumAll(const Matrix &x) {
  Matrix y(1, 1);
  for (double element : x.elements)
    y.at(0, 0) += element;
  return y;
}

Matrix transposed(const Matrix &x) {
  Matrix y(x.columns, x.rows);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j)
      y.at(j, i) = 2 * x.at(i, j);
  return y;
}

Matrix square(const Matrix &x) {
  Matrix y = x;
  for (double &element : y.elements)
    element = element * element - element;
  return y;
}

Matrix lessThanMean(const Matrix &x) {
  Matrix y(x.rows, 1);
  for (int64_t i = 0; i < x.rows; ++i) {
    double product = 1;
    for (int64_t j = 0; j < x.columns; ++j)
      product = std::min(product, x.at(i, j));
    y.at(i, 0) = product < -0.5 ? 1 : 0;
  }
  return y;
}

Matrix softmaxOfColumns(const Matrix &x) {
  Matrix swapped(x.columns, x.rows), y(x.rows, x.columns);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j)
      swapped.at(j, i) = x.at(i, j);
  swapped = softmax(swapped);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j)
      y.at(i, j) = swapped.at(j, i);
  return y;
}

Matrix runningSum(const Matrix &x) {
  Matrix y = x;
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 1; j < x.columns; ++j)
      y.at(i, j) += y.at(i, j - 1);
  return y;
}

Matrix runningSumOfColumns(const Matrix &x) {
  Matrix y = x;
  for (int64_t i = x.rows - 2; i >= 0; --i)
    for (int64_t j = 0; j < x.columns; ++j)
      y.at(i, j) += y.at(i + 1, j);
  return y;
}

Matrix sortedRows(const Matrix &x) {
  Matrix y = x;
  for (int64_t i = 0; i < x.rows; ++i)
    std::sort(&y.at(i, 0), &y.at(i, 0) + x.columns, std::greater<>());
  return y;
}

Matrix greatestOfRows(const Matrix &x) {
  Matrix y(x.rows, 1);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 1; j < x.columns; ++j)
      if (x.at(i, j) > x.at(i, static_cast<int64_t>(y.at(i, 0))))
        y.at(i, 0) = static_cast<double>(j);
  return y;
}

const Kernel kernels[] = {
    {"square", R"(%s = pd.multiply %x, %x : (tensor<{r}x{c}xf32>, tensor<{r}x{c}xf32>) -> tensor<{r}x{c}xf32>
      %y = pd.subtract %s, %x : (tensor<{r}x{c}xf32>, tensor<{r}x{c}xf32>) -> tensor<{r}x{c}xf32>)",
     "{r}x{c}xf32", square},
    {"softmax",
     R"(%m = pd.max %x {{axis = array<i64: 1>, keepdim = true}} : (tensor<{r}x{c}xf32>) -> tensor<{r}x1xf32>
      %d = pd.subtract %x, %m : (tensor<{r}x{c}xf32>, tensor<{r}x1xf32>) -> tensor<{r}x{c}xf32>
      %e = pd.exp %d : (tensor<{r}x{c}xf32>) -> tensor<{r}x{c}xf32>
      %s = pd.sum %e {{axis = array<i64: 1>, keepdim = true}} : (tensor<{r}x{c}xf32>) -> tensor<{r}x1xf32>
      %y = pd.divide %e, %s : (tensor<{r}x{c}xf32>, tensor<{r}x1xf32>) -> tensor<{r}x{c}xf32>)",
     "{r}x{c}xf32", softmax},
    {"sum_rows", R"(%y = pd.sum %x {{axis = array<i64: 0>}} : (tensor<{r}x{c}xf32>) -> tensor<{c}xf32>)",
     "{c}xf32", sumRows, 1e-4},
    {"sum_all", R"(%y = pd.sum %x {{axis = array<i64: 0, 1>}} : (tensor<{r}x{c}xf32>) -> tensor<f32>)", "f32",
     sumAll, 1e-4},
    {"transposed",
     R"(%t = pd.transpose %x {{perm = array<i64: 1, 0>}} : (tensor<{r}x{c}xf32>) -> tensor<{c}x{r}xf32>
      %y = pd.add %t, %t : (tensor<{c}x{r}xf32>, tensor<{c}x{r}xf32>) -> tensor<{c}x{r}xf32>)",
     "{c}x{r}xf32", transposed},
    {"any_small", R"(%h = pd.constant dense<-0.5> : tensor<f32>
      %b = pd.less_than %x, %h : (tensor<{r}x{c}xf32>, tensor<f32>) -> tensor<{r}x{c}xi1>
      %a = pd.any %b {{axis = array<i64: 1>}} : (tensor<{r}x{c}xi1>) -> tensor<{r}xi1>
      %y = pd.cast %a {{dtype = f32}} : (tensor<{r}xi1>) -> tensor<{r}xf32>)",
     "{r}xf32", lessThanMean},
    {"softmax_of_columns",
     R"(%m = pd.max %x {{axis = array<i64: 0>, keepdim = true}} : (tensor<{r}x{c}xf32>) -> tensor<1x{c}xf32>
      %d = pd.subtract %x, %m : (tensor<{r}x{c}xf32>, tensor<1x{c}xf32>) -> tensor<{r}x{c}xf32>
      %e = pd.exp %d : (tensor<{r}x{c}xf32>) -> tensor<{r}x{c}xf32>
      %s = pd.sum %e {{axis = array<i64: 0>, keepdim = true}} : (tensor<{r}x{c}xf32>) -> tensor<1x{c}xf32>
      %y = pd.divide %e, %s : (tensor<{r}x{c}xf32>, tensor<1x{c}xf32>) -> tensor<{r}x{c}xf32>)",
     "{r}x{c}xf32", softmaxOfColumns},
    {"running_sum", R"(%y = pd.cumsum %x {{axis = 1 : i64}} : (tensor<{r}x{c}xf32>) -> tensor<{r}x{c}xf32>)",
     "{r}x{c}xf32", runningSum, 1e-4},
    {"running_sum_of_columns",
     R"(%y = pd.cumsum %x {{axis = 0 : i64, reverse = true}} : (tensor<{r}x{c}xf32>) -> tensor<{r}x{c}xf32>)",
     "{r}x{c}xf32", runningSumOfColumns, 1e-4},
    {"sorted_rows", R"(%y, %i = pd.argsort %x {{axis = 1 : i64, descending = true, stable = true}}
          : (tensor<{r}x{c}xf32>) -> (tensor<{r}x{c}xf32>, tensor<{r}x{c}xi64>))",
     "{r}x{c}xf32", sortedRows, 0},
    {"greatest_of_rows",
     R"(%i = pd.argmax %x {{axis = 1 : i64, dtype = i64}} : (tensor<{r}x{c}xf32>) -> tensor<{r}xi64>
      %y = pd.cast %i {{dtype = f32}} : (tensor<{r}xi64>) -> tensor<{r}xf32>)",
     "{r}xf32", greatestOfRows, 0},
    {"first_of_sorted_rows", R"(%y, %i = pd.topk %x {{axis = 1 : i64, k = 1 : i64}}
          : (tensor<{r}x{c}xf32>) -> (tensor<{r}x1xf32>, tensor<{r}x1xi64>))",
     "{r}x1xf32",
     [](const Matrix &x) {
       Matrix sorted = sortedRows(x), y(x.rows, 1);
       for (int64_t i = 0; i < x.rows; ++i)
         y.at(i, 0) = sorted.at(i, 0);
       return y;
     },
     0},
};

std::string replaced(std::string text, const std::string &rows, const std::string &columns) {
  return fmt::format(fmt::runtime(text), fmt::arg("r", rows), fmt::arg("c", columns));
}

class GpuKernels : public ::testing::TestWithParam<std::pair<int64_t, int64_t>> {
protected:
  GpuKernels() : context(registry()) { context.loadAllAvailableDialects(); }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module(const Kernel &kernel, const std::string &rows,
                                           const std::string &columns) {
    std::string text = "func.func @main(%x: tensor<{r}x{c}xf32>) -> tensor<" + std::string(kernel.type) +
                       "> {{\n" + kernel.body + "\nreturn %y : tensor<" + kernel.type + ">\n}}";
    return mlir::parseSourceString<mlir::ModuleOp>(replaced(text, rows, columns), &context);
  }

  void check(const Kernel &kernel, mlir::OwningOpRef<mlir::ModuleOp> module) {
    auto [rows, columns] = GetParam();
    Matrix x(rows, columns);
    Tensor input(DType::Float32, {rows, columns});
    std::mt19937 random(1);
    std::uniform_real_distribution<float> values(-1, 1);
    for (size_t i = 0; i < x.elements.size(); ++i)
      x.elements[i] = input.as<float>()[i] = values(random);
    ASSERT_TRUE(module);
    CompileOptions options;
    options.target = TargetKind::CudaEmulated;
    auto compiled = CompiledFunction::create(std::move(module), {input}, options);
    ASSERT_TRUE(compiled) << compiled.diagnostics().text();
    Matrix expected = kernel.formula(x);
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
      emulator::setScheduling({.fixed = {}, .rotation = rotation, .seed = 1});
      auto results = compiled->run({input});
      ASSERT_TRUE(results) << results.diagnostics().text();
      const Tensor &result = results->front();
      ASSERT_EQ(result.size(), static_cast<int64_t>(expected.elements.size()));
      for (size_t i = 0; i < expected.elements.size(); ++i)
        ASSERT_NEAR(result.as<float>()[i], expected.elements[i], kernel.tolerance) << "at " << i;
    }
    emulator::setScheduling({});
  }

  mlir::MLIRContext context;
};

TEST_P(GpuKernels, MatchTheirFormulas) {
  auto [rows, columns] = GetParam();
  for (const Kernel &kernel : kernels) {
    SCOPED_TRACE(kernel.name);
    check(kernel, module(kernel, std::to_string(rows), std::to_string(columns)));
  }
}

TEST_P(GpuKernels, MatchTheirFormulasWithDynamicDims) {
  for (const Kernel &kernel : kernels) {
    SCOPED_TRACE(kernel.name);
    auto dynamic = module(kernel, "?", "?");
    ASSERT_TRUE(dynamic);
    Result<void> formed = formKernels(*dynamic, {});
    ASSERT_TRUE(formed) << formed.diagnostics().text();
    check(kernel, std::move(dynamic));
  }
}

INSTANTIATE_TEST_SUITE_P(OddSizes, GpuKernels,
                         ::testing::Values(std::pair(1, 1), std::pair(1, 1025), std::pair(1025, 1),
                                           std::pair(31, 33), std::pair(33, 31), std::pair(7, 127),
                                           std::pair(2, 4099), std::pair(257, 3)));

/// Without elements there is nothing to compute, and nothing may be read.
INSTANTIATE_TEST_SUITE_P(NoRows, GpuKernels, ::testing::Values(std::pair(0, 5)));

} // namespace
