// The C++ API: derivatives of derivatives, with values known by mathematics.
#include "proa/Autodiff.h"
#include "test/unit/gradient/Take.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace proa;

namespace {

template <class T> Tensor tensorOf(DType dtype, std::vector<int64_t> dims, std::vector<T> values) {
  Tensor tensor(dtype, std::move(dims));
  std::copy(values.begin(), values.end(), tensor.as<T>());
  return tensor;
}

Tensor doubles(std::vector<int64_t> dims, std::vector<double> values) {
  return tensorOf<double>(DType::Float64, std::move(dims), std::move(values));
}

void expectNear(const Tensor &found, const std::vector<double> &expected) {
  ASSERT_EQ(found.size(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(found.as<double>()[i], expected[i], 1e-12) << "element " << i;
}

// x0 sin(x1) + x2^3
const char *const sample = R"(
func.func @f(%x: tensor<3xf64>) -> tensor<f64> {
  %a = pd.slice %x {axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 1>}
      : (tensor<3xf64>) -> tensor<1xf64>
  %b = pd.slice %x {axes = array<i64: 0>, starts = array<i64: 1>, ends = array<i64: 2>}
      : (tensor<3xf64>) -> tensor<1xf64>
  %c = pd.slice %x {axes = array<i64: 0>, starts = array<i64: 2>, ends = array<i64: 3>}
      : (tensor<3xf64>) -> tensor<1xf64>
  %s = pd.sin %b : (tensor<1xf64>) -> tensor<1xf64>
  %p = pd.multiply %a, %s : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
  %q = pd.pow %c {factor = 3.0} : (tensor<1xf64>) -> tensor<1xf64>
  %r = pd.add %p, %q : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
  %y = pd.sum %r : (tensor<1xf64>) -> tensor<f64>
  return %y : tensor<f64>
})";

TEST(FunctionTest, GradientAndItsValue) {
  Function f = take(Function::parse(sample));
  Function g = take(grad(f, {.withValue = true}));
  auto results = take(g.run({doubles({3}, {2, 0.5, 3})}));
  expectNear(results[0], {2 * std::sin(0.5) + 27});
  expectNear(results[1], {std::sin(0.5), 2 * std::cos(0.5), 27});
}

TEST(FunctionTest, WithoutOptimizedCode) {
  Function f = take(Function::parse(sample));
  expectNear(take(f.run({doubles({3}, {2, 0.5, 3})}))[0], {2 * std::sin(0.5) + 27});
  f.setOptimizesCode(false); // compiles again
  expectNear(take(f.run({doubles({3}, {2, 0.5, 3})}))[0], {2 * std::sin(0.5) + 27});
  Function h = take(grad(f));
  expectNear(take(h.run({doubles({3}, {2, 0.5, 3})}))[0], {std::sin(0.5), 2 * std::cos(0.5), 27});
}

TEST(FunctionTest, MatmulWithDynamicBatchBroadcast) {
  Function f = take(Function::parse(R"(
func.func @f(%x: tensor<?x?x?xf64>, %y: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %z = pd.matmul %x, %y {transpose_y = true} : (tensor<?x?x?xf64>, tensor<?x?x?xf64>) -> tensor<?x?x?xf64>
  return %z : tensor<?x?x?xf64>
})"));
  Function g = take(vjp(f));
  auto results = take(
      g.run({doubles({1, 1, 1}, {2}), doubles({2, 2, 1}, {1, 2, 3, 4}), doubles({2, 1, 2}, {1, 2, 3, 4})}));
  expectNear(results[1], {1 + 4 + 9 + 16});
  expectNear(results[2], {2, 4, 6, 8});
}

// Equal results share their cotangent: values of Paddle 2.6.2 and 3.3.1.
TEST(FunctionTest, EqualMinimaShareTheGradient) {
  Function f = take(Function::parse(R"(
func.func @f(%x: tensor<1x4xf64>, %v: tensor<1x3xf64>) -> tensor<1x4xf64> {
  %i = pd.constant dense<[[0, 0, 2]]> : tensor<1x3xi64>
  %y = pd.put_along_axis %x, %i, %v reduce = amin {axis = 1 : i64}
      : (tensor<1x4xf64>, tensor<1x3xi64>, tensor<1x3xf64>) -> tensor<1x4xf64>
  return %y : tensor<1x4xf64>
})"));
  Function g = take(vjp(f));
  auto results = take(g.run(
      {doubles({1, 4}, {2, 4, 1, 7}), doubles({1, 3}, {2, 2, 9}), doubles({1, 4}, {1, 10, 100, 1000})}));
  expectNear(results[1], {1. / 3, 10, 100, 1000});
  expectNear(results[2], {1. / 3, 1. / 3, 0});
}

const std::vector<double> secondDerivatives = {
    0, std::cos(0.5), 0, std::cos(0.5), -2 * std::sin(0.5), 0, 0, 0, 18};

TEST(FunctionTest, HessianBothWays) {
  Function f = take(Function::parse(sample));
  Tensor x = doubles({3}, {2, 0.5, 3});
  expectNear(take(take(hessian(f)).run({x}))[0], secondDerivatives);
  // Reverse over reverse: rows are gradients of the gradient's elements.
  Function rows = take(vmap(take(vjp(take(grad(f)))), {-1, 0}, 3));
  auto results = take(rows.run({x, doubles({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1})}));
  expectNear(results[1], secondDerivatives);
}

TEST(FunctionTest, TransformsCommute) {
  Function f = take(Function::parse(sample));
  Tensor x = doubles({2, 3}, {2, 0.5, 3, 1, 2, -1});
  Function one = take(vmap(take(grad(f)))), other = take(grad(f));
  auto batch = take(one.run({x}));
  for (int i = 0; i < 2; ++i) {
    const double *row = x.as<double>() + 3 * i;
    auto single = take(other.run({doubles({3}, {row[0], row[1], row[2]})}));
    for (int d = 0; d < 3; ++d)
      EXPECT_NEAR(batch[0].as<double>()[3 * i + d], single[0].as<double>()[d], 1e-12);
  }
  // jvp of vjp, vjp of jvp: the derivative along v of the gradient, and the gradient of the derivative along
  // v.
  std::vector<double> v = {0.3, -1, 2};
  Tensor point = doubles({3}, {2, 0.5, 3}), along = doubles({3}, v), one1 = doubles({}, {1}),
         zero1 = doubles({}, {0});
  std::vector<double> expected(3, 0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      expected[i] += secondDerivatives[3 * i + j] * v[j];
  auto forward = take(take(jvp(take(grad(f)))).run({point, along}));
  expectNear(forward[1], expected);
  auto backward = take(take(vjp(take(jvp(f)), {0})).run({point, along, zero1, one1}));
  expectNear(backward[2], expected);
}

// An op without a batched form: a small batch is unrolled, a large or dynamic one is a loop.
TEST(FunctionTest, OpsWithoutBatchingRule) {
  Function f = take(Function::parse(R"(
func.func @f(%x: tensor<2x2xf64>) -> tensor<f64> {
  %d = pd.det %x : (tensor<2x2xf64>) -> tensor<f64>
  %s = pd.sin %d : (tensor<f64>) -> tensor<f64>
  return %s : tensor<f64>
})"));
  std::mt19937 random(5);
  std::uniform_real_distribution<double> reals(-1, 1);
  for (int64_t size : {3, 20, -1}) {
    Function whole = take(vmap(f, {}, size)), gradients = take(vjp(whole));
    int64_t count = size < 0 ? 20 : size;
    Tensor x(DType::Float64, {count, 2, 2}), ones(DType::Float64, {count});
    for (int64_t i = 0; i < x.size(); ++i)
      x.as<double>()[i] = reals(random);
    std::fill_n(ones.as<double>(), count, 1.0);
    auto results = take(gradients.run({x, ones}));
    for (int64_t i = 0; i < count; ++i) {
      const double *m = x.as<double>() + 4 * i, *g = results[1].as<double>() + 4 * i;
      double det = m[0] * m[3] - m[1] * m[2], slope = std::cos(det);
      EXPECT_NEAR(results[0].as<double>()[i], std::sin(det), 1e-12) << size << " examples, number " << i;
      const double expected[] = {slope * m[3], -slope * m[2], -slope * m[1], slope * m[0]};
      for (int e = 0; e < 4; ++e)
        EXPECT_NEAR(g[e], expected[e], 1e-12) << size << " examples, number " << i;
    }
  }
}

// Re <u, J t> = Re <J^H u, t>, and J t against a central difference, on complex numbers.
TEST(FunctionTest, ComplexNumbers) {
  Function f = take(Function::parse(R"(
func.func @f(%z: tensor<3xcomplex<f64>>) -> (tensor<3xcomplex<f64>>, tensor<3xf64>) {
  %e = pd.exp %z : (tensor<3xcomplex<f64>>) -> tensor<3xcomplex<f64>>
  %p = pd.multiply %e, %z : (tensor<3xcomplex<f64>>, tensor<3xcomplex<f64>>) -> tensor<3xcomplex<f64>>
  %c = pd.conj %p : (tensor<3xcomplex<f64>>) -> tensor<3xcomplex<f64>>
  %q = pd.add %c, %e : (tensor<3xcomplex<f64>>, tensor<3xcomplex<f64>>) -> tensor<3xcomplex<f64>>
  %a = pd.abs %q : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %r = pd.real %p : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %s = pd.add %a, %r : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %q, %s : tensor<3xcomplex<f64>>, tensor<3xf64>
})"));
  std::mt19937 random(9);
  std::uniform_real_distribution<double> reals(-1, 1);
  auto draw = [&](DType dtype) {
    Tensor tensor(dtype, {3});
    for (int i = 0; i < (dtype == DType::Float64 ? 3 : 6); ++i)
      static_cast<double *>(tensor.data())[i] = reals(random);
    return tensor;
  };
  auto product = [](const Tensor &x, const Tensor &y) {
    double sum = 0;
    for (size_t i = 0; i < x.bytes() / sizeof(double); ++i)
      sum += static_cast<const double *>(x.data())[i] * static_cast<const double *>(y.data())[i];
    return sum;
  };
  Tensor z = draw(DType::Complex128), t = draw(DType::Complex128), u = draw(DType::Complex128),
         v = draw(DType::Float64);
  auto forward = take(take(jvp(f)).run({z, t})), backward = take(take(vjp(f)).run({z, u, v}));
  double along = product(u, forward[2]) + product(v, forward[3]);
  EXPECT_NEAR(along, product(backward[2], t), 1e-12);
  double sums[2];
  for (int side = 0; side < 2; ++side) {
    Tensor moved(DType::Complex128, {3});
    for (int i = 0; i < 6; ++i)
      static_cast<double *>(moved.data())[i] =
          static_cast<double *>(z.data())[i] +
          (side == 0 ? 1e-6 : -1e-6) * static_cast<double *>(t.data())[i];
    auto results = take(f.run({moved}));
    sums[side] = product(u, results[0]) + product(v, results[1]);
  }
  EXPECT_NEAR(along, (sums[0] - sums[1]) / 2e-6, 1e-7);
}

TEST(FunctionTest, MissingDerivativeErrorNamesOps) {
  Function f = take(Function::parse(R"(
func.func @f(%x: tensor<2x3xf64>, %i: tensor<2x1xi64>, %v: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.scatter_nd %x, %i, %v reduce = multiply
      : (tensor<2x3xf64>, tensor<2x1xi64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %e = pd.exp %y : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %s = pd.sum %e : (tensor<2x3xf64>) -> tensor<f64>
  return %s : tensor<f64>
})"));
  auto g = grad(f);
  ASSERT_FALSE(g);
  EXPECT_NE(g.diagnostics().text().find("reduce = multiply"), std::string::npos);
  EXPECT_NE(g.diagnostics().text().find("through 'pd.exp'"), std::string::npos);
}

/// A tensor for an argument of the model: small floats, or the first ids.
Tensor argumentOf(const TensorInfo &info, std::mt19937 &random) {
  std::vector<int64_t> dims = info.dims;
  for (size_t d = 0; d < dims.size(); ++d)
    dims[d] = dims[d] < 0 ? (d == 0 ? 2 : 8) : dims[d];
  Tensor tensor(info.dtype, dims);
  std::uniform_real_distribution<float> reals(-0.3F, 0.3F);
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (info.dtype == DType::Float32)
      tensor.as<float>()[i] = reals(random);
    else
      tensor.as<int64_t>()[i] = i % 2;
  return tensor;
}

double dot(const Tensor &x, const Tensor &y) {
  double sum = 0;
  for (int64_t i = 0; i < x.size(); ++i)
    sum += static_cast<double>(x.as<float>()[i]) * y.as<float>()[i];
  return sum;
}

// Forward over reverse on a two-layer BERT: for random directions v and w of the parameters <w, H v> = <v, H
// w>, and H v is the change of the gradient along v.
TEST(FunctionTest, HessianTimesVectorOfBert) {
  Function f = take(Function::open(PROA_CORPUS_DIR "/models/nlp/tinybert"));
  std::mt19937 random(3);
  std::vector<Tensor> arguments;
  std::vector<int64_t> parameters;
  std::vector<std::vector<int64_t>> dims;
  for (size_t i = 0; i < f.arguments().size(); ++i) {
    arguments.push_back(argumentOf(f.arguments()[i], random));
    dims.push_back(arguments.back().dims());
    if (f.arguments()[i].dtype == DType::Float32)
      parameters.push_back(static_cast<int64_t>(i));
  }
  Function fixed = take(f.withDims(dims));
  Function gradient = take(vjp(fixed, parameters));
  size_t cotangents = gradient.arguments().size() - arguments.size();
  for (size_t i = arguments.size(); i < gradient.arguments().size(); ++i)
    arguments.push_back(argumentOf(gradient.arguments()[i], random));
  size_t first = gradient.results().size() - parameters.size();
  std::vector<int64_t> onlyGradients;
  for (size_t i = 0; i < parameters.size(); ++i)
    onlyGradients.push_back(static_cast<int64_t>(first + i));
  gradient = take(gradient.withResults(onlyGradients));
  Function product = take(jvp(gradient, parameters));
  std::vector<Tensor> v, w;
  for (int64_t index : parameters) {
    v.push_back(argumentOf(f.arguments()[index], random));
    w.push_back(argumentOf(f.arguments()[index], random));
  }
  EXPECT_GE(cotangents, 1U);
  auto along = [&](const std::vector<Tensor> &direction) {
    std::vector<Tensor> all = arguments;
    all.insert(all.end(), direction.begin(), direction.end());
    auto results = take(product.run(all));
    return std::vector<Tensor>(results.begin() + static_cast<int64_t>(parameters.size()), results.end());
  };
  std::vector<Tensor> hv = along(v), hw = along(w);
  double wHv = 0, vHw = 0, size = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    wHv += dot(w[i], hv[i]);
    vHw += dot(v[i], hw[i]);
    size += dot(hv[i], hv[i]);
  }
  EXPECT_GT(size, 0.01);
  EXPECT_NEAR(wHv, vHw, 1e-3 * std::sqrt(size));
  auto moved = [&](float step) {
    std::vector<Tensor> all = arguments;
    for (size_t i = 0; i < parameters.size(); ++i) {
      Tensor changed(DType::Float32, all[parameters[i]].dims());
      for (int64_t e = 0; e < changed.size(); ++e)
        changed.as<float>()[e] = all[parameters[i]].as<float>()[e] + step * v[i].as<float>()[e];
      all[parameters[i]] = changed;
    }
    return take(gradient.run(all));
  };
  constexpr float step = 1e-3F;
  auto up = moved(step), down = moved(-step);
  double change = 0;
  for (size_t i = 0; i < parameters.size(); ++i)
    change += (dot(w[i], up[i]) - dot(w[i], down[i])) / (2 * step);
  EXPECT_NEAR(wHv, change, 2e-2 * std::sqrt(size));
}

// x -> sin(w x + i), 10 times.
const char *const loop = R"(
func.func @f(%x: tensor<3xf64>, %w: tensor<3xf64>) -> tensor<f64> {
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c2 to %c32 step %c3 iter_args(%s = %x) -> (tensor<3xf64>) {
    %n = arith.index_cast %i : index to i64
    %t = tensor.from_elements %n : tensor<i64>
    %r = pd.cast %t {dtype = f64} : (tensor<i64>) -> tensor<f64>
    %a = pd.multiply %s, %w : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %b = pd.add %a, %r : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    %c = pd.sin %b : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %c : tensor<3xf64>
  }
  %l = pd.sum %y : (tensor<3xf64>) -> tensor<f64>
  return %l : tensor<f64>
})";

TEST(FunctionTest, LoopsKeepAtMostSnapshots) {
  Function f = take(Function::parse(loop));
  std::vector<double> x = {0.3, -1, 2}, w = {0.7, 1.1, -0.4};
  double value = 0;
  std::vector<double> dx(3), dw(3);
  for (int e = 0; e < 3; ++e) {
    double state = x[e], byX = 1, byW = 0;
    for (int i = 2; i < 32; i += 3) {
      double slope = std::cos(w[e] * state + i);
      byW = slope * (w[e] * byW + state);
      byX *= slope * w[e];
      state = std::sin(w[e] * state + i);
    }
    value += state;
    dx[e] = byX;
    dw[e] = byW;
  }
  Tensor atX = doubles({3}, x), atW = doubles({3}, w);
  for (int64_t snapshots : {0, 1, 2, 3, 10, 20}) {
    SCOPED_TRACE(snapshots);
    auto results = take(take(grad(f, {.withValue = true, .loopSnapshots = snapshots})).run({atX, atW}));
    expectNear(results[0], {value});
    expectNear(results[1], dx);
    expectNear(results[2], dw);
  }
  // Forward mode along (x, w).
  auto forward = take(take(jvp(f)).run({atX, atW, atX, atW}));
  double along = 0;
  for (int e = 0; e < 3; ++e)
    along += dx[e] * x[e] + dw[e] * w[e];
  expectNear(forward[1], {along});
}

// Each example has its own number of iterations, also 0: x -> sin^n(w x).
TEST(FunctionTest, BatchesOfLoopsThatKeepFewStates) {
  Function f = take(Function::parse(R"(
func.func @f(%x: tensor<f64>, %w: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %p = arith.index_cast %e : i64 to index
  %y = scf.for %i = %c0 to %p step %c1 iter_args(%s = %x) -> (tensor<f64>) {
    %a = pd.multiply %s, %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %c = pd.sin %a : (tensor<f64>) -> tensor<f64>
    scf.yield %c : tensor<f64>
  }
  return %y : tensor<f64>
})"));
  std::vector<double> x = {0.3, -1, 2, 0.9}, w = {0.7, 1.1, -0.4, 1.3}, value, dx, dw;
  std::vector<int64_t> n = {7, 2, 0, 12};
  for (size_t e = 0; e < n.size(); ++e) {
    double state = x[e], byX = 1, byW = 0;
    for (int64_t i = 0; i < n[e]; ++i) {
      double slope = std::cos(w[e] * state);
      byW = slope * (w[e] * byW + state);
      byX *= slope * w[e];
      state = std::sin(w[e] * state);
    }
    value.push_back(state);
    dx.push_back(byX);
    dw.push_back(byW);
  }
  Tensor counts(DType::Int64, {4});
  std::copy(n.begin(), n.end(), counts.as<int64_t>());
  for (int64_t snapshots : {1, 2, 3, 20}) {
    SCOPED_TRACE(snapshots);
    Function one = take(grad(f, {.withValue = true, .loopSnapshots = snapshots}));
    for (int64_t size : {4, -1}) {
      auto results = take(take(vmap(one, {}, size)).run({doubles({4}, x), doubles({4}, w), counts}));
      expectNear(results[0], value);
      expectNear(results[1], dx);
      expectNear(results[2], dw);
    }
  }
}

// The second derivative by x is a diagonal, by the chain rule along the iterations.
TEST(FunctionTest, SecondDerivativesOfLoopsKeepAtMostSnapshots) {
  Function f = take(Function::parse(loop));
  std::vector<double> x = {0.3, -1, 2}, w = {0.7, 1.1, -0.4}, u = {0.5, 2, -1}, along(3), diagonal(9);
  for (int e = 0; e < 3; ++e) {
    double state = x[e], first = 1, second = 0;
    for (int i = 2; i < 32; i += 3) {
      double sine = std::sin(w[e] * state + i), cosine = std::cos(w[e] * state + i);
      second = cosine * w[e] * second - sine * w[e] * w[e] * first * first;
      first *= cosine * w[e];
      state = sine;
    }
    diagonal[4 * e] = second;
    along[e] = second * u[e];
  }
  Tensor atX = doubles({3}, x), atW = doubles({3}, w), ofGradient = doubles({3}, u);
  for (int64_t snapshots : {0, 1, 3, 20}) {
    SCOPED_TRACE(snapshots);
    Function g = take(grad(f, {.arguments = {0}, .loopSnapshots = snapshots}));
    expectNear(take(take(vjp(g, {0})).run({atX, atW, ofGradient}))[1], along);
    expectNear(take(take(jvp(g, {0})).run({atX, atW, ofGradient}))[1], along);
    // Forward mode keeps the loop, so that reverse mode through it keeps equally few states.
    Function forward = take(jvp(f, {0}));
    expectNear(take(take(grad(forward, {.arguments = {0}, .result = 1, .loopSnapshots = snapshots}))
                        .run({atX, atW, ofGradient}))[0],
               along);
  }
  std::string text = loop;
  text.insert(text.find("\n  %l = pd.sum"), " {pd.snapshots = 2 : i64}");
  expectNear(take(take(hessian(take(Function::parse(text)))).run({atX, atW}))[0], diagonal);
}

TEST(FunctionTest, ThirdDerivativesOfLoopsKeepAtMostSnapshots) {
  Function f = take(Function::parse(loop));
  std::vector<double> x = {0.3, -1, 2}, w = {0.7, 1.1, -0.4}, u = {0.5, 2, -1}, v = {-1, 0.3, 0.8}, along(3);
  for (int e = 0; e < 3; ++e) {
    double state = x[e], first = 1, second = 0, third = 0;
    for (int i = 2; i < 32; i += 3) {
      double sine = std::sin(w[e] * state + i), cosine = std::cos(w[e] * state + i), a = w[e] * first,
             b = w[e] * second, c = w[e] * third;
      first = cosine * a;
      second = cosine * b - sine * a * a;
      third = cosine * c - 3 * sine * a * b - cosine * a * a * a;
      state = sine;
    }
    along[e] = third * u[e] * v[e];
  }
  Tensor atX = doubles({3}, x), atW = doubles({3}, w), zero = doubles({3}, {0, 0, 0});
  Tensor ofFirst = doubles({3}, u), ofSecond = doubles({3}, v);
  for (int64_t snapshots : {0, 1, 3, 20}) {
    SCOPED_TRACE(snapshots);
    Function second = take(vjp(take(grad(f, {.arguments = {0}, .loopSnapshots = snapshots})), {0}));
    auto backward = take(take(vjp(second, {0})).run({atX, atW, ofFirst, zero, ofSecond}));
    expectNear(backward[2], along);
    auto forward = take(take(jvp(second, {0})).run({atX, atW, ofFirst, ofSecond}));
    expectNear(forward[3], along);
  }
}

// Layers with gradient kernels: the derivative of the gradient in both modes is compared with differences.
TEST(FunctionTest, SecondDerivativesOfKernelsBothWays) {
  Function f = take(Function::parse(R"(
func.func @f(%x: tensor<5x8xf64>, %w: tensor<2x8xf64>, %b: tensor<1x8xf64>,
    %o: tensor<3xi64>, %l: tensor<2x1xi32>) -> tensor<f64> {
  %y, %z = pd.lstm %x, %w, %b, %o {use_peepholes = false}
      : (tensor<5x8xf64>, tensor<2x8xf64>, tensor<1x8xf64>, tensor<3xi64>) -> (tensor<5x2xf64>, tensor<5x2xf64>)
  %s = pd.slice %y {axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 4>}
      : (tensor<5x2xf64>) -> tensor<4x2xf64>
  %t = pd.reshape %s {shape = array<i64: 2, 2, 2>} : (tensor<4x2xf64>) -> tensor<2x2x2xf64>
  %c, %g = pd.warpctc %t, %l : (tensor<2x2x2xf64>, tensor<2x1xi32>) -> (tensor<2x1xf64>, tensor<2x2x2xf64>)
  %r = pd.sum %c : (tensor<2x1xf64>) -> tensor<f64>
  return %r : tensor<f64>
})"));
  std::mt19937 random(3);
  std::uniform_real_distribution<double> reals(-1, 1);
  auto draw = [&](std::vector<int64_t> dims) {
    Tensor tensor(DType::Float64, std::move(dims));
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.as<double>()[i] = reals(random);
    return tensor;
  };
  Tensor x = draw({5, 8}), w = draw({2, 8}), b = draw({1, 8}), t = draw({5, 8}),
         o = tensorOf<int64_t>(DType::Int64, {3}, {0, 2, 5}),
         l = tensorOf<int32_t>(DType::Int32, {2, 1}, {1, 1});
  Function g = take(grad(f, {.arguments = {0}}));
  auto forward = take(take(jvp(g, {0})).run({x, w, b, o, l, t}))[1];
  auto backward = take(take(vjp(g, {0})).run({x, w, b, o, l, t}))[1];
  std::vector<double> expected(40);
  for (double side : {1e-5, -1e-5}) {
    Tensor moved(DType::Float64, {5, 8});
    for (int i = 0; i < 40; ++i)
      moved.as<double>()[i] = x.as<double>()[i] + side * t.as<double>()[i];
    auto at = take(g.run({moved, w, b, o, l}));
    for (int i = 0; i < 40; ++i)
      expected[i] += at[0].as<double>()[i] / (2 * side);
  }
  expectNear(forward, std::vector<double>(backward.as<double>(), backward.as<double>() + 40));
  for (int i = 0; i < 40; ++i)
    EXPECT_NEAR(forward.as<double>()[i], expected[i], 1e-8);
}

TEST(FunctionTest, RecomputesAfterCheckpoints) {
  Function f = take(Function::parse(sample));
  Tensor x = doubles({3}, {2, 0.5, 3});
  Function g = take(grad(take(checkpoint(f))));
  EXPECT_NE(g.text().find("pd.optimization_barrier"), std::string::npos);
  expectNear(take(g.run({x}))[0], {std::sin(0.5), 2 * std::cos(0.5), 27});
  expectNear(take(take(hessian(take(checkpoint(f)))).run({x}))[0], secondDerivatives);
  expectNear(take(take(rematerialize(take(grad(f)), 0)).run({x}))[0], {std::sin(0.5), 2 * std::cos(0.5), 27});
}

TEST(FunctionTest, MicroBatches) {
  Function f = take(Function::parse(R"(
func.func @f(%x: tensor<4x2xf64>, %w: tensor<2xf64>) -> tensor<f64> {
  %m = pd.multiply %x, %w : (tensor<4x2xf64>, tensor<2xf64>) -> tensor<4x2xf64>
  %e = pd.exp %m : (tensor<4x2xf64>) -> tensor<4x2xf64>
  %l = pd.mean %e : (tensor<4x2xf64>) -> tensor<f64>
  return %l : tensor<f64>
})"));
  Tensor x = doubles({4, 2}, {0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.8}), w = doubles({2}, {1, 2});
  GradOptions options{.arguments = {1}, .withValue = true, .batches = {0}};
  auto whole = take(take(grad(f, options)).run({x, w}));
  for (int64_t count : {2, 4}) {
    options.microBatches = count;
    auto parts = take(take(grad(f, options)).run({x, w}));
    for (int i = 0; i < 2; ++i)
      expectNear(parts[i],
                 std::vector<double>(whole[i].as<double>(), whole[i].as<double>() + whole[i].size()));
  }
  options.microBatches = 3;
  EXPECT_FALSE(grad(f, options));
}

} // namespace
