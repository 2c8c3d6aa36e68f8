#include "lib/runtime/kernels/common/Vectors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace proa::runtime {

PROA_VECTOR_INLINE void applyInline(int which, const float *x, float *y) {
  Vector in, out;
  load(x, vectorSize, in);
  out = which == 0 ? exponential(in) : which == 1 ? sigmoid(in) : tangent(in);
  store(out, vectorSize, y);
}

PROA_VECTOR_INLINE static void applyToVector(int which, const float *x, float *y) {
  applyInline(which, x, y);
}

namespace {

double exact(int which, double x) {
  return which == 0 ? std::exp(x) : which == 1 ? 1 / (1 + std::exp(-x)) : std::tanh(x);
}

TEST(Vectors, FunctionsAreExactToFloat32) {
  constexpr float epsilon = 0x1p-23f;
  for (int which : {0, 1, 2})
    for (float start = -40; start < 40; start += 0.37f) {
      float x[vectorSize], y[vectorSize];
      for (int i = 0; i < vectorSize; ++i)
        x[i] = start * std::exp2(-static_cast<float>(i)); // also near zero
      runVectors<applyToVector>(which, x, y);
      for (int i = 0; i < vectorSize; ++i) {
        double want = exact(which, static_cast<double>(x[i]));
        EXPECT_NEAR(static_cast<double>(y[i]), want, 3 * static_cast<double>(epsilon) * std::abs(want))
            << "function " << which << " of " << x[i];
      }
    }
}

TEST(Vectors, FunctionsKeepNaNAndTheirLimits) {
  float x[vectorSize] = {NAN, INFINITY, -INFINITY}, y[vectorSize];
  runVectors<applyToVector>(1, x, y);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 1.0f);
  EXPECT_LT(y[2], 1e-37f);
  runVectors<applyToVector>(2, x, y);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 1.0f);
  EXPECT_EQ(y[2], -1.0f);
}

TEST(Vectors, PartialVectorsDoNotWriteBeyond) {
  float x[vectorSize + 1], y[vectorSize + 1];
  for (int i = 0; i <= vectorSize; ++i)
    x[i] = static_cast<float>(i + 1), y[i] = -1;
  Vector v;
  load(x, 5, v);
  EXPECT_EQ(v[4], 5.0f);
  EXPECT_EQ(v[5], 0.0f);
  store(v, 5, y);
  EXPECT_EQ(y[4], 5.0f);
  EXPECT_EQ(y[5], -1.0f);
}

} // namespace
} // namespace proa::runtime
