#include "lib/compiler/PrintModule.h"

#include "lib/compiler/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace proa {
namespace {

/// A chain of additions, optionally with ops of several results and of regions.
std::string longProgram(int length, bool hasRegions = true) {
  std::string text =
      "func.func @main(%arg0: tensor<?x4xf32> {pd.feed = \"x\"}, %arg1: tensor<i1>) -> tensor<?x4xf32> {\n";
  std::string last = "%arg0";
  for (int i = 0; i < length; ++i) {
    std::string next = "%v" + std::to_string(i);
    if (i % 100 == 7 && hasRegions)
      text += "%c" + next.substr(1) + " = tensor.extract %arg1[] : tensor<i1>\n" + next + " = scf.if %c" +
              next.substr(1) + " -> (tensor<?x4xf32>) {\n%t = pd.relu " + last +
              " : (tensor<?x4xf32>) -> tensor<?x4xf32>\nscf.yield %t : tensor<?x4xf32>\n" +
              "} else {\nscf.yield " + last + " : tensor<?x4xf32>\n}\n";
    else if (i % 100 == 50)
      text += next + ":2 = pd.topk " + last +
              " {k = 4 : i64} : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xi64>)\n";
    else
      text +=
          next + " = pd.add " + last + ", %arg0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>\n";
    last = i % 100 == 50 ? next + "#0" : next;
  }
  return text + "return " + last + " : tensor<?x4xf32>\n}\n";
}

TEST(PrintModule, ParallelTextEqualsMlirText) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  for (auto [length, hasRegions] : {std::pair(10, true), std::pair(6000, true), std::pair(6000, false)}) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(longProgram(length, hasRegions), &context);
    ASSERT_TRUE(module);
    EXPECT_TRUE(verifyImported(*module));
    std::string expected;
    llvm::raw_string_ostream stream(expected);
    module->print(stream);
    std::string text;
    import::ImportedProgram program(std::move(module));
    ASSERT_TRUE(verifyAndPrint(program, [&](llvm::StringRef piece) { text += piece; }));
    EXPECT_TRUE(text == expected + (expected.ends_with('\n') ? "" : "\n")) << length;
    EXPECT_FALSE(context.isMultithreadingEnabled());
  }
}

TEST(PrintModule, InvalidModuleIsNotPrinted) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) { message += diagnostic.str(); });
  for (auto [length, hasRegions] : {std::pair(10, true), std::pair(6000, true), std::pair(6000, false)}) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(longProgram(length, hasRegions), &context);
    ASSERT_TRUE(module);
    // The last op now reads its own result.
    mlir::Operation *last = module->getBody()->front().getRegion(0).front().getTerminator()->getPrevNode();
    last->setOperand(0, last->getResult(0));
    message.clear();
    std::string text;
    import::ImportedProgram program(std::move(module));
    EXPECT_FALSE(verifyAndPrint(program, [&](llvm::StringRef piece) { text += piece; })) << length;
    EXPECT_EQ(text, "");
    EXPECT_NE(message.find("does not dominate this use"), std::string::npos) << message;
    message.clear();
    EXPECT_FALSE(verifyImported(program.module())) << length;
    EXPECT_NE(message.find("does not dominate this use"), std::string::npos) << message;
  }
}

} // namespace
} // namespace proa
