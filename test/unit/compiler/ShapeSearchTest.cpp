// Canonicalizations ask which dims are equal and which elements of shapes are known. An answer takes time in
// proportion to the ops that compute the shapes, also where each value has two users.
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace mlir;

namespace {

/// A search that takes both ways at each level would take 2^levels steps.
constexpr int levels = 40;

/// Canonicalizes the function. Returns how many reshapes still have an operand with their shape.
int countOpenReshapes(const std::string &text) {
  MLIRContext context;
  context.loadDialect<proa::pd::PdDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  PassManager passes(&context);
  passes.addPass(createCanonicalizerPass());
  if (!module || failed(passes.run(*module)))
    return -1;
  int open = 0;
  module->walk([&](proa::pd::ReshapeOp op) { open += op.getShapeTensor() ? 1 : 0; });
  return open;
}

} // namespace

// The dims of two tensors, each selected from both. DeBERTa's exports have a level for each layer.
TEST(ShapeSearch, FollowsSelectedDimsOnce) {
  std::string text = "func.func @main(%c: tensor<2xi1>, %x0: tensor<?x?xf32>, %y0: tensor<?x?xf32>) "
                     "-> (tensor<?x?xf32>, tensor<?x?xf32>) {\n";
  for (int i = 0; i < levels; ++i)
    text += fmt::format(R"(
  %s{0} = pd.shape %x{0} : (tensor<?x?xf32>) -> tensor<2xi32>
  %t{0} = pd.shape %y{0} : (tensor<?x?xf32>) -> tensor<2xi32>
  %v{0} = pd.where %c, %s{0}, %t{0} : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %w{0} = pd.where %c, %t{0}, %s{0} : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %x{1} = pd.reshape %x{0}, %v{0} : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %y{1} = pd.reshape %y{0}, %w{0} : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>)",
                        i, i + 1);
  text += fmt::format("\n  return %x{0}, %y{0} : tensor<?x?xf32>, tensor<?x?xf32>\n}}", levels);
  EXPECT_EQ(countOpenReshapes(text), 2 * levels);
}

// Elements of a shape that are not known.
TEST(ShapeSearch, ComputesElementsOnce) {
  std::string text = "func.func @main(%x: tensor<?x?xf32>, %a0: tensor<2xi32>) -> tensor<?x?xf32> {\n";
  for (int i = 0; i < levels; ++i)
    text += fmt::format(R"(
  %b{0} = pd.abs %a{0} : (tensor<2xi32>) -> tensor<2xi32>
  %a{1} = pd.add %a{0}, %b{0} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>)",
                        i, i + 1);
  text += fmt::format(R"(
  %y = pd.reshape %x, %a{0} : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}})",
                      levels);
  EXPECT_EQ(countOpenReshapes(text), 1);
}
