// Fourier transforms compared with their definition.
#include "test/unit/runtime/KernelHarness.h"

#include <cmath>
#include <complex>
#include <numbers>

namespace proa::runtime {
namespace {

using Complex = std::complex<double>;

Tensor randomSignal(DType dtype, std::vector<int64_t> dims) {
  Tensor tensor(dtype, std::move(dims));
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> distribution(-1, 1);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (dtype == DType::Float64)
      tensor.as<double>()[i] = distribution(generator);
    else
      tensor.as<Complex>()[i] = {distribution(generator), distribution(generator)};
  }
  return tensor;
}

Tensor run(const KernelCase &c) {
  auto out = runCase(c);
  EXPECT_TRUE(out) << (out ? "" : out.diagnostics().text());
  return out ? out->front() : Tensor();
}

/// Element k of the transform of a line by its definition.
Complex sumOf(const std::vector<Complex> &line, int64_t k, bool forward) {
  Complex sum = 0;
  auto n = static_cast<double>(line.size());
  for (size_t j = 0; j < line.size(); ++j)
    sum += line[j] * std::polar(1.0, (forward ? -2 : 2) * std::numbers::pi *
                                         std::fmod(static_cast<double>(j) * static_cast<double>(k), n) / n);
  return sum;
}

TEST(Fft, LinesOfManyLengths) {
  for (int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 11, 30, 64, 97, 100, 1000})
    for (bool forward : {true, false}) {
      Tensor x = randomSignal(DType::Complex128, {n});
      Tensor out = run({"fft_c2c",
                        {{"axes", {0}}, {"normalization", "ortho"}, {"forward", forward}},
                        {x},
                        {{DType::Complex128, {n}}}});
      std::vector<Complex> line = valuesOf<Complex>(x);
      for (int64_t k = 0; k < n; ++k)
        EXPECT_LT(
            std::abs(out.as<Complex>()[k] - sumOf(line, k, forward) / std::sqrt(static_cast<double>(n))),
            1e-12)
            << n << ", " << k;
    }
}

TEST(Fft, InverseOfForwardIsTheSignal) {
  Tensor x = randomSignal(DType::Complex128, {3, 5, 4});
  for (std::string normalization : {"backward", "forward", "ortho"}) {
    KernelCase c{"fft_c2c",
                 {{"axes", {0, 2}}, {"normalization", normalization}, {"forward", true}},
                 {x},
                 {{DType::Complex128, {3, 5, 4}}}};
    Tensor spectrum = run(c);
    c.inputs = {spectrum};
    c.attributes["forward"] = false;
    Tensor back = run(c);
    for (int64_t i = 0; i < x.size(); ++i)
      EXPECT_LT(std::abs(back.as<Complex>()[i] - x.as<Complex>()[i]), 1e-14);
  }
}

TEST(Fft, HalfOfTheSpectrumOfRealSignals) {
  for (int64_t n : {1, 2, 5, 6, 9}) {
    Tensor x = randomSignal(DType::Float64, {2, n});
    Tensor half =
        run({"fft_r2c", {{"axes", {0, 1}}, {"onesided", true}}, {x}, {{DType::Complex128, {2, n / 2 + 1}}}});
    Tensor full =
        run({"fft_r2c", {{"axes", {0, 1}}, {"onesided", false}}, {x}, {{DType::Complex128, {2, n}}}});
    for (int64_t r = 0; r < 2; ++r)
      for (int64_t k = 0; k < n / 2 + 1; ++k)
        EXPECT_LT(std::abs(half.as<Complex>()[r * (n / 2 + 1) + k] - full.as<Complex>()[r * n + k]), 1e-14);
    Tensor back = run({"fft_c2r",
                       {{"axes", {0, 1}}, {"forward", false}, {"last_dim_size", n}},
                       {half},
                       {{DType::Float64, {2, n}}}});
    expectClose(back, valuesOf<double>(x), 1e-14);
  }
}

} // namespace
} // namespace proa::runtime
