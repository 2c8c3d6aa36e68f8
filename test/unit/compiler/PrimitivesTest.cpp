// Walks the registered ops of the dialect: every transform handles every primitive (docs/primitives.md).
#include "dialects/pd/autodiff/ArrayGradient.h"
#include "dialects/pd/ir/OpKind.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/sharding/ShardingRule.h"
#include "lib/compiler/compile/Registration.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <set>

using namespace proa;

namespace {

class Primitives : public ::testing::Test {
protected:
  Primitives() : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<pd::PdDialect>();
    for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect("pd"))
      if (pd::kindOf(name) == pd::OpKind::Primitive)
        primitives.push_back(name);
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }

  /// Names of the primitives without a property.
  std::set<std::string> without(llvm::function_ref<bool(mlir::RegisteredOperationName)> has) const {
    std::set<std::string> names;
    for (mlir::RegisteredOperationName name : primitives)
      if (!has(name))
        names.insert(name.stripDialect().str());
    return names;
  }

  mlir::MLIRContext context;
  std::vector<mlir::RegisteredOperationName> primitives;
};

TEST_F(Primitives, AreAboutOneHundred) {
  EXPECT_GE(primitives.size(), 80u);
  EXPECT_LE(primitives.size(), 130u);
}

/// pd.optimization_barrier is an identity, which the planner removes.
TEST_F(Primitives, AreLowered) {
  EXPECT_EQ(without([](mlir::RegisteredOperationName name) {
              return name.hasInterface<pd::ScalarOpInterface>() ||
                     name.hasInterface<pd::ReductionOpInterface>() ||
                     name.hasInterface<pd::IndexingMapOpInterface>() ||
                     name.hasInterface<pd::LibraryOpInterface>();
            }),
            (std::set<std::string>{"optimization_barrier"}));
}

/// The length of pd.arange would differ from example to example.
TEST_F(Primitives, AreBatched) {
  EXPECT_EQ(without([](mlir::RegisteredOperationName name) {
              return name.hasInterface<pd::BatchableOpInterface>() ||
                     name.hasInterface<pd::ScalarOpInterface>() || name.hasTrait<pd::ElementwiseTrait>();
            }),
            (std::set<std::string>{"arange"}));
}

/// Ops with integer or boolean results, and functions that are constant between steps, have derivative 0 and
/// no rule.
TEST_F(Primitives, AreDifferentiated) {
  EXPECT_EQ(without([](mlir::RegisteredOperationName name) {
              return name.hasInterface<pd::VjpOpInterface>() || name.hasInterface<pd::LinearOpInterface>();
            }),
            (std::set<std::string>{"all",
                                   "any",
                                   "arange",
                                   "argmax",
                                   "argmin",
                                   "bitwise_and",
                                   "bitwise_or",
                                   "bitwise_xor",
                                   "bitwise_left_shift",
                                   "bitwise_right_shift",
                                   "decode_float",
                                   "encode_float",
                                   "equal",
                                   "greater_equal",
                                   "greater_than",
                                   "isfinite",
                                   "isinf",
                                   "isnan",
                                   "less_equal",
                                   "less_than",
                                   "logical_and",
                                   "logical_not",
                                   "logical_or",
                                   "logical_xor",
                                   "not_equal"}));
}

TEST_F(Primitives, HaveShardingRules) {
  EXPECT_EQ(without([](mlir::RegisteredOperationName name) {
              mlir::Operation *op = mlir::Operation::create({mlir::UnknownLoc::get(name.getContext()), name});
              bool has = pd::shardingSource(op) != "none";
              op->destroy();
              return has;
            }),
            (std::set<std::string>{"arange"}));
}

} // namespace
