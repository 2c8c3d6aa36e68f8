// Walks the library ops: each transform does what their records state (docs/primitives.md). The ops, with
// operands and attributes, come from the tests in test/dialects/pd.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/ir/ArrayReference.h"
#include "dialects/pd/ir/LibraryTransforms.h"
#include "dialects/pd/ir/OpKind.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/sharding/ShardingRule.h"
#include "lib/base/support/Files.h"
#include "lib/compiler/compile/Registration.h"
#include "passes/autodiff/Transforms.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

using namespace proa;
using namespace mlir;

namespace {

bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor || tensor.hasStaticShape();
}

class LibraryOps : public ::testing::Test {
protected:
  LibraryOps() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    handler = std::make_unique<ScopedDiagnosticHandler>(&context, [this](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors += diagnostic.str() + "\n";
      return success();
    });
    for (const auto &entry : std::filesystem::recursive_directory_iterator(PROA_DIALECT_TESTS))
      if (entry.path().extension() == ".mlir" && !entry.path().stem().string().ends_with("-invalid"))
        collect(entry.path().string());
  }

  static DialectRegistry registry() {
    DialectRegistry all;
    registerAllDialects(all);
    return all;
  }

  /// Adds the library ops of a test file to `ops`, by name.
  void collect(const std::string &path) {
    Result<std::string> text = readFile(path);
    ASSERT_TRUE(bool(text)) << path;
    llvm::SmallVector<llvm::StringRef> sources;
    llvm::StringRef(*text).split(sources, "// -----");
    for (llvm::StringRef source : sources) {
      OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
      if (!module)
        continue;
      module->walk([&](Operation *op) {
        if (pd::libraryTransformsOf(op->getName().getStringRef()))
          ops[op->getName().getStringRef().str()].push_back(op);
      });
      modules.push_back(std::move(module));
    }
  }

  /// A function that runs the op on its arguments. One more argument is returned too, so that a float goes in
  /// and out.
  func::FuncOp functionOf(Operation *op) {
    OpBuilder builder(&context);
    modules.push_back(ModuleOp::create(builder.getUnknownLoc()));
    builder.setInsertionPointToEnd(modules.back()->getBody());
    llvm::SmallVector<Type> arguments(op->getOperandTypes()), results(op->getResultTypes());
    arguments.push_back(RankedTensorType::get({2}, builder.getF32Type()));
    results.push_back(arguments.back());
    auto function = func::FuncOp::create(builder, builder.getUnknownLoc(), "f",
                                         builder.getFunctionType(arguments, results));
    Block &block = *function.addEntryBlock();
    builder.setInsertionPointToEnd(&block);
    Operation *copy = builder.clone(*op);
    copy->setOperands(block.getArguments().drop_back());
    llvm::SmallVector<Value> returned(copy->getResults());
    returned.push_back(block.getArguments().back());
    func::ReturnOp::create(builder, builder.getUnknownLoc(), returned);
    return function;
  }

  /// The errors of a transform of the op; empty if it succeeded.
  template <class Transform> std::string errorsOf(Operation *op, Transform transform) {
    func::FuncOp function = functionOf(op);
    errors.clear();
    FailureOr<func::FuncOp> out = transform(function);
    return succeeded(out) ? "" : errors.empty() ? "failed without an error" : errors;
  }

  /// The uses of an op, those with static types if there are any.
  std::vector<Operation *> usesOf(const pd::LibraryTransforms &stated) const {
    auto found = ops.find(stated.op);
    std::vector<Operation *> all = found == ops.end() ? std::vector<Operation *>() : found->second, some;
    llvm::copy_if(all, std::back_inserter(some),
                  [](Operation *op) { return llvm::all_of(op->getOperandTypes(), isStatic); });
    return some.empty() ? all : some;
  }

  MLIRContext context;
  std::unique_ptr<ScopedDiagnosticHandler> handler;
  std::string errors;
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::map<std::string, std::vector<Operation *>> ops;
};

bool contains(const std::string &text, const char *piece) { return text.find(piece) != std::string::npos; }

TEST_F(LibraryOps, HaveStatementsAndTests) {
  for (RegisteredOperationName name : context.getRegisteredOperationsByDialect("pd"))
    EXPECT_EQ(pd::kindOf(name) == pd::OpKind::Library,
              pd::libraryTransformsOf(name.getStringRef()) != nullptr ||
                  name.getStringRef() == "pd.array_cast" || name.getStringRef() == "pd.yield")
        << name.getStringRef().str();
  for (const pd::LibraryTransforms &stated : pd::libraryTransforms())
    EXPECT_FALSE(usesOf(stated).empty()) << stated.op;
}

TEST_F(LibraryOps, AreDifferentiatedAsStated) {
  for (const pd::LibraryTransforms &stated : pd::libraryTransforms())
    for (Operation *op : usesOf(stated)) {
      auto hasGradient = [](Type type) { return pd::isDifferentiable(type); };
      // Without floats an op that has no rule has derivative 0.
      bool hasFloats =
          llvm::any_of(op->getOperandTypes(), hasGradient) && llvm::any_of(op->getResultTypes(), hasGradient);
      if (llvm::StringRef(stated.derivative) == "none" && !hasFloats)
        continue;
      std::string reverse = errorsOf(op, [](func::FuncOp f) { return autodiff::vjp(f, "reverse"); });
      std::string forward = errorsOf(op, [](func::FuncOp f) { return autodiff::jvp(f, "forward"); });
      if (llvm::StringRef(stated.derivative) == "none") {
        EXPECT_TRUE(contains(reverse, "has no rule for its gradient")) << stated.op << ": " << reverse;
        EXPECT_TRUE(contains(forward, "has no rule for its derivative")) << stated.op << ": " << forward;
      } else if (llvm::StringRef(stated.derivative) == "zero") {
        EXPECT_EQ(reverse, "") << stated.op;
        EXPECT_EQ(forward, "") << stated.op;
      } else {
        EXPECT_FALSE(contains(reverse, "has no rule")) << stated.op << ": " << reverse;
        EXPECT_FALSE(contains(forward, "has no rule")) << stated.op << ": " << forward;
      }
    }
}

/// A rule need not cover all uses of its op, but covers one. Arguments of functions that are batched are
/// tensors: ops on arrays are left to the tests of vmap.
TEST_F(LibraryOps, AreBatchedAsStated) {
  for (const pd::LibraryTransforms &stated : pd::libraryTransforms()) {
    llvm::StringRef batching = stated.batching;
    bool hasUse = false, hasBatchedUse = false;
    for (Operation *op : usesOf(stated)) {
      EXPECT_EQ(isa<pd::BatchableOpInterface>(op), batching == "rule") << stated.op;
      auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
      if (op->getNumOperands() == 0 || !llvm::all_of(op->getOperandTypes(), isTensor) ||
          !llvm::all_of(op->getResultTypes(), isTensor))
        continue;
      std::string text = errorsOf(op, [](func::FuncOp f) { return autodiff::vmap(f, "batched", 3); });
      hasUse = true;
      hasBatchedUse |= text.empty();
      if (batching == "refused")
        EXPECT_TRUE(contains(text, "cannot be batched")) << stated.op << ": " << text;
      else if (batching == "unbatched")
        EXPECT_EQ(text, "") << stated.op;
    }
    EXPECT_EQ(hasBatchedUse, hasUse && batching != "refused") << stated.op;
  }
}

TEST_F(LibraryOps, AreShardedEvaluatedAndLoweredAsStated) {
  for (const pd::LibraryTransforms &stated : pd::libraryTransforms())
    for (Operation *op : usesOf(stated)) {
      EXPECT_EQ(pd::shardingSource(op) == "none", llvm::StringRef(stated.sharding) == "replicated")
          << stated.op;
      llvm::StringRef evaluation = stated.evaluation;
      bool hasReference = isa<pd::ReferenceOpInterface, pd::ArrayReferenceOpInterface>(op);
      EXPECT_EQ(hasReference, evaluation == "reference kernel") << stated.op;
      auto library = dyn_cast<pd::LibraryOpInterface>(op);
      bool isConstant = op->hasTrait<OpTrait::ConstantLike>();
      EXPECT_EQ(isConstant, evaluation == "constant") << stated.op;
      EXPECT_EQ(library      ? "kernel `" + library.getLibraryKernel().str() + "`"
                : isConstant ? "constant"
                             : "none",
                stated.lowering);
    }
}

} // namespace
