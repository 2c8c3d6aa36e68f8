#include "dialects/proa/PatternSets.h"
#include "dialects/proa/Proa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <gtest/gtest.h>

using namespace proa;

// A set is filled once for a context and name, and again when a dialect was loaded since.
TEST(PatternSets, FillsOnce) {
  int filled = 0;
  auto fill = [&](mlir::RewritePatternSet &patterns) {
    ++filled;
    PatternSets::addCanonicalization(patterns, [](mlir::RegisteredOperationName) { return true; });
  };
  mlir::MLIRContext first, second;
  first.loadDialect<ProaDialect, mlir::arith::ArithDialect>();
  second.loadDialect<ProaDialect, mlir::arith::ArithDialect>();
  auto sizeOf = [](const mlir::FrozenRewritePatternSet &set) {
    return set.getOpSpecificNativePatterns().size();
  };
  size_t before = sizeOf(PatternSets::get(&first, "all", fill));
  EXPECT_EQ(sizeOf(PatternSets::get(&first, "all", fill)), before);
  EXPECT_EQ(filled, 1);
  (void)PatternSets::get(&first, "other", fill);
  (void)PatternSets::get(&second, "all", fill);
  EXPECT_EQ(filled, 3);
  first.loadDialect<mlir::tensor::TensorDialect>();
  EXPECT_GT(sizeOf(PatternSets::get(&first, "all", fill)), before);
  EXPECT_EQ(filled, 4);
}
