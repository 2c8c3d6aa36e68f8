// The Hessian-vector product of a small BERT of the corpus by all of its parameters: forward over reverse,
// reverse over reverse, and differences of the gradient.
#include "proa/Autodiff.h"
#include "test/unit/gradient/Take.h"
#include "translator/params/Safetensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace proa;

namespace {

using Tensors = std::vector<Tensor>;

double dot(const Tensors &x, const Tensors &y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i)
    for (int64_t e = 0; e < x[i].size(); ++e)
      sum += static_cast<double>(x[i].as<float>()[e]) * static_cast<double>(y[i].as<float>()[e]);
  return sum;
}

/// x + factor * y.
Tensors sum(const Tensors &x, const Tensors &y, double factor) {
  Tensors out;
  for (size_t i = 0; i < x.size(); ++i) {
    out.emplace_back(DType::Float32, x[i].dims());
    for (int64_t e = 0; e < x[i].size(); ++e)
      out[i].as<float>()[e] = static_cast<float>(x[i].as<float>()[e] + factor * y[i].as<float>()[e]);
  }
  return out;
}

Tensors operator+(Tensors a, const Tensors &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The last `count` elements.
Tensors lastOf(const Tensors &all, size_t count) {
  return Tensors(all.end() - static_cast<ptrdiff_t>(count), all.end());
}

TEST(BertTest, HessianTimesVector) {
  const std::string folder = PROA_CORPUS_DIR "/models/nlp/tinybert";
  Function f = take(take(Function::open(folder)).withResults({0}));
  Model model = take(Model::open(folder, {.cacheDirectory = "off"}));
  auto inputs = take(params::readSafetensors(folder + "/inputs.safetensors"));
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  auto like = [&](const Tensor &tensor, float size) {
    Tensor out(DType::Float32, tensor.dims());
    for (int64_t e = 0; e < out.size(); ++e)
      out.as<float>()[e] = size * normal(random);
    return out;
  };
  Tensors feeds, parameters, u, v;
  for (const TensorInfo &argument : f.arguments()) {
    if (auto found = inputs.find(argument.name); found != inputs.end()) {
      feeds.push_back(found->second);
      continue;
    }
    parameters.push_back(take(model.parameter(argument.name)));
    u.push_back(like(parameters.back(), 0.05f));
    v.push_back(like(parameters.back(), 0.05f));
  }
  ASSERT_EQ(feeds.size(), 1u);
  Tensors weights{like(take(f.run(feeds + parameters))[0], 1)};
  // The gradient of <weights, f>, which follows the result of f.
  Function gradient = take(vjp(f));
  size_t count = parameters.size();
  std::vector<int64_t> byParameters;
  for (size_t i = 0; i < count; ++i)
    byParameters.push_back(static_cast<int64_t>(1 + i));
  Function forward = take(jvp(gradient, byParameters)), backward = take(vjp(gradient, byParameters));
  auto along = [&](const Tensors &direction) {
    return lastOf(take(forward.run(feeds + parameters + weights + direction)), count);
  };
  Tensors hv = along(v), hu = along(u), zero{like(weights[0], 0)};
  double size = std::sqrt(dot(hv, hv));
  EXPECT_GT(size, 0);
  EXPECT_NEAR(dot(u, hv), dot(v, hu), 1e-4 * size * std::sqrt(dot(u, u)));
  Tensors reverse = lastOf(take(backward.run(feeds + parameters + weights + zero + v)), count);
  Tensors apart = sum(reverse, hv, -1);
  EXPECT_LT(std::sqrt(dot(apart, apart)), 1e-4 * size);
  constexpr double step = 1e-2;
  auto gradientAt = [&](double factor) {
    return lastOf(take(gradient.run(feeds + sum(parameters, v, factor) + weights)), count);
  };
  Tensors difference = sum(gradientAt(step), gradientAt(-step), -1), off = sum(difference, hv, -2 * step);
  EXPECT_LT(std::sqrt(dot(off, off)), 1e-2 * 2 * step * size);
}

} // namespace
