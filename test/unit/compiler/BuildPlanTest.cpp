// The planner: where the values of a program are stored.
#include "lib/compiler/planner/BuildPlan.h"
#include "dialects/rt/Rt.h"
#include "lib/compiler/compile/Registration.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace proa;
using runtime::Plan;
using runtime::Storage;

namespace {

class BuildPlan : public ::testing::Test {
protected:
  BuildPlan() : context(registry(), mlir::MLIRContext::Threading::DISABLED) {}

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }

  /// The plan of a function @main without compiled kernels.
  Plan planOf(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "the program does not parse";
      return {};
    }
    auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
    Result<Plan> plan = planner::buildPlan(main, [](llvm::StringRef) { return planner::KernelFacts(); });
    EXPECT_TRUE(plan) << plan.diagnostics().text();
    return plan ? std::move(*plan) : Plan();
  }

  /// The first result of a step.
  static const runtime::Value &result(const Plan &plan, size_t step) {
    return plan.values[static_cast<size_t>(plan.steps.at(step).outputs.at(0))];
  }

  mlir::MLIRContext context;
};

TEST_F(BuildPlan, ReshapeAndBarrierNeedNoStep) {
  Plan plan = planOf(R"(
    func.func @main(%x: tensor<2x3xf32> {pd.feed = "x"}) -> (tensor<6xf32> {pd.fetch = "y"}) {
      %0 = pd.reshape %x {shape = array<i64: 6>} : (tensor<2x3xf32>) -> tensor<6xf32>
      %1 = pd.optimization_barrier %0 : (tensor<6xf32>) -> tensor<6xf32>
      return %1 : tensor<6xf32>
    })");
  EXPECT_TRUE(plan.steps.empty());
  ASSERT_EQ(plan.fetches.size(), 1u);
  const runtime::Value &fetched = plan.values[static_cast<size_t>(plan.fetches[0])];
  EXPECT_EQ(fetched.storage, Storage::Alias);
  EXPECT_EQ(fetched.base, plan.feeds.at(0));
}

TEST_F(BuildPlan, ElementsOfArraysAreNotInTheArena) {
  Plan plan = planOf(R"(
    func.func @main(%x: tensor<2x2xf32> {pd.feed = "x"}, %i: tensor<1xi64> {pd.feed = "i"})
        -> (tensor<2x2xf32> {pd.fetch = "y"}) {
      %0 = rt.matmul %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      %1 = rt.matmul %0, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      %2 = pd.array_create : () -> !pd.array<*>
      %3 = pd.array_write %2, %i, %1 : (!pd.array<*>, tensor<1xi64>, tensor<2x2xf32>) -> !pd.array<tensor<2x2xf32>>
      %4 = pd.array_read %3, %i : (!pd.array<tensor<2x2xf32>>, tensor<1xi64>) -> tensor<2x2xf32>
      %5 = rt.matmul %4, %4 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      return %5 : tensor<2x2xf32>
    })");
  std::vector<Storage> storages;
  for (size_t step = 0; step < plan.steps.size(); ++step)
    if (plan.steps[step].symbol != "array_create")
      storages.push_back(result(plan, step).storage);
  EXPECT_EQ(storages, (std::vector{Storage::Arena, Storage::Dynamic, Storage::Array, Storage::Dynamic,
                                   Storage::Result}));
}

TEST_F(BuildPlan, BranchesPrepareWhatCannotFail) {
  Plan plan = planOf(R"(
    func.func @main(%c: tensor<i1> {pd.feed = "c"}, %x: tensor<2x2xf32> {pd.feed = "x"},
                    %w: tensor<4x2xf32> {pd.param = "w"}, %i: tensor<2xi64> {pd.param = "i"})
        -> (tensor<2x2xf32> {pd.fetch = "y"}) {
      %0 = tensor.extract %c[] : tensor<i1>
      %1 = scf.if %0 -> (tensor<2x2xf32>) {
        %2 = pd.slice %w {axes = array<i64: 0>, ends = array<i64: 3>, starts = array<i64: 1>}
            : (tensor<4x2xf32>) -> tensor<2x2xf32>
        %3 = rt.matmul %x, %2 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
        scf.yield %3 : tensor<2x2xf32>
      } else {
        %2 = pd.gather %w, %i : (tensor<4x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
        scf.yield %2 : tensor<2x2xf32>
      }
      return %1 : tensor<2x2xf32>
    })");
  ASSERT_EQ(plan.prepare.size(), 1u);
  EXPECT_EQ(plan.prepare[0].symbol, "slice");
}

TEST_F(BuildPlan, ResultTakesTheMemoryOfAnAccumulatorThatDies) {
  auto program = [](const std::string &last) {
    return R"(
    func.func @main(%x: tensor<2x2xf32> {pd.feed = "x"}) -> (tensor<2x2xf32> {pd.fetch = "y"}) {
      %0 = rt.matmul %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      %1 = rt.matmul %x, %x, %0 {post_ops = [#rt.post_op<relu>, #rt.post_op<add>]}
        : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      %2 = rt.matmul %1, )" +
           last + R"( : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      return %2 : tensor<2x2xf32>
    })";
  };
  Plan plan = planOf(program("%x"));
  EXPECT_EQ(result(plan, 0).storage, Storage::Arena);
  EXPECT_EQ(result(plan, 1).storage, Storage::Arena);
  EXPECT_EQ(result(plan, 1).offset, result(plan, 0).offset);
  // The accumulator is read later.
  plan = planOf(program("%0"));
  EXPECT_NE(result(plan, 1).offset, result(plan, 0).offset);
}

} // namespace
