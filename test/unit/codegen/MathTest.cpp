// Math functions in kernels, compared with the C library in double, over wide ranges and at special values.
#include "test/unit/codegen/KernelText.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace proa;
using namespace proa::testing;

namespace {

struct Function {
  const char *name; ///< the operation of the math dialect
  double (*exact)(double);
  double low, high;
  double relative = 1e-6, absolute = 1e-7;
  bool domainIsReal = true; ///< special values outside [low, high] are compared too
};

void PrintTo(const Function &function, std::ostream *stream) { *stream << function.name; }

class MathFunction : public ::testing::TestWithParam<Function> {};

TestKernel unaryKernel(const std::string &operation, int64_t count, const std::string &type) {
  const std::string tensor = "tensor<" + std::to_string(count) + "x" + type + ">";
  KernelText text("unary", "%x: " + tensor);
  text.generic("%r", {{"%x", tensor, "0"}}, {"", tensor, "0"}, "p",
               "%y = math." + operation + " %i0 : " + type);
  return TestKernel(text.returns("%r", tensor));
}

} // namespace

TEST_P(MathFunction, InF32) {
  const Function &function = GetParam();
  std::vector<double> special;
  if (function.domainIsReal)
    special = {0.0,    -0.0, INFINITY, -INFINITY, NAN,   1.0,   -1.0,  1e-30,
               -1e-30, 1e30, -1e30,    88.0,      -88.0, 100.0, -200.0};
  constexpr int64_t count = 20000;
  Tensor x = randomTensor(DType::Float32, {count}, function.low, function.high);
  for (size_t i = 0; i < special.size(); ++i)
    setElement(x, i, special[i]);
  TestKernel kernel = unaryKernel(function.name, count, "f32");
  ASSERT_TRUE(kernel.valid());
  expectElements(
      kernel.run({x})[0],
      [&](int64_t i) {
        double y = function.exact(element(x, i));
        return std::isfinite(y) ? double(float(y)) : y; // overflow of f32
      },
      function.relative, function.absolute);
}

TEST_P(MathFunction, InF64) {
  const Function &function = GetParam();
  Tensor x = randomTensor(DType::Float64, {1000}, function.low, function.high);
  TestKernel kernel = unaryKernel(function.name, 1000, "f64");
  ASSERT_TRUE(kernel.valid());
  expectElements(kernel.run({x})[0], [&](int64_t i) { return function.exact(element(x, i)); }, 1e-14, 1e-15);
}

static double rsqrt(double x) { return 1 / std::sqrt(x); }

INSTANTIATE_TEST_SUITE_P(
    All, MathFunction,
    ::testing::Values(
        Function{"exp", std::exp, -80, 80},
        // 1.4 units in the last place; subnormal results are zero.
        Function{"exp", std::exp, -87.3, 88.7, 1.7e-7, 1.18e-38}, Function{"exp2", std::exp2, -80, 80},
        Function{"expm1", std::expm1, -5, 5}, Function{"log", std::log, 1e-3, 1e6},
        Function{"log2", std::log2, 1e-3, 1e6}, Function{"log10", std::log10, 1e-3, 1e6},
        Function{"log1p", std::log1p, -0.9, 1e4}, Function{"tanh", std::tanh, -10, 10},
        Function{"erf", std::erf, -6, 6}, Function{"sqrt", std::sqrt, 0, 1e6},
        Function{"rsqrt", rsqrt, 1e-6, 1e6}, Function{"cbrt", std::cbrt, -1e3, 1e3},
        Function{"sin", std::sin, -1000, 1000, 1e-6, 3e-7, false},
        Function{"cos", std::cos, -1000, 1000, 1e-6, 3e-7, false}, Function{"tan", std::tan, -1.5, 1.5, 3e-6},
        Function{"asin", std::asin, -1, 1, 1e-6, 1e-6, false},
        Function{"acos", std::acos, -1, 1, 1e-6, 1e-6, false}, Function{"atan", std::atan, -100, 100},
        Function{"sinh", std::sinh, -20, 20}, Function{"cosh", std::cosh, -20, 20},
        Function{"asinh", std::asinh, -100, 100}, Function{"acosh", std::acosh, 1, 100, 1e-5, 1e-6, false},
        Function{"atanh", std::atanh, -0.99, 0.99, 1e-6, 1e-7, false},
        Function{"floor", std::floor, -1e3, 1e3}, Function{"ceil", std::ceil, -1e3, 1e3},
        Function{"trunc", std::trunc, -1e3, 1e3}, Function{"round", std::round, -1e3, 1e3},
        Function{"roundeven", std::nearbyint, -1e3, 1e3}, Function{"absf", std::fabs, -1e3, 1e3}));

TEST(MathFunctions, Power) {
  KernelText text("power", "%x: tensor<5000xf32>, %z: tensor<5000xf32>");
  text.generic("%r", {{"%x", "tensor<5000xf32>", "0"}, {"%z", "tensor<5000xf32>", "0"}},
               {"", "tensor<5000xf32>", "0"}, "p", "%y = math.powf %i0, %i1 : f32");
  TestKernel kernel(text.returns("%r", "tensor<5000xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {5000}, 0, 10), z = randomTensor(DType::Float32, {5000}, -5, 5, 2);
  const std::pair<double, double> special[] = {{-2, 3}, {-2, 2},   {-2, 0.5},      {0, 0},
                                               {0, -1}, {-0.0, 3}, {INFINITY, -1}, {1, NAN}};
  for (size_t i = 0; i < std::size(special); ++i) {
    setElement(x, i, special[i].first);
    setElement(z, i, special[i].second);
  }
  expectElements(
      kernel.run({x, z})[0], [&](int64_t i) { return double(float(std::pow(element(x, i), element(z, i)))); },
      1e-6);
}

TEST(MathFunctions, ArcTangentOfTwoArguments) {
  KernelText text("atan2", "%x: tensor<5000xf32>, %z: tensor<5000xf32>");
  text.generic("%r", {{"%x", "tensor<5000xf32>", "0"}, {"%z", "tensor<5000xf32>", "0"}},
               {"", "tensor<5000xf32>", "0"}, "p", "%y = math.atan2 %i0, %i1 : f32");
  TestKernel kernel(text.returns("%r", "tensor<5000xf32>"));
  ASSERT_TRUE(kernel.valid());
  Tensor x = randomTensor(DType::Float32, {5000}, -9, 9), z = randomTensor(DType::Float32, {5000}, -9, 9, 2);
  const std::pair<double, double> special[] = {{0, 0},  {0, -1},       {-0.0, -1},    {1, 0},
                                               {-1, 0}, {INFINITY, 1}, {1, -INFINITY}};
  for (size_t i = 0; i < std::size(special); ++i) {
    setElement(x, i, special[i].first);
    setElement(z, i, special[i].second);
  }
  expectElements(kernel.run({x, z})[0], [&](int64_t i) { return std::atan2(element(x, i), element(z, i)); });
}

// The error of functions whose polynomials are ours, in units in the last place.
namespace {

struct Accuracy {
  const char *name;
  double (*exact)(double);
  double units; ///< at most
};

/// The distance of `value` from `exact`, in units in the last place of a float with that many bits.
double units(long double value, long double exact, int mantissaBits, int leastExponent) {
  if (std::isnan(value) || std::isnan(exact))
    return std::isnan(value) == std::isnan(exact) ? 0 : INFINITY;
  if (value == exact)
    return 0;
  int exponent = 0;
  std::frexp(exact, &exponent);
  return double(std::fabs(value - exact) /
                std::ldexp(1.0L, std::max(exponent - mantissaBits, leastExponent)));
}

} // namespace

TEST(MathFunctions, TrigonometricFunctionsOfAllFloats) {
  constexpr int64_t count = 1 << 20, step = (int64_t(1) << 32) / count;
  Tensor x(DType::Float32, {count});
  // An odd offset of each block, so that the lowest bits differ.
  for (int64_t i = 0; i < count; ++i)
    x.as<float>()[i] = std::bit_cast<float>(uint32_t(i * step + i * 2654435761U % step));
  // Near multiples of pi / 2, whose rests are small.
  const float special[] = {0.0F,
                           -0.0F,
                           INFINITY,
                           -INFINITY,
                           NAN,
                           0x1.921fb6p+0F,
                           0x1.921fb6p+1F,
                           0x1.f2e2e4p+23F,
                           16367173.0F * 0x1p72F,
                           -16367173.0F * 0x1p72F,
                           1e30F,
                           3e38F};
  std::copy(std::begin(special), std::end(special), x.as<float>());
  for (const Accuracy &function :
       {Accuracy{"sin", std::sin, 1.6}, Accuracy{"cos", std::cos, 1.6}, Accuracy{"tan", std::tan, 3.3}}) {
    TestKernel kernel = unaryKernel(function.name, count, "f32");
    ASSERT_TRUE(kernel.valid());
    Tensor y = kernel.run({x})[0];
    double worst = 0;
    for (int64_t i = 0; i < count; ++i) {
      double exact = function.exact(element(x, i)), error = units(element(y, i), exact, 24, -149);
      worst = std::max(worst, error);
      ASSERT_LE(error, function.units) << function.name << " of " << element(x, i);
      if (!std::isnan(exact))
        ASSERT_EQ(std::signbit(element(y, i)), std::signbit(exact))
            << function.name << " of " << element(x, i);
    }
    RecordProperty(function.name, std::to_string(worst));
  }
}

TEST(MathFunctions, ExponentialsOfDoubles) {
  struct {
    const char *name;
    long double (*exact)(long double);
    double low, high, units;
  } functions[] = {{"exp", std::exp, -750, 712, 1},       {"exp", std::exp, -1, 1, 1},
                   {"expm1", std::expm1, -45, 712, 2},    {"expm1", std::expm1, -1, 1, 2},
                   {"expm1", std::expm1, -1e-9, 1e-9, 2}, {"tanh", std::tanh, -25, 25, 3},
                   {"tanh", std::tanh, -1, 1, 3},         {"tanh", std::tanh, -1e-9, 1e-9, 3},
                   {"log", std::log, 0.5, 2, 1},          {"log", std::log, 0, 1e-307, 1},
                   {"log", std::log, 0, 1e300, 1},        {"log", std::log, 0.999999, 1.000001, 1}};
  constexpr int64_t count = 100000;
  for (const auto &function : functions) {
    Tensor x = randomTensor(DType::Float64, {count}, function.low, function.high);
    const double special[] = {0.0,     -0.0,  INFINITY, -INFINITY, NAN,   5e-324,
                              -1e-310, 1e300, -1e300,   709.78,    -744.9};
    std::copy(std::begin(special), std::end(special), x.as<double>());
    TestKernel kernel = unaryKernel(function.name, count, "f64");
    ASSERT_TRUE(kernel.valid());
    Tensor y = kernel.run({x})[0];
    for (int64_t i = 0; i < count; ++i) {
      long double exact = function.exact(element(x, i));
      if (double(exact) == element(y, i) || (std::isnan(exact) && std::isnan(element(y, i))))
        continue; // also overflow
      ASSERT_LE(units(element(y, i), exact, 53, -1074), function.units)
          << function.name << " of " << element(x, i);
      ASSERT_EQ(std::signbit(element(y, i)), std::signbit(double(exact)))
          << function.name << " of " << element(x, i);
    }
  }
}

// Exact, for floats of all exponents.
TEST(MathFunctions, Remainder) {
  constexpr int64_t count = 100000;
  for (const char *type : {"f32", "f64"}) {
    const bool isDouble = std::string(type) == "f64";
    const DType dtype = isDouble ? DType::Float64 : DType::Float32;
    const std::string tensor = "tensor<" + std::to_string(count) + "x" + type + ">";
    KernelText text("remainder", "%x: " + tensor + ", %z: " + tensor);
    text.generic("%r", {{"%x", tensor, "0"}, {"%z", tensor, "0"}}, {"", tensor, "0"}, "p",
                 std::string("%y = arith.remf %i0, %i1 : ") + type);
    TestKernel kernel(text.returns("%r", tensor));
    ASSERT_TRUE(kernel.valid());
    Tensor x = randomTensor(dtype, {count}), y = randomTensor(dtype, {count}, -2, 2, 2);
    Tensor shifts = randomTensor(DType::Int64, {count}, -140, 120, 3);
    for (int64_t i = 0; i < count; ++i)
      if (i % 2)
        setElement(x, i, std::ldexp(element(x, i), int(element(shifts, i))));
      else
        setElement(x, i, element(y, i) * double(int64_t(element(shifts, i)))); // multiples, rounded
    const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 3, -3, 1e-40, -3e38, 0.1};
    int64_t i = 0;
    for (double a : special)
      for (double b : special) {
        setElement(x, i, a);
        setElement(y, i++, b);
      }
    Tensor rest = kernel.run({x, y})[0];
    for (i = 0; i < count; ++i) {
      double exact = std::fmod(element(x, i), element(y, i));
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(element(rest, i))) << element(x, i) << " mod " << element(y, i);
        continue;
      }
      ASSERT_EQ(element(rest, i), exact) << element(x, i) << " mod " << element(y, i);
      ASSERT_EQ(std::signbit(element(rest, i)), std::signbit(exact))
          << element(x, i) << " mod " << element(y, i);
    }
  }
}
