// Transforms in any order: each is applied to the result of every other.
#include "proa/Autodiff.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace proa;

namespace {

/// A loop, a matmul and a reduction.
const char *const composed = R"(
func.func @f(%x: tensor<3xf64>, %w: tensor<3x3xf64>) -> tensor<f64> {
  %n = pd.constant dense<2> : tensor<1xi64>
  %z = pd.constant dense<0> : tensor<1xi64>
  %o = pd.constant dense<1> : tensor<1xi64>
  %v, %i = scf.while (%a = %x, %j = %z) : (tensor<3xf64>, tensor<1xi64>) -> (tensor<3xf64>, tensor<1xi64>) {
    %c = pd.less_than %j, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %b = tensor.extract %r[] : tensor<i1>
    scf.condition(%b) %a, %j : tensor<3xf64>, tensor<1xi64>
  } do {
  ^bb0(%p: tensor<3xf64>, %q: tensor<1xi64>):
    %m = pd.matmul %p, %w : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3xf64>
    %s = pd.tanh %m : (tensor<3xf64>) -> tensor<3xf64>
    %k = pd.add %q, %o : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %s, %k : tensor<3xf64>, tensor<1xi64>
  }
  %t = pd.logsumexp %v : (tensor<3xf64>) -> tensor<f64>
  return %t : tensor<f64>
})";

struct Transform {
  const char *name;
  Result<Function> (*apply)(const Function &);
  bool needsScalar = false;
};

constexpr size_t depth = 3;

const Transform transforms[] = {
    {"grad", [](const Function &f) { return grad(f); }, true},
    {"vjp", [](const Function &f) { return vjp(f); }},
    {"jvp", [](const Function &f) { return jvp(f); }},
    {"vmap", [](const Function &f) { return vmap(f, {}, 2); }},
    {"hessian", [](const Function &f) { return hessian(f); }, true},
    {"checkpoint", [](const Function &f) { return checkpoint(f); }},
};

void expectToRun(Function function, const std::string &path) {
  std::vector<Tensor> arguments;
  for (const TensorInfo &argument : function.arguments()) {
    Tensor tensor(argument.dtype, argument.dims);
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.as<double>()[i] = std::cos(static_cast<double>(i + 1));
    arguments.push_back(tensor);
  }
  auto results = function.run(arguments);
  ASSERT_TRUE(results) << path << ": " << results.diagnostics().text();
  for (const Tensor &result : *results)
    for (int64_t i = 0; i < result.size(); ++i)
      ASSERT_TRUE(std::isfinite(result.as<double>()[i])) << path;
}

void applyAll(const Function &function, const std::string &path, size_t level) {
  for (const Transform &transform : transforms) {
    if (transform.needsScalar && !function.results()[0].dims.empty())
      continue;
    std::string now = path + " " + transform.name;
    auto transformed = transform.apply(function);
    ASSERT_TRUE(transformed) << now << ": " << transformed.diagnostics().text();
    if (level < depth)
      expectToRun(*transformed, now);
    if (level < depth)
      applyAll(*transformed, now, level + 1);
  }
}

TEST(ComposeTest, AnyThreeTransforms) {
  auto f = Function::parse(composed);
  ASSERT_TRUE(f) << f.diagnostics().text();
  applyAll(*f, "f", 1);
}

} // namespace
