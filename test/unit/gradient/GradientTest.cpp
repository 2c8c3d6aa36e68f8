// Gradients against central differences, in float64. Each function of the .mlir files beside this one is a
// case: its gradients by pd.vjp, compiled and run, are compared with differences of the function itself,
// weighted by random cotangents.
//   Argument attributes:  test.low, test.high: where random elements lie (-1 to 1; integers 0 to 1);
//                         test.values: all elements;  test.constant: not differentiated
//   Function attributes:  test.twice: the gradients are differentiated too
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "test/unit/gradient/CaseTest.h"

#include <cmath>

using namespace proa;
using namespace mlir;

namespace {

using namespace proa::test;

constexpr double step = 1e-5;

/// A program `main` of the function's arguments and one cotangent for each float result: the float results,
/// then their gradient by each argument that is differentiated.
class GradientProgram {
public:
  explicit GradientProgram(func::FuncOp function)
      : module(ModuleOp::create(function.getLoc())), builder(module->getBodyRegion()),
        location(function.getLoc()) {
    for (int64_t i : differentiatedArguments(function))
      differentiated.push_back(static_cast<unsigned>(i));
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (isFloat64(type))
        floats.push_back(static_cast<int64_t>(i));
    build(function);
  }

  ModuleOp get() { return *module; }
  func::FuncOp main() { return module->lookupSymbol<func::FuncOp>("main"); }

  std::vector<unsigned> differentiated;
  llvm::SmallVector<int64_t> floats;

private:
  void build(func::FuncOp function) {
    llvm::SmallVector<Type> arguments(function.getArgumentTypes()), results;
    for (int64_t i : floats)
      arguments.push_back(function.getResultTypes()[i]);
    for (int64_t i : floats)
      results.push_back(function.getResultTypes()[i]);
    for (unsigned i : differentiated)
      results.push_back(function.getArgumentTypes()[i]);
    auto main = func::FuncOp::create(builder, location, "main", builder.getFunctionType(arguments, results));
    for (unsigned i = 0; i < arguments.size(); ++i)
      main.setArgAttr(i, "pd.feed", builder.getStringAttr("in" + std::to_string(i)));
    for (unsigned i = 0; i < results.size(); ++i)
      main.setResultAttr(i, "pd.fetch", builder.getStringAttr("out" + std::to_string(i)));
    Block *block = main.addEntryBlock();
    builder.setInsertionPointToStart(block);
    IRMapping mapping;
    mapping.map(function.getArguments(), block->getArguments().take_front(function.getNumArguments()));
    llvm::SmallVector<Value> computed = inlineBody(function, mapping);
    llvm::SmallVector<Value> returned = floatsOf(computed);
    returned.append(gradients(function, computed));
    func::ReturnOp::create(builder, location, returned);
  }

  llvm::SmallVector<Value> inlineBody(func::FuncOp function, IRMapping &mapping) {
    for (Operation &op : function.getBody().front().without_terminator())
      builder.clone(op, mapping);
    llvm::SmallVector<Value> results;
    for (Value value : function.getBody().front().getTerminator()->getOperands())
      results.push_back(mapping.lookup(value));
    return results;
  }

  llvm::SmallVector<Value> floatsOf(llvm::ArrayRef<Value> values) const {
    llvm::SmallVector<Value> out;
    for (int64_t i : floats)
      out.push_back(values[i]);
    return out;
  }

  llvm::SmallVector<Value> gradients(func::FuncOp function, llvm::ArrayRef<Value> computed) {
    Block *block = builder.getBlock();
    IRMapping mapping;
    mapping.map(function.getArguments(), block->getArguments().take_front(function.getNumArguments()));
    llvm::SmallVector<Value> inputs;
    for (unsigned i : differentiated)
      inputs.push_back(block->getArgument(i));
    Region region;
    Block &body = region.emplaceBlock();
    for (auto [i, input] : llvm::zip(differentiated, inputs))
      mapping.map(function.getArgument(i), body.addArgument(input.getType(), location));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&body);
      pd::YieldOp::create(builder, location, floatsOf(inlineBody(function, mapping)));
    }
    llvm::SmallVector<int64_t> indices =
        llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(floats.size())));
    ValueRange cotangents = block->getArguments().drop_front(function.getNumArguments());
    auto vjp =
        pd::VjpOp::create(builder, location, inputs, floatsOf(computed), cotangents,
                          builder.getDenseI64ArrayAttr(indices), builder.getDenseI64ArrayAttr(indices));
    vjp.getBody().takeBody(region);
    return llvm::SmallVector<Value>(vjp.getGradients());
  }

  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  Location location;
};

Tensor copyOf(const Tensor &tensor) {
  Tensor copy(tensor.dtype(), tensor.dims());
  std::copy_n(tensor.as<double>(), tensor.size(), copy.as<double>());
  return copy;
}

class GradientTest : public testing::TestWithParam<std::string> {
public:
protected:
  /// Compares the gradients of `function`; `arguments` has the feeds of its arguments.
  void check(func::FuncOp function, NamedTensors feeds, GradientProgram &program) {
    for (size_t i = 0; i < program.floats.size(); ++i) {
      unsigned position = function.getNumArguments() + static_cast<unsigned>(i);
      feeds["in" + std::to_string(position)] = randomTensor(program.main(), position, random);
    }
    auto runner = Runner::create(program.get());
    ASSERT_TRUE(runner) << runner.diagnostics().text();
    auto results = runner->run(feeds);
    ASSERT_TRUE(results) << results.diagnostics().text();
    for (auto [i, argument] : llvm::enumerate(program.differentiated)) {
      std::string name = "in" + std::to_string(argument);
      const Tensor original = feeds[name], &gradient = (*results)[program.floats.size() + i];
      for (int64_t element = 0; element < original.size(); ++element) {
        double sums[2];
        for (int side = 0; side < 2; ++side) {
          Tensor moved = copyOf(original);
          moved.as<double>()[element] += side == 0 ? step : -step;
          feeds[name] = moved;
          sums[side] = weighted(*runner, feeds, function, program);
        }
        feeds[name] = original;
        double expected = (sums[0] - sums[1]) / (2 * step), found = gradient.as<double>()[element];
        EXPECT_NEAR(found, expected, 1e-6 * std::max(1.0, std::abs(expected)))
            << function.getName().str() << ", argument " << argument << ", element " << element;
      }
    }
  }

  /// The results times the cotangents.
  static double weighted(Runner &runner, const NamedTensors &feeds, func::FuncOp function,
                         GradientProgram &program) {
    auto results = runner.run(feeds);
    if (!results)
      return NAN;
    double sum = 0;
    for (size_t i = 0; i < program.floats.size(); ++i) {
      const Tensor &cotangent = feeds.at("in" + std::to_string(function.getNumArguments() + i));
      for (int64_t element = 0; element < cotangent.size(); ++element)
        sum += (*results)[i].as<double>()[element] * cotangent.as<double>()[element];
    }
    return sum;
  }

  NamedTensors feedsOf(func::FuncOp function) {
    NamedTensors feeds;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      feeds["in" + std::to_string(i)] = randomTensor(function, i, random);
    return feeds;
  }

  std::mt19937 random{7};
};

TEST_P(GradientTest, EqualsCentralDifferences) {
  ASSERT_TRUE(cases()) << "a file of cases does not parse";
  func::FuncOp function = caseOf(GetParam());
  GradientProgram once(function);
  NamedTensors feeds = feedsOf(function);
  check(function, feeds, once);
  if (!function->hasAttr("test.twice") || HasFailure())
    return;
  func::FuncOp main = once.main();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, "test.constant"))
      main.setArgAttr(i, "test.constant", UnitAttr::get(main.getContext()));
  GradientProgram twice(main);
  for (unsigned i = function.getNumArguments(); i < main.getNumArguments(); ++i)
    feeds["in" + std::to_string(i)] = randomTensor(main, i, random);
  check(main, feeds, twice);
}

INSTANTIATE_TEST_SUITE_P(Ops, GradientTest, testing::ValuesIn(caseNames()),
                         [](const auto &info) { return info.param; });

} // namespace
