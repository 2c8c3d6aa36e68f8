// Repeated ops are copied from their first import: here next to ops that differ slightly.
#include "dialects/pd/ir/ResultNames.h"
#include "lib/compiler/compile/Registration.h"
#include "translator/import/Import.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>

using namespace proa;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// Float32 feeds x and y of 2x3 and z of 3x2, and ops on them.
class RepetitionTest : public ::testing::Test {
protected:
  RepetitionTest() : context(registry()) {
    program.blocks.emplace_back();
    for (const char *name : {"x", "y"})
      feed(name, {2, 3});
    feed("z", {3, 2});
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }

  void feed(const std::string &name, std::vector<int64_t> dims) {
    legacy::Variable variable;
    variable.name = name;
    variable.dtype = DType::Float32;
    variable.dims = std::move(dims);
    program.blocks[0].variables.push_back(variable);
    options.feeds.push_back(name);
  }

  legacy::Operation &op(const std::string &type, const std::vector<std::string> &x, const std::string &out,
                        legacy::Attributes attributes = {}) {
    legacy::Operation added;
    added.type = type;
    added.inputs.push_back({"X", {x[0]}});
    if (x.size() > 1)
      added.inputs.push_back({"Y", {x[1]}});
    added.outputs = {{"Out", {out}}};
    added.attributes = std::move(attributes);
    program.blocks[0].operations.push_back(added);
    options.fetches.push_back(out);
    return program.blocks[0].operations.back();
  }

  /// The ops of the function, without types.
  std::vector<std::string> imported() {
    auto module = import::importProgram(context, program, options);
    if (!module) {
      diagnostics = module.diagnostics();
      return {};
    }
    EXPECT_TRUE(mlir::succeeded(mlir::verify(**module)));
    std::vector<std::string> ops;
    std::string text;
    llvm::raw_string_ostream(text) << **module;
    for (llvm::StringRef rest = text; !rest.empty();) {
      auto [line, after] = rest.split('\n');
      rest = after;
      if (line = line.trim(); line.contains(" = pd."))
        ops.push_back(line.split(" : ").first.str());
    }
    return ops;
  }

  legacy::Program program;
  import::ImportOptions options;
  mlir::MLIRContext context;
  Diagnostics diagnostics;
};

TEST_F(RepetitionTest, EachCopyHasItsOwnOperands) {
  op("elementwise_sub", {"x", "y"}, "a");
  op("elementwise_sub", {"y", "x"}, "b");
  op("elementwise_sub", {"b", "b"}, "c");
  op("elementwise_sub", {"a", "c"}, "d");
  EXPECT_THAT(imported(), ElementsAre("%0 = pd.subtract %arg0, %arg1", "%1 = pd.subtract %arg1, %arg0",
                                      "%2 = pd.subtract %1, %1", "%3 = pd.subtract %0, %2"));
}

TEST_F(RepetitionTest, RepeatedOperandDiffersFromTwoOperands) {
  op("elementwise_sub", {"x", "x"}, "a");
  op("elementwise_sub", {"x", "y"}, "b");
  EXPECT_THAT(imported(), ElementsAre("%0 = pd.subtract %arg0, %arg0", "%1 = pd.subtract %arg0, %arg1"));
}

TEST_F(RepetitionTest, OtherAttributesAreNotReused) {
  for (float scale : {2.0F, 3.0F, 2.0F})
    op("scale", {"x"}, "out" + std::to_string(options.fetches.size()),
       {{"scale", scale}, {"bias", 0.0F}, {"op_namescope", std::to_string(options.fetches.size())}});
  EXPECT_THAT(imported(),
              ElementsAre(HasSubstr("scale = 2.0"), HasSubstr("scale = 3.0"), HasSubstr("scale = 2.0")));
}

TEST_F(RepetitionTest, OtherTypesAreInferredAgain) {
  for (const char *x : {"x", "y", "z"})
    op("reduce_sum", {x}, std::string("sum_") + x, {{"dim", std::vector<int32_t>{0}}});
  auto module = import::importProgram(context, program, options);
  ASSERT_TRUE(module);
  std::vector<int64_t> dims;
  (*module)->walk([&](mlir::Operation *op) {
    if (op->getName().getStringRef() == "pd.sum")
      dims.push_back(mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType()).getDimSize(0));
  });
  EXPECT_THAT(dims, ElementsAre(3, 3, 2));
}

TEST_F(RepetitionTest, AVariableMayBeWrittenTwice) {
  op("relu", {"x"}, "a");
  op("relu", {"a"}, "a");
  op("relu", {"a"}, "b");
  options.fetches = {"b"};
  EXPECT_THAT(imported(), ElementsAre("%0 = pd.relu %arg0", "%1 = pd.relu %0", "%2 = pd.relu %1"));
}

TEST_F(RepetitionTest, AnOpMayBecomeSeveral) {
  for (const char *x : {"x", "y"})
    op("matmul", {x, "z"}, std::string(x) + "z", {{"alpha", 0.5F}});
  EXPECT_THAT(imported(), ElementsAre("%0 = pd.matmul %arg0, %arg2", HasSubstr("%1 = pd.scale %0"),
                                      "%2 = pd.matmul %arg1, %arg2", HasSubstr("%3 = pd.scale %2")));
}

TEST_F(RepetitionTest, ErrorsAreReportedForEachOp) {
  for (const char *out : {"a", "b"})
    op("relu", {"x"}, out, {{"no_such", true}});
  op("elementwise_sub", {"x", "z"}, "c");
  op("elementwise_sub", {"y", "z"}, "d");
  EXPECT_TRUE(imported().empty());
  EXPECT_EQ(diagnostics.size(), 4U);
}

TEST_F(RepetitionTest, CopiesKeepTheirLocations) {
  op("relu", {"x"}, "a");
  op("relu", {"y"}, "b");
  auto module = import::importProgram(context, program, options);
  ASSERT_TRUE(module);
  std::vector<std::string> names;
  (*module)->walk([&](mlir::Operation *op) {
    if (op->getName().getStringRef() == "pd.relu")
      names.push_back(mlir::cast<mlir::NameLoc>(op->getLoc()).getName().str());
  });
  EXPECT_THAT(names, ElementsAre("a", "b"));
}

// An op with several results has their names, a copy its own. A variable that is only another name does not
// count.
TEST_F(RepetitionTest, ResultsHaveTheNamesOfTheirVariables) {
  for (std::string x : {"x", "y"}) {
    legacy::Operation &split = op("split", {x}, x + "0", {{"num", int64_t(3)}, {"axis", int64_t(1)}});
    split.outputs[0].arguments = {x + "0", x + "1", x + "2"};
    op("assign", {x + "1"}, x + "copy");
  }
  auto module = import::importProgram(context, program, options);
  ASSERT_TRUE(module) << module.diagnostics().text();
  std::vector<std::string> names;
  (*module)->walk([&](mlir::Operation *op) {
    if (op->getNumResults() == 3)
      for (mlir::Value result : op->getResults())
        names.push_back(pd::resultName(result).str());
  });
  EXPECT_THAT(names, ElementsAre("x0", "x1", "x2", "y0", "y1", "y2"));
}

TEST_F(RepetitionTest, ResultsAreNamedOnceAndByTheirOp) {
  mlir::Builder builder(&context);
  mlir::Location own = mlir::NameLoc::get(builder.getStringAttr("a")),
                 other = mlir::NameLoc::get(builder.getStringAttr("b"));
  mlir::OperationState state(own, mlir::UnrealizedConversionCastOp::getOperationName());
  state.addTypes({builder.getF32Type(), builder.getF32Type()});
  mlir::OwningOpRef<mlir::Operation *> op = mlir::Operation::create(state);
  EXPECT_EQ(pd::resultName(op->getResult(0)), "a") << "the location has one name";
  pd::setResultName(op->getResult(1), "late", other);
  EXPECT_EQ(op->getLoc(), own) << "another op uses the result";
  pd::setResultName(op->getResult(1), "second", own);
  pd::setResultName(op->getResult(1), "again", own);
  EXPECT_EQ(pd::resultName(op->getResult(1)), "second");
  EXPECT_EQ(pd::resultName(op->getResult(0)), "") << "no variable has it";
}

} // namespace
