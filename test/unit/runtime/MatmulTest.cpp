#include "test/unit/runtime/KernelHarness.h"

#include "proa/Half.h"

#include <gmock/gmock.h>

#include <cmath>
#include <complex>

namespace proa::runtime {
namespace {

using nlohmann::json;
using Shape = std::vector<int64_t>;

/// Element of a dense tensor by index.
double at(const Tensor &tensor, const Shape &index) {
  int64_t flat = 0;
  for (size_t i = 0; i < index.size(); ++i)
    flat = flat * tensor.dims()[i] + index[i];
  return static_cast<double>(tensor.as<float>()[flat]);
}

/// Next index in row-major order; false at the end.
bool advance(Shape &index, const Shape &dims) {
  for (size_t i = dims.size(); i-- > 0;) {
    if (++index[i] < dims[i])
      return true;
    index[i] = 0;
  }
  return false;
}

/// [batch..., M, K] x [batch..., K, N] by the definition, in double.
std::vector<double> product(const Tensor &x, const Tensor &y, const Shape &result) {
  std::vector<double> out;
  Shape index(result.size(), 0);
  size_t rank = result.size();
  do {
    double sum = 0;
    auto operandIndex = [&](const Tensor &operand, int64_t row, int64_t column) {
      Shape at(operand.dims().size());
      for (size_t i = 0; i + 2 < at.size(); ++i) {
        size_t axis = rank - at.size() + i;
        at[i] = operand.dims()[i] == 1 ? 0 : index[axis];
      }
      at[at.size() - 2] = row;
      at[at.size() - 1] = column;
      return at;
    };
    for (int64_t k = 0; k < x.dims().back(); ++k)
      sum += at(x, operandIndex(x, index[rank - 2], k)) * at(y, operandIndex(y, k, index[rank - 1]));
    out.push_back(sum);
  } while (advance(index, result));
  return out;
}

/// The tensor with axes swapped so that reading it through `permutation` gives `logical` again.
Tensor stored(const Tensor &logical, const Shape &permutation) {
  Shape dims(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    dims[static_cast<size_t>(permutation[i])] = logical.dims()[i];
  Tensor out(logical.dtype(), dims);
  Shape index(dims.size(), 0);
  int64_t flat = 0;
  do {
    Shape from(dims.size());
    for (size_t i = 0; i < permutation.size(); ++i)
      from[i] = index[static_cast<size_t>(permutation[i])];
    out.as<float>()[flat++] = static_cast<float>(at(logical, from));
  } while (advance(index, dims));
  return out;
}

/// The same values in another dtype.
template <class T> Tensor converted(const Tensor &tensor, DType dtype) {
  Tensor out(dtype, tensor.dims());
  std::transform(tensor.as<float>(), tensor.as<float>() + tensor.size(), out.as<T>(),
                 [](float value) { return static_cast<T>(value); });
  return out;
}

/// BLAS computes the types that oneDNN does not have: the same matmuls in float64 and, without post-ops, in
/// complex128.
void expectMatmulByBlas(KernelCase c, const Shape &dims, const std::vector<double> &expected,
                        double tolerance) {
  KernelCase wide = c, complex = c;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    wide.inputs[i] = converted<double>(c.inputs[i], DType::Float64);
    complex.inputs[i] = converted<std::complex<double>>(c.inputs[i], DType::Complex128);
  }
  wide.outputs = {{DType::Float64, dims}};
  complex.outputs = {{DType::Complex128, dims}};
  Result<std::vector<Tensor>> result = runCase(wide);
  ASSERT_TRUE(result) << result.diagnostics().text();
  expectClose((*result)[0], expected, tolerance);
  if (c.name == "fused_matmul") // not for complex numbers
    return;
  result = runCase(complex);
  ASSERT_TRUE(result) << result.diagnostics().text();
  const auto *found = (*result)[0].as<std::complex<double>>();
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[i].real(), expected[i], tolerance * (1 + std::abs(expected[i])));
    EXPECT_EQ(found[i].imag(), 0);
  }
}

/// Accuracy of double against expected values stored as float.
constexpr double roundedToFloat = 1e-7;

/// With all kinds of operands: static and dynamic dims, constant and fed weights.
void expectMatmul(KernelCase c, const Shape &dims, const std::vector<double> &expected,
                  double tolerance = 2e-6, double wideTolerance = 1e-14) {
  bool isFused = false;
  for (const char *name : {"alpha", "post_ops", "x_permutation", "y_permutation", "out_permutation"})
    isFused |= c.attributes.contains(name);
  c.name = isFused ? "fused_matmul" : "matmul";
  c.outputs = {{c.inputs[0].dtype(), dims}};
  for (Dims mode : {Dims::Static, Dims::Dynamic})
    for (bool constant : {false, true}) {
      SCOPED_TRACE(std::string(mode == Dims::Static ? "static" : "dynamic") +
                   (constant ? ", constant y" : ""));
      c.dims = mode;
      c.constantInputs = constant ? std::vector<size_t>{1} : std::vector<size_t>{};
      Result<std::vector<Tensor>> result = runCase(c);
      ASSERT_TRUE(result) << result.diagnostics().text();
      EXPECT_EQ((*result)[0].dims(), dims);
      expectClose((*result)[0], expected, tolerance);
    }
  if (c.inputs[0].dtype() == DType::Float32)
    expectMatmulByBlas(c, dims, expected, wideTolerance);
}

TEST(Matmul, Plain) {
  Tensor x = randomFloats({37, 65}, 1), y = randomFloats({65, 130}, 2);
  expectMatmul({"", {}, {x, y}, {}}, {37, 130}, product(x, y, {37, 130}));
}

TEST(Matmul, TransposedOperands) {
  Tensor x = randomFloats({5, 7}, 1), y = randomFloats({7, 9}, 2);
  std::vector<double> expected = product(x, y, {5, 9});
  expectMatmul(
      {"", {{"transpose_x", true}, {"transpose_y", true}}, {stored(x, {1, 0}), stored(y, {1, 0})}, {}},
      {5, 9}, expected);
}

// Few and many columns, in one block and in several; few lines, and more than are added at once.
TEST(Matmul, OneRow) {
  for (Shape dims :
       {Shape{1, 1}, Shape{7, 5}, Shape{16, 64}, Shape{37, 1}, Shape{65, 130}, Shape{20, 9000}}) {
    SCOPED_TRACE(testing::PrintToString(dims));
    int64_t inner = dims[0], columns = dims[1];
    Tensor x = randomFloats({1, inner}, 1), y = randomFloats(dims, 2);
    std::vector<double> expected = product(x, y, {1, columns});
    expectMatmul({"", {}, {x, y}, {}}, {1, columns}, expected);
    expectMatmul({"", {{"transpose_y", true}}, {x, stored(y, {1, 0})}, {}}, {1, columns}, expected);
  }
}

TEST(Matmul, OneRowOfEachBatch) {
  Tensor q = randomFloats({2, 3, 1, 20}, 1), k = randomFloats({3, 20, 33}, 2), bias = randomFloats({33}, 3);
  std::vector<double> expected = product(q, k, {2, 3, 1, 33});
  expectMatmul({"", {}, {q, k}, {}}, {2, 3, 1, 33}, expected);
  expectMatmul({"", {{"transpose_y", true}}, {q, stored(k, {0, 2, 1})}, {}}, {2, 3, 1, 33}, expected);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = std::max(-0.5 * expected[i] + static_cast<double>(bias.as<float>()[i % 33]), 0.0);
  json ops = json::array({{{"kind", "bias"}}, {{"kind", "relu"}}});
  expectMatmul({"", {{"post_ops", ops}, {"alpha", -0.5}}, {q, k, bias}, {}}, {2, 3, 1, 33}, expected);
}

TEST(Matmul, BatchesBroadcast) {
  Tensor x = randomFloats({2, 1, 3, 4}, 1), y = randomFloats({5, 4, 6}, 2);
  expectMatmul({"", {}, {x, y}, {}}, {2, 5, 3, 6}, product(x, y, {2, 5, 3, 6}));
  Tensor many = randomFloats({2, 3, 8, 16}, 3), weight = randomFloats({16, 24}, 4);
  expectMatmul({"", {}, {many, weight}, {}}, {2, 3, 8, 24}, product(many, weight, {2, 3, 8, 24}));
}

TEST(Matmul, VectorOperandsHaveNoAxisInResult) {
  Tensor x = randomFloats({3, 4}, 1), v = randomFloats({4}, 2);
  std::vector<double> expected = product(x, v.reshaped({4, 1}), {3, 1});
  expectMatmul({"", {}, {x, v}, {}}, {3}, expected);
  expectMatmul({"", {{"transpose_y", true}}, {v, x}, {}}, {3}, expected);
  expectMatmul({"", {{"transpose_x", true}}, {v, v}, {}}, {},
               product(v.reshaped({1, 4}), v.reshaped({4, 1}), {1, 1}));
}

TEST(Matmul, AttentionWithoutCopies) {
  // [batch, heads, tokens, width] operands that are stored as [batch, tokens, heads, width].
  Tensor q = randomFloats({2, 3, 5, 16}, 1), kT = randomFloats({2, 3, 16, 7}, 2),
         v = randomFloats({2, 3, 7, 16}, 3);
  std::vector<double> scores = product(q, kT, {2, 3, 5, 7});
  for (double &score : scores)
    score *= 0.25;
  Shape heads{0, 2, 1, 3};
  Tensor k = stored(stored(kT, {0, 1, 3, 2}), heads); // [2, 7, 3, 16]
  expectMatmul({"",
                {{"x_permutation", heads}, {"y_permutation", heads}, {"transpose_y", true}, {"alpha", 0.25}},
                {stored(q, heads), k},
                {}},
               {2, 3, 5, 7}, scores);
  Tensor p = randomFloats({2, 3, 5, 7}, 4);
  Tensor out(DType::Float32, {2, 3, 5, 16});
  std::vector<double> context = product(p, v, {2, 3, 5, 16});
  for (size_t i = 0; i < context.size(); ++i)
    out.as<float>()[i] = static_cast<float>(context[i]);
  Tensor asStored = stored(out, heads);
  expectMatmul({"", {{"y_permutation", heads}, {"out_permutation", heads}}, {p, stored(v, heads)}, {}},
               {2, 5, 3, 16}, {asStored.as<float>(), asStored.as<float>() + asStored.size()}, 2e-6,
               roundedToFloat);
}

TEST(Matmul, PermutationThatMovesTheInnermostAxis) {
  Tensor x = randomFloats({3, 4, 5}, 1), y = randomFloats({3, 5, 6}, 2);
  std::vector<double> expected = product(x, y, {3, 4, 6});
  expectMatmul({"",
                {{"x_permutation", Shape{2, 0, 1}}, {"y_permutation", Shape{2, 1, 0}}},
                {stored(x, {2, 0, 1}), stored(y, {2, 1, 0})},
                {}},
               {3, 4, 6}, expected);
  Tensor out = floats({3, 4, 6}, {expected.begin(), expected.end()});
  Tensor moved = stored(out, {1, 2, 0}); // stored axis permutation^-1
  Shape inverse{2, 0, 1};
  expectMatmul({"", {{"out_permutation", inverse}}, {x, y}, {}}, moved.dims(),
               {moved.as<float>(), moved.as<float>() + moved.size()}, 2e-6, roundedToFloat);
}

TEST(Matmul, PostOpsInOrder) {
  Tensor x = randomFloats({2, 9, 32}, 1), y = randomFloats({32, 48}, 2), bias = randomFloats({48}, 3),
         residual = randomFloats({2, 9, 48}, 4), mask = randomFloats({9, 1}, 5);
  std::vector<double> expected = product(x, y, {2, 9, 48});
  for (size_t i = 0; i < expected.size(); ++i) {
    double value = 0.5 * expected[i] + static_cast<double>(bias.as<float>()[i % 48]);
    value = 0.5 * value * (1 + std::erf(value / std::sqrt(2.0)));
    value += static_cast<double>(residual.as<float>()[i]);
    value *= static_cast<double>(mask.as<float>()[i / 48 % 9]);
    expected[i] = std::max(value, 0.0);
  }
  json ops = json::array({{{"kind", "bias"}},
                          {{"kind", "gelu_erf"}},
                          {{"kind", "add"}},
                          {{"kind", "multiply"}},
                          {{"kind", "relu"}}});
  expectMatmul({"", {{"post_ops", ops}, {"alpha", 0.5}}, {x, y, bias, residual, mask}, {}}, {2, 9, 48},
               expected);
}

/// Post-ops on the tiles of a packed matmul: several groups of rows and of terms, and columns in part of a
/// vector. Only the first bias is added to the sums.
TEST(Matmul, PostOpsOfTiles) {
  auto gelu = [](double v) { return 0.5 * v * std::erfc(-v / std::sqrt(2.0)); };
  for (const Shape &dims : {Shape{130, 40, 70}, Shape{100, 800, 16}, Shape{7, 390, 33}}) {
    SCOPED_TRACE(testing::PrintToString(dims));
    int64_t rows = dims[0], columns = dims[2];
    Tensor x = randomFloats({rows, dims[1]}, 1), y = randomFloats({dims[1], columns}, 2),
           bias = randomFloats({columns}, 3), residual = randomFloats({rows, columns}, 4),
           second = randomFloats({columns}, 5);
    std::vector<double> plain = product(x, y, {rows, columns}), expected = plain, late = plain;
    for (size_t i = 0; i < expected.size(); ++i) {
      auto column = static_cast<int64_t>(i) % columns;
      double first = static_cast<double>(bias.as<float>()[column]),
             added = static_cast<double>(residual.as<float>()[i]),
             other = static_cast<double>(second.as<float>()[column]);
      expected[i] = (gelu(plain[i] + first) + added) * added + other;
      late[i] = std::max(plain[i], 0.0) + first;
    }
    json ops = json::array({{{"kind", "bias"}},
                            {{"kind", "gelu_erf"}},
                            {{"kind", "add"}},
                            {{"kind", "multiply"}},
                            {{"kind", "bias"}}});
    expectMatmul({"", {{"post_ops", ops}}, {x, y, bias, residual, residual, second}, {}}, {rows, columns},
                 expected, 1e-5);
    json biasLast = json::array({{{"kind", "relu"}}, {{"kind", "bias"}}});
    expectMatmul({"", {{"post_ops", biasLast}}, {x, y, bias}, {}}, {rows, columns}, late, 1e-5);
  }
}

TEST(Matmul, PermutedResultWithBroadcastOperands) {
  Tensor x = randomFloats({1, 3, 5, 8}, 1), y = randomFloats({1, 3, 8, 8}, 2), row = randomFloats({8}, 3);
  std::vector<double> expected = product(x, y, {1, 3, 5, 8});
  Tensor result(DType::Float32, {1, 3, 5, 8});
  for (size_t i = 0; i < expected.size(); ++i)
    result.as<float>()[i] = static_cast<float>(std::max(expected[i], 0.0) + double(row.as<float>()[i % 8]));
  Shape heads{0, 2, 1, 3};
  Tensor moved = stored(result, heads);
  for (const char *kind : {"add", "bias"}) {
    json ops = json::array({{{"kind", "relu"}}, {{"kind", kind}}});
    expectMatmul({"", {{"out_permutation", heads}, {"post_ops", ops}}, {x, y, row}, {}}, {1, 5, 3, 8},
                 {moved.as<float>(), moved.as<float>() + moved.size()}, 2e-6, roundedToFloat);
  }
}

TEST(Matmul, EveryActivation) {
  Tensor x = randomFloats({4, 8}, 1), y = randomFloats({8, 16}, 2);
  auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  auto clamp = [](double v, double low, double high) { return std::min(std::max(v, low), high); };
  std::vector<std::pair<json, std::function<double(double)>>> activations = {
      {{{"kind", "relu"}}, [](double v) { return std::max(v, 0.0); }},
      {{{"kind", "leaky_relu"}, {"alpha", 0.1}}, [](double v) { return v > 0 ? v : 0.1 * v; }},
      {{{"kind", "relu6"}, {"alpha", 6}}, [&](double v) { return clamp(v, 0, 6); }},
      {{{"kind", "clip"}, {"alpha", -0.5}, {"beta", 0.25}}, [&](double v) { return clamp(v, -0.5, 0.25); }},
      {{{"kind", "gelu_erf"}}, [](double v) { return v * 0.5 * std::erfc(-v / std::sqrt(2.0)); }},
      {{{"kind", "gelu_tanh"}},
       [](double v) { return 0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v))); }},
      {{{"kind", "sigmoid"}}, sigmoid},
      {{{"kind", "tanh"}}, [](double v) { return std::tanh(v); }},
      {{{"kind", "swish"}, {"alpha", 1}}, [&](double v) { return v * sigmoid(v); }},
      {{{"kind", "hardswish"}}, [&](double v) { return v * clamp(v + 3, 0, 6) / 6; }},
      {{{"kind", "hardsigmoid"}, {"alpha", 0.1666667}, {"beta", 0.5}},
       [&](double v) { return clamp(0.1666667 * v + 0.5, 0, 1); }},
      {{{"kind", "elu"}, {"alpha", 1}}, [](double v) { return v > 0 ? v : std::exp(v) - 1; }},
      {{{"kind", "mish"}}, [](double v) { return v * std::tanh(std::log(1 + std::exp(v))); }},
      {{{"kind", "abs"}}, [](double v) { return std::abs(v); }},
      {{{"kind", "square"}}, [](double v) { return v * v; }},
      {{{"kind", "linear"}, {"alpha", 2}, {"beta", 1}}, [](double v) { return 2 * v + 1; }},
      {{{"kind", "exp"}}, [](double v) { return std::exp(v); }},
  };
  for (const auto &[op, apply] : activations) {
    SCOPED_TRACE(op.dump());
    std::vector<double> expected = product(x, y, {4, 16});
    for (double &value : expected)
      value = apply(value);
    expectMatmul({"", {{"post_ops", json::array({op})}}, {x, y}, {}}, {4, 16}, expected, 1e-5, 1e-7);
  }
}

/// x y, then x y with post-ops, one of which adds the first result: the second overwrites it.
void checkSummandInPlace(const json &postOps, const std::function<double(double)> &expected) {
  SCOPED_TRACE(postOps.dump());
  Tensor x = randomFloats({9, 21}, 1), y = randomFloats({21, 34}, 2);
  Plan plan;
  plan.values = {{DType::Float32, x.dims(), Storage::Feed, 0, none, "x"},
                 {DType::Float32, y.dims(), Storage::Parameter, 0, none, "y"},
                 {DType::Float32, {9, 34}, Storage::Arena, 0, none, "first"},
                 {DType::Float32, {9, 34}, Storage::Arena, 0, none, "second"}};
  plan.feeds = {0};
  plan.parameters = {1};
  for (ValueId out : {2, 3}) {
    Step step;
    step.kind = StepKind::Library;
    step.symbol = out == 3 ? "fused_matmul" : "matmul";
    step.inputs = {0, 1};
    step.outputs = {out};
    if (out == 3) {
      step.inputs.push_back(2);
      step.attributes["post_ops"] = postOps;
    }
    plan.steps.push_back(step);
  }
  plan.fetches = {3};
  plan.fetchNames = {"second"};
  plan.arenaBytes = 9 * 34 * sizeof(float);
  auto executable = Executable::create(plan, "test", [](const std::string &) { return nullptr; });
  ASSERT_TRUE(executable) << executable.diagnostics().text();
  ASSERT_TRUE((*executable)->bindParameters({{"y", y}}));
  auto session = Session::create(*executable);
  auto result = (*session)->run({{"x", x}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  std::vector<double> products = product(x, y, {9, 34});
  for (double &value : products)
    value = expected(value);
  expectClose((*result)[0], products, 1e-5);
}

TEST(Matmul, ResidualInPlace) {
  auto gelu = [](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); };
  checkSummandInPlace(json::array({{{"kind", "add"}}}), [](double v) { return 2 * v; });
  checkSummandInPlace(json::array({{{"kind", "add"}}, {{"kind", "gelu_erf"}}}),
                      [&](double v) { return gelu(2 * v); });
  checkSummandInPlace(json::array({{{"kind", "gelu_erf"}}, {{"kind", "add"}}}),
                      [&](double v) { return gelu(v) + v; });
}

TEST(Matmul, IntegersAndHalf) {
  KernelCase c{"matmul",
               {},
               {longs({2, 2}, {1, 2, 3, 4}), longs({2, 1}, {10, int64_t(1) << 40})},
               {{DType::Int64, {2, 1}}}};
  auto result = runCase(c);
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(valuesOf<int64_t>((*result)[0]),
            (std::vector<int64_t>{10 + (int64_t(2) << 40), 30 + (int64_t(4) << 40)}));
  // The sum 2048 + 1 + 1 is exact only if it is not rounded to half after each addition.
  Tensor x(DType::Float16, {1, 3}), y(DType::Float16, {3, 1});
  const float terms[] = {2048, 1, 1};
  for (int i = 0; i < 3; ++i) {
    x.as<Float16>()[i] = Float16(terms[i]);
    y.as<Float16>()[i] = Float16(1.0f);
  }
  result = runCase({"matmul", {}, {x, y}, {{DType::Float16, {1, 1}}}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  EXPECT_EQ(static_cast<float>((*result)[0].as<Float16>()[0]), 2050.0f);
}

/// Sums of more than 8 products, in all lengths of vectors, and modulo 2^32 where they overflow.
TEST(Matmul, Integers32) {
  for (int64_t inner : {1, 7, 8, 9, 37})
    for (int64_t columns : {1, 5, 16, 33, 70}) {
      Tensor x(DType::Int32, {3, inner}), y(DType::Int32, {inner, columns});
      for (int64_t i = 0; i < 3 * inner; ++i)
        x.as<int32_t>()[i] = static_cast<int32_t>(i * 2654435761);
      for (int64_t i = 0; i < inner * columns; ++i)
        y.as<int32_t>()[i] = static_cast<int32_t>(i % 2 == 0 ? i - 20 : i * 40503);
      auto result = runCase({"matmul", {}, {x, y}, {{DType::Int32, {3, columns}}}});
      ASSERT_TRUE(result) << result.diagnostics().text();
      for (int64_t i = 0; i < 3 * columns; ++i) {
        uint64_t want = 0;
        for (int64_t k = 0; k < inner; ++k)
          want += static_cast<uint64_t>(int64_t(x.as<int32_t>()[i / columns * inner + k])) *
                  static_cast<uint64_t>(int64_t(y.as<int32_t>()[k * columns + i % columns]));
        ASSERT_EQ((*result)[0].as<int32_t>()[i], static_cast<int32_t>(want)) << inner << " " << columns;
      }
    }
}

/// The conversions around a matmul of halves: the product with 1 of each half, and of floats between halves.
TEST(Matmul, AllHalves) {
  constexpr int64_t count = 65536;
  Tensor x(DType::Float16, {count, 1}), one(DType::Float16, {1, 1});
  for (int64_t i = 0; i < count; ++i)
    x.as<Float16>()[i].bits = static_cast<uint16_t>(i);
  for (float factor : {1.0F, 0.333251953125F, 1.5F}) { // floats between halves are rounded
    one.as<Float16>()[0] = Float16(factor);
    auto result = runCase({"matmul", {}, {x, one}, {{DType::Float16, {count, 1}}}});
    ASSERT_TRUE(result) << result.diagnostics().text();
    for (int64_t i = 0; i < count; ++i) {
      float given = static_cast<float>(x.as<Float16>()[i]), found = float((*result)[0].as<Float16>()[i]);
      if (std::isnan(given))
        ASSERT_TRUE(std::isnan(found)) << i;
      else
        ASSERT_EQ(found, static_cast<float>(Float16(given * factor))) << i;
    }
  }
}

TEST(Matmul, HalfReadThroughPermutations) {
  // Small integers: the sums are exact.
  Tensor x(DType::Float32, {2, 3, 4}), y(DType::Float32, {2, 4, 5});
  for (Tensor *operand : {&x, &y})
    for (int i = 0; i < operand->size(); ++i)
      operand->as<float>()[i] = static_cast<float>(i % 7 - 3);
  Tensor xStored = stored(x, {2, 0, 1}), yStored = stored(y, {2, 1, 0});
  for (DType dtype : {DType::Float16, DType::BFloat16}) {
    auto half = [&](const Tensor &tensor) {
      return dtype == DType::Float16 ? converted<Float16>(tensor, dtype) : converted<BFloat16>(tensor, dtype);
    };
    auto result = runCase({"fused_matmul",
                           {{"x_permutation", Shape{2, 0, 1}}, {"y_permutation", Shape{2, 1, 0}}},
                           {half(xStored), half(yStored)},
                           {{dtype, {2, 3, 5}}}});
    ASSERT_TRUE(result) << result.diagnostics().text();
    std::vector<double> expected = product(x, y, {2, 3, 5});
    for (size_t i = 0; i < expected.size(); ++i) {
      float found = dtype == DType::Float16 ? static_cast<float>((*result)[0].as<Float16>()[i])
                                            : static_cast<float>((*result)[0].as<BFloat16>()[i]);
      EXPECT_EQ(found, static_cast<float>(expected[i])) << nameOf(dtype) << " " << i;
    }
  }
}

TEST(Matmul, BFloat16) {
  Tensor x(DType::BFloat16, {3, 32}), y(DType::BFloat16, {32, 5});
  for (int i = 0; i < 96; ++i)
    x.as<BFloat16>()[i] = BFloat16(static_cast<float>(i % 7 - 3)); // small integers: the sums are exact
  for (int i = 0; i < 160; ++i)
    y.as<BFloat16>()[i] = BFloat16(static_cast<float>(i % 5 - 2));
  auto result = runCase({"matmul", {}, {x, y}, {{DType::BFloat16, {3, 5}}}, {1}});
  ASSERT_TRUE(result) << result.diagnostics().text();
  for (int m = 0; m < 3; ++m)
    for (int n = 0; n < 5; ++n) {
      float sum = 0;
      for (int k = 0; k < 32; ++k)
        sum += static_cast<float>((m * 32 + k) % 7 - 3) * static_cast<float>((k * 5 + n) % 5 - 2);
      EXPECT_EQ((*result)[0].as<BFloat16>()[m * 5 + n].bits, BFloat16(sum).bits);
    }
}

TEST(Matmul, EmptyOperands) {
  expectMatmul({"", {}, {randomFloats({0, 3}, 1), randomFloats({3, 2}, 2)}, {}}, {0, 2}, {});
  expectMatmul({"", {}, {randomFloats({2, 0}, 1), randomFloats({0, 2}, 2)}, {}}, {2, 2}, {0, 0, 0, 0});
}

TEST(Matmul, MismatchedOperandsAreErrors) {
  auto result =
      runCase({"matmul", {}, {randomFloats({2, 3}, 1), randomFloats({4, 2}, 2)}, {{DType::Float32, {2, 2}}}});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.diagnostics().text(), ::testing::HasSubstr("cannot multiply dims [2, 3] by [4, 2]"));
  result = runCase({"fused_matmul",
                    {{"post_ops", {{{"kind", "bent"}}}}},
                    {randomFloats({2, 3}, 1), randomFloats({3, 2}, 2)},
                    {{DType::Float32, {2, 2}}}});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.diagnostics().text(),
              ::testing::HasSubstr("post_ops[0]: attribute 'kind' is \"bent\"; expected one of bias, add"));
}

} // namespace
} // namespace proa::runtime
