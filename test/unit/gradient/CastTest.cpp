// Kernels of pd.cast from floats to integers, with values out of range.
#include "proa/Autodiff.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace proa;

namespace {

const double inf = INFINITY;
const std::vector<double> numbers{-1.9, 300.7, 70000, 3e9, -3e9, 1e10, 1e19, 1e30, inf, -inf, NAN};

struct CastCase {
  DType dtype;
  const char *type;
  /// static_cast of `numbers`, which are floats, as g++ 12 compiles it for x86-64; each as 64 bits.
  std::vector<int64_t> expected;
};

constexpr int64_t least32 = INT32_MIN, least64 = INT64_MIN;

const std::vector<CastCase> cases{
    {DType::Int8, "i8", {-1, 44, 112, 0, 0, 0, 0, 0, 0, 0, 0}},
    {DType::UInt8, "ui8", {255, 44, 112, 0, 0, 0, 0, 0, 0, 0, 0}},
    {DType::Int16, "i16", {-1, 300, 4464, 0, 0, 0, 0, 0, 0, 0, 0}},
    {DType::Int32,
     "i32",
     {-1, 300, 70000, least32, least32, least32, least32, least32, least32, least32, least32}},
    {DType::Int64,
     "i64",
     {-1, 300, 70000, 3000000000, -3000000000, 10000000000, least64, least64, least64, least64, least64}}};

int64_t elementOf(const Tensor &tensor, int64_t i) {
  switch (tensor.dtype()) {
  case DType::Int8:
    return tensor.as<int8_t>()[i];
  case DType::UInt8:
    return tensor.as<uint8_t>()[i];
  case DType::Int16:
    return tensor.as<int16_t>()[i];
  case DType::Int32:
    return tensor.as<int32_t>()[i];
  default:
    return tensor.as<int64_t>()[i];
  }
}

/// `count` elements that repeat `numbers`: few for scalar code, many for vector code.
template <class Float> void expectCasts(const char *from, DType fromType, const CastCase &to, int64_t count) {
  std::string dims = std::to_string(count) + "x";
  auto function = Function::parse("func.func @f(%x: tensor<" + dims + from + ">) -> tensor<" + dims +
                                  to.type + "> {\n  %y = pd.cast %x {dtype = " + to.type + "} : (tensor<" +
                                  dims + from + ">) -> tensor<" + dims + to.type +
                                  ">\n  return %y : tensor<" + dims + to.type + ">\n}");
  ASSERT_TRUE(function) << function.diagnostics().text();
  Tensor x(fromType, {count});
  for (int64_t i = 0; i < count; ++i)
    x.as<Float>()[i] = static_cast<float>(numbers[static_cast<size_t>(i) % numbers.size()]);
  auto results = function->run({x});
  ASSERT_TRUE(results) << results.diagnostics().text();
  for (int64_t i = 0; i < count; ++i) {
    size_t at = static_cast<size_t>(i) % numbers.size();
    EXPECT_EQ(elementOf((*results)[0], i), to.expected[at])
        << numbers[at] << " from " << from << " to " << to.type << ", element " << i << " of " << count;
  }
}

TEST(CastTest, FloatsOutOfRangeAreAsInPaddle) {
  for (const CastCase &to : cases)
    for (int64_t count : {3, 4, 11, 264}) {
      expectCasts<float>("f32", DType::Float32, to, count);
      expectCasts<double>("f64", DType::Float64, to, count);
    }
}

} // namespace
