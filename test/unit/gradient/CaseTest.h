/// The common set-up of tests on each function of the .mlir files of this folder.
#pragma once

#include "test/unit/gradient/Harness.h"

#include <gtest/gtest.h>

namespace proa::test {

/// The indices of the arguments that are differentiated: float64, without test.constant.
inline llvm::SmallVector<int64_t> differentiatedArguments(mlir::func::FuncOp function) {
  llvm::SmallVector<int64_t> indices;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isFloat64(type) && !function.getArgAttr(i, "test.constant"))
      indices.push_back(static_cast<int64_t>(i));
  return indices;
}

/// A test of a case: a function, copied to a module of its own, so that transforms can add functions.
class CaseTest : public testing::TestWithParam<std::string> {
protected:
  /// Batch size of tests of batching.
  static constexpr int64_t examples = 3;

  void SetUp() override {
    ASSERT_TRUE(cases()) << "a file of cases does not parse";
    module = mlir::ModuleOp::create(cases().getLoc());
    mlir::OpBuilder builder(module->getBodyRegion());
    function = mlir::cast<mlir::func::FuncOp>(builder.clone(*caseOf(GetParam())));
    differentiated = differentiatedArguments(function);
  }

  /// A float64 tensor of a type's dims, with elements between -1 and 1.
  Tensor randomLike(mlir::Type type) {
    Tensor tensor(DType::Float64, mlir::cast<mlir::RankedTensorType>(type).getShape().vec());
    std::uniform_real_distribution<double> reals(-1, 1);
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.as<double>()[i] = reals(random);
    return tensor;
  }

  std::mt19937 random{11};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  llvm::SmallVector<int64_t> differentiated;
};

} // namespace proa::test
