// Import of programs with control flow, as Paddle writes them, and of unusual ones.
#include "dialects/pd/ir/Pd.h"
#include "lib/compiler/compile/Registration.h"
#include "translator/import/Import.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <gmock/gmock.h>

using namespace proa;
using ::testing::HasSubstr;

namespace {

using Slots = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// A program built op by op. Variables are float32[2] by default.
struct Source {
  legacy::Program program;

  Source() { block(-1); }
  int32_t block(int32_t parent) {
    legacy::Block block;
    block.index = static_cast<int32_t>(program.blocks.size());
    block.parent = parent;
    program.blocks.push_back(block);
    return block.index;
  }
  void variable(int32_t block, const std::string &name, DType dtype = DType::Float32,
                std::vector<int64_t> dims = {2},
                legacy::VariableKind kind = legacy::VariableKind::DenseTensor) {
    legacy::Variable variable;
    variable.name = name;
    variable.kind = kind;
    variable.dtype = dtype;
    variable.dims = std::move(dims);
    program.blocks[block].variables.push_back(variable);
  }
  legacy::Operation &op(int32_t block, const std::string &type, const Slots &inputs, const Slots &outputs) {
    legacy::Operation operation;
    operation.type = type;
    for (auto &[name, arguments] : inputs)
      operation.inputs.push_back({name, arguments});
    for (auto &[name, arguments] : outputs)
      operation.outputs.push_back({name, arguments});
    program.blocks[block].operations.push_back(operation);
    return program.blocks[block].operations.back();
  }
  void unary(int32_t block, const std::string &type, const std::string &x, const std::string &out) {
    op(block, type, {{"X", {x}}}, {{"Out", {out}}});
  }
  void loop(int32_t block, int32_t body, const std::string &condition) {
    op(block, "while", {{"Condition", {condition}}}, {}).attributes = {
        {"sub_block", legacy::BlockIndex{body}}};
  }
  /// Places x and y in "buffer".
  void buffer() {
    variable(0, "buffer", DType::Float32, {4});
    op(0, "coalesce_tensor", {{"Input", {"x", "y"}}}, {{"Output", {"x", "y"}}, {"FusedOutput", {"buffer"}}})
        .attributes = {{"dtype", 5}, {"copy_data", true}, {"use_align", false}};
  }
  void branch(int32_t block, int32_t body, const std::string &condition,
              const std::vector<std::string> &outputs) {
    op(block, "conditional_block", {{"Cond", {condition}}}, {{"Out", outputs}}).attributes = {
        {"sub_block", legacy::BlockIndex{body}}, {"is_scalar_condition", true}};
  }
};

class ControlFlow : public testing::Test {
protected:
  ControlFlow() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    for (const char *name : {"x", "y"})
      source.variable(0, name);
    source.variable(0, "c", DType::Bool, {1});
  }

  /// The IR, or the errors.
  std::string import(std::vector<std::string> fetches = {"x"}) {
    import::ImportOptions options;
    options.feeds = {"x", "y", "c"};
    options.fetches = std::move(fetches);
    options.onDiagnostic = [&](const Diagnostic &warning) { warnings += warning.message + "\n"; };
    auto module = import::importProgram(context, source.program, options);
    if (!module)
      return module.diagnostics().text();
    EXPECT_TRUE(mlir::succeeded(mlir::verify(**module)));
    std::string text;
    llvm::raw_string_ostream(text) << **module;
    return text;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Source source;
  std::string warnings;
};

/// while (c) { x = tanh(x); c = !c }, in place.
TEST_F(ControlFlow, LoopCarriesWrittenVariables) {
  int32_t body = source.block(0);
  source.unary(body, "tanh", "x", "x");
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  std::string text = import();
  EXPECT_THAT(text, HasSubstr("scf.while (%arg3 = %arg0, %arg4 = %arg2) : (tensor<2xf32>, tensor<1xi1>) -> "
                              "(tensor<2xf32>, tensor<1xi1>)"));
  EXPECT_THAT(text, HasSubstr("scf.yield"));
}

TEST_F(ControlFlow, LoopDoesNotCarryItsOwnVariables) {
  int32_t body = source.block(0);
  source.variable(body, "x"); // hides the outer x
  source.unary(body, "exp", "y", "x");
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  EXPECT_THAT(import(), HasSubstr("scf.while (%arg3 = %arg2) : (tensor<1xi1>) -> tensor<1xi1>"));
}

TEST_F(ControlFlow, ChangingDimsOfCarriedValuesAreDynamic) {
  int32_t body = source.block(0);
  source.op(body, "concat", {{"X", {"x", "y"}}}, {{"Out", {"x"}}});
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  EXPECT_THAT(import(), HasSubstr("-> (tensor<?xf32>, tensor<1xi1>)"));
}

/// The declared shape of a feed that a loop changes is the shape after an iteration.
TEST_F(ControlFlow, FeedThatALoopGrowsHasDynamicDims) {
  int32_t body = source.block(0);
  source.op(body, "concat", {{"X", {"x", "y"}}}, {{"Out", {"x"}}});
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  EXPECT_THAT(import(),
              HasSubstr("func.func @main(%arg0: tensor<?xf32> {pd.feed = \"x\"}, %arg1: tensor<2xf32>"));
}

TEST_F(ControlFlow, FirstIterationThatChangesDtypeIsPeeled) {
  int32_t body = source.block(0);
  source.op(body, "cast", {{"X", {"x"}}}, {{"Out", {"x"}}}).attributes = {{"in_dtype", 5}, {"out_dtype", 6}};
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  std::string text = import();
  EXPECT_THAT(text, HasSubstr("scf.while (%arg3 = %2, %arg4 = %3) : (tensor<2xf64>, tensor<1xi1>)"));
  // Without an iteration it keeps its shape.
  size_t otherwise = text.find("} else {");
  ASSERT_NE(otherwise, std::string::npos);
  EXPECT_THAT(text.substr(otherwise), HasSubstr("pd.cast %arg0 {dtype = f64} : (tensor<2xf32>)"));
}

TEST_F(ControlFlow, WarnsThatZeroIterationsGiveZeros) {
  int32_t body = source.block(0);
  source.op(body, "stack", {{"X", {"y", "y"}}}, {{"Y", {"x"}}}).attributes = {{"axis", 0}};
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  EXPECT_THAT(import(), HasSubstr("pd.constant dense<0.000000e+00> : tensor<2x2xf32>"));
  EXPECT_THAT(warnings,
              HasSubstr("variable 'x' has type tensor<2xf32> before the loop and tensor<2x2xf32> after "
                        "an iteration: a loop of no iterations leaves zeros"));
}

TEST_F(ControlFlow, VariableDefinedInLoopIsAvailableAfterIt) {
  source.variable(0, "written");
  int32_t body = source.block(0);
  source.unary(body, "exp", "x", "written");
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  EXPECT_THAT(import({"written"}), HasSubstr("pd.constant dense<0.000000e+00> : tensor<2xf32>"));
}

TEST_F(ControlFlow, ReadBeforeAnythingDefinesIt) {
  source.variable(0, "sum");
  int32_t body = source.block(0);
  source.op(body, "elementwise_add", {{"X", {"sum"}}, {"Y", {"x"}}}, {{"Out", {"sum"}}});
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  EXPECT_THAT(import(), HasSubstr("variable 'sum' is read by block 1 before anything defines it"));
}

TEST_F(ControlFlow, BufferAndMembersOfItInOneLoop) {
  source.buffer();
  int32_t body = source.block(0);
  source.unary(body, "tanh", "buffer", "buffer");
  source.unary(body, "exp", "x", "x");
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  EXPECT_THAT(
      import(),
      HasSubstr("control flow changes variables that coalesce_tensor has put into 'buffer', and reads them "
                "under other names"));
}

TEST_F(ControlFlow, BufferThatALoopChanges) {
  source.buffer();
  int32_t body = source.block(0);
  source.unary(body, "tanh", "buffer", "buffer");
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  std::string text = import({"y"});
  size_t loop = text.find("scf.while");
  ASSERT_NE(loop, std::string::npos);
  EXPECT_THAT(text.substr(loop), HasSubstr("starts = array<i64: 2>"));
}

TEST_F(ControlFlow, MissingBlocks) {
  source.loop(0, 7, "c");
  source.branch(0, 0, "c", {"x"});
  std::string text = import();
  EXPECT_THAT(
      text,
      HasSubstr(
          "(while): attribute 'sub_block' is 7, expected one after the first of the program's 1 blocks"));
  EXPECT_THAT(text, HasSubstr("(conditional_block) -> x: attribute 'sub_block' is 0, expected one after the "
                              "first of the program's 1 blocks"));
}

TEST_F(ControlFlow, CyclicBlocks) {
  int32_t body = source.block(0);
  source.unary(body, "logical_not", "c", "c");
  source.loop(body, body, "c");
  source.loop(0, body, "c");
  EXPECT_THAT(import(), HasSubstr("block 1 is run inside of itself"));
}

TEST_F(ControlFlow, ConditionMustBeOneBool) {
  int32_t body = source.block(0);
  source.unary(body, "tanh", "x", "x");
  source.loop(0, body, "x");
  EXPECT_THAT(import(), HasSubstr("the condition is tensor<2xf32>, expected one bool"));
}

TEST_F(ControlFlow, ConditionMustChange) {
  int32_t body = source.block(0);
  source.unary(body, "tanh", "x", "x");
  source.loop(0, body, "c");
  EXPECT_THAT(import(), HasSubstr("block 1 never writes the condition 'c'"));
}

size_t count(const std::string &text, const std::string &piece) {
  size_t found = 0;
  for (size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1))
    ++found;
  return found;
}

TEST_F(ControlFlow, ErrorsOfABodyAreReportedOnce) {
  int32_t body = source.block(0);
  source.op(body, "concat", {{"X", {"x", "y"}}}, {{"Out", {"x"}}}); // two attempts
  source.unary(body, "no_such_op", "x", "y");
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  source.unary(0, "tanh", "x", "x");
  // The loop may have no iteration: the error ends a run that reaches its body.
  EXPECT_EQ(count(import(), "blocks[1].ops[1] (no_such_op) -> y: op 'no_such_op' is not known"), 1u);
}

/// Two branches and a select_input; `second` is the condition of the false branch.
void addPair(Source &source, const std::string &second) {
  int32_t onTrue = source.block(0), onFalse = source.block(0);
  source.variable(0, "a");
  source.variable(0, "b");
  source.variable(0, "n", DType::Bool, {1});
  source.variable(0, "mask", DType::Int32, {1});
  source.unary(onTrue, "tanh", "x", "a");
  source.unary(onFalse, "exp", "x", "b");
  source.unary(0, "logical_not", "c", "n");
  source.op(0, "cast", {{"X", {"c"}}}, {{"Out", {"mask"}}}).attributes = {{"in_dtype", 0}, {"out_dtype", 2}};
  source.branch(0, onTrue, "c", {"a"});
  source.branch(0, onFalse, second, {"b"});
  source.op(0, "select_input", {{"Mask", {"mask"}}, {"X", {"b", "a"}}}, {{"Out", {"x"}}});
}

TEST_F(ControlFlow, TwoConditionalBlocksBecomeOneIf) {
  addPair(source, "n");
  std::string text = import();
  EXPECT_EQ(count(text, "scf.if"), 1u);
  EXPECT_THAT(text, HasSubstr("} else {"));
}

TEST_F(ControlFlow, BlocksOnTheSameConditionAreNotPaired) {
  addPair(source, "c");
  EXPECT_EQ(count(import(), "scf.if"), 3u); // each branch, and the choice by the mask
}

TEST_F(ControlFlow, BranchThatWritesAnOuterVariable) {
  int32_t body = source.block(0);
  source.unary(body, "tanh", "x", "x");
  source.branch(0, body, "c", {"x"});
  source.variable(0, "z");
  source.unary(0, "exp", "x", "z");
  std::string text = import({"z"});
  EXPECT_THAT(text, HasSubstr("scf.yield %arg0 : tensor<2xf32>"));
  EXPECT_LT(text.find("scf.if"), text.find("pd.exp"));
}

TEST_F(ControlFlow, UnusedBranchIsRemoved) {
  source.variable(0, "unused");
  int32_t body = source.block(0);
  source.unary(body, "tanh", "x", "unused");
  source.branch(0, body, "c", {"unused"});
  EXPECT_EQ(count(import(), "scf.if"), 0u);
}

/// An array that a loop fills and that is not created before.
TEST_F(ControlFlow, ArraysAreCarried) {
  source.variable(0, "list", DType::Float32, {2}, legacy::VariableKind::DenseTensorArray);
  source.variable(0, "length", DType::Int64, {1});
  source.variable(0, "all", DType::Float32, {-1, 2});
  int32_t body = source.block(0);
  source.op(body, "lod_array_length", {{"X", {"list"}}}, {{"Out", {"length"}}});
  source.op(body, "write_to_array", {{"X", {"x"}}, {"I", {"length"}}}, {{"Out", {"list"}}});
  source.unary(body, "logical_not", "c", "c");
  source.loop(0, body, "c");
  source.op(0, "tensor_array_to_tensor", {{"X", {"list"}}}, {{"Out", {"all"}}}).attributes = {
      {"axis", 0}, {"use_stack", true}};
  std::string text = import({"all"});
  EXPECT_THAT(text, HasSubstr("pd.array_create  : () -> !pd.array<*>"));
  EXPECT_THAT(text, HasSubstr("!pd.array<tensor<2xf32>>"));
  EXPECT_THAT(text, HasSubstr("tensor<?x2xf32>"));
}

/// A copy of an array that no op wrote, as a loop in another loop begins with it.
TEST_F(ControlFlow, UnwrittenArrayIsEmpty) {
  source.variable(0, "none", DType::Float32, {2}, legacy::VariableKind::DenseTensorArray);
  source.variable(0, "list", DType::Float32, {2}, legacy::VariableKind::DenseTensorArray);
  source.variable(0, "length", DType::Int64, {1});
  source.unary(0, "assign", "none", "list");
  source.op(0, "lod_array_length", {{"X", {"list"}}}, {{"Out", {"length"}}});
  std::string text = import({"length"});
  EXPECT_THAT(text, HasSubstr("pd.array_create"));
  EXPECT_THAT(text, HasSubstr("pd.array_length"));
}

TEST_F(ControlFlow, ArrayIsNotATensor) {
  source.variable(0, "list", DType::Float32, {2}, legacy::VariableKind::DenseTensorArray);
  source.variable(0, "i", DType::Int64, {1});
  source.op(0, "fill_constant", {}, {{"Out", {"i"}}}).attributes = {{"shape", std::vector<int64_t>{1}},
                                                                    {"dtype", 3}};
  source.op(0, "write_to_array", {{"X", {"x"}}, {"I", {"i"}}}, {{"Out", {"list"}}});
  source.unary(0, "tanh", "list", "x");
  EXPECT_THAT(import(), HasSubstr("variable 'list' is a tensor array, expected a tensor"));
  EXPECT_THAT(import({"list"}), HasSubstr("is a tensor array, expected a tensor"));
}

} // namespace
