// Chains of transforms of functions, compared with JAX in float64: jax/functions.mlir and jax/values.json,
// both written by jax/make.py. The chains of one function are one program.
#include "passes/autodiff/Transforms.h"
#include "test/unit/gradient/Harness.h"

#include "dialects/pd/ir/Pd.h"
#include "lib/compiler/compile/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "nlohmann/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

using namespace proa;
using namespace proa::test;
using namespace mlir;

namespace {

constexpr const char *folder = PROA_SOURCE_DIR "/test/unit/gradient/jax/";
constexpr int64_t examples = 2;

ModuleOp functions() {
  static OwningOpRef<ModuleOp> module = [] {
    static DialectRegistry registry;
    registerAllDialects(registry);
    static MLIRContext context(registry);
    context.loadDialect<pd::PdDialect>();
    return parseSourceFile<ModuleOp>(std::string(folder) + "functions.mlir", &context);
  }();
  return *module;
}

std::string ownName(const std::string &name) {
  llvm::StringRef own = name;
  own.consume_back("_scalar");
  return own.str();
}

/// The samples of values.json by function; NAME_scalar, the sum of NAME's elements, is one with it.
const std::map<std::string, std::vector<nlohmann::json>> &samples() {
  static const auto all = [] {
    std::map<std::string, std::vector<nlohmann::json>> byFunction;
    std::ifstream file(std::string(folder) + "values.json");
    for (nlohmann::json &sample : nlohmann::json::parse(file))
      byFunction[ownName(sample["function"])].push_back(std::move(sample));
    return byFunction;
  }();
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (auto &[name, list_] : samples())
    list.push_back(name);
  return list;
}

Tensor tensorOf(const nlohmann::json &value) {
  Tensor tensor(DType::Float64, value["dims"].get<std::vector<int64_t>>());
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<double>()[i] = value["values"][static_cast<size_t>(i)].get<double>();
  return tensor;
}

FailureOr<func::FuncOp> apply(func::FuncOp function, const std::string &transform, const std::string &name) {
  if (transform == "vjp")
    return autodiff::vjp(function, name);
  if (transform == "jvp")
    return autodiff::jvp(function, name);
  if (transform == "vmap")
    return autodiff::vmap(function, name, examples);
  if (transform == "grad")
    return autodiff::grad(function, name);
  return autodiff::hessian(function, name);
}

class JaxTest : public testing::TestWithParam<std::string> {};

TEST_P(JaxTest, ChainsOfTransforms) {
  ASSERT_TRUE(functions()) << "functions.mlir does not parse";
  OwningOpRef<ModuleOp> module = ModuleOp::create(functions().getLoc());
  OpBuilder builder(module->getBodyRegion());
  Program program(functions().getLoc());
  NamedTensors feeds;
  std::map<std::string, func::FuncOp> functionsByName;
  for (const std::string &name : {GetParam(), GetParam() + "_scalar"})
    functionsByName[name] = cast<func::FuncOp>(builder.clone(*functions().lookupSymbol(name)));
  std::vector<size_t> firsts;
  const auto &list = samples().at(GetParam());
  for (const nlohmann::json &sample : list) {
    std::string name = sample["function"];
    func::FuncOp current = functionsByName[name];
    for (const nlohmann::json &transform : sample["chain"]) {
      name += "_" + transform.get<std::string>();
      if (!functionsByName.contains(name)) {
        auto next = apply(current, transform, name);
        ASSERT_TRUE(succeeded(next)) << name;
        functionsByName[name] = *next;
      }
      current = functionsByName[name];
    }
    llvm::SmallVector<unsigned> indices;
    ASSERT_EQ(current.getNumArguments(), sample["arguments"].size()) << name;
    for (auto [type, value] : llvm::zip(current.getArgumentTypes(), sample["arguments"])) {
      indices.push_back(program.feed(type));
      feeds["in" + std::to_string(indices.back())] = tensorOf(value);
    }
    firsts.push_back(program.call(current, indices));
  }
  auto runner = program.compile();
  ASSERT_TRUE(runner) << runner.diagnostics().text();
  auto results = runner->run(feeds);
  ASSERT_TRUE(results) << results.diagnostics().text();
  for (auto [sample, first] : llvm::zip(list, firsts))
    for (auto [r, value] : llvm::enumerate(sample["results"])) {
      Tensor expected = tensorOf(value);
      const Tensor &actual = (*results)[first + r];
      ASSERT_EQ(actual.dims(), expected.dims()) << sample["chain"] << ", result " << r;
      double size = 1;
      for (int64_t i = 0; i < expected.size(); ++i)
        size = std::max(size, std::abs(expected.as<double>()[i]));
      for (int64_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(actual.as<double>()[i], expected.as<double>()[i], 1e-10 * size)
            << sample["function"] << " " << sample["chain"] << ", result " << r << ", element " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Functions, JaxTest, testing::ValuesIn(names()),
                         [](const auto &info) { return info.param; });

} // namespace
