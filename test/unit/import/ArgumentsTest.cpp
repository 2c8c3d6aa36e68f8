// Attributes of functions with many arguments.
#include "lib/compiler/compile/Registration.h"
#include "translator/import/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace proa;
using ::testing::HasSubstr;

namespace {

constexpr size_t parameterCount = 3000;

std::string parameter(size_t i) { return "layer_" + std::to_string(i) + ".w_0"; }

legacy::Variable variable(const std::string &name, bool isParameter) {
  legacy::Variable variable;
  variable.name = name;
  variable.dtype = DType::Float32;
  variable.dims = {4};
  variable.persistable = variable.isParameter = isParameter;
  return variable;
}

legacy::Operation add(const std::string &x, const std::string &y, const std::string &out) {
  legacy::Operation op;
  op.type = "elementwise_add";
  op.inputs = {{"X", {x}}, {"Y", {y}}};
  op.outputs = {{"Out", {out}}};
  return op;
}

/// Adds all parameters to x.
legacy::Program sumOfParameters() {
  legacy::Program program;
  legacy::Block &block = program.blocks.emplace_back();
  block.variables.push_back(variable("x", false));
  std::string last = "x";
  for (size_t i = 0; i < parameterCount; ++i) {
    std::string next = "sum_" + std::to_string(i);
    block.variables.push_back(variable(parameter(i), true));
    block.variables.push_back(variable(next, false));
    block.operations.push_back(add(last, parameter(i), next));
    last = next;
  }
  return program;
}

import::ImportOptions feedingX(bool locations = true) {
  import::ImportOptions options;
  options.feeds = {"x"};
  options.fetches = {"sum_" + std::to_string(parameterCount - 1)};
  options.locations = locations;
  return options;
}

class Arguments : public ::testing::Test {
protected:
  Arguments() : context(registry(), mlir::MLIRContext::Threading::DISABLED) {}

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerAllDialects(all);
    return all;
  }

  mlir::MLIRContext context;
};

TEST_F(Arguments, EachArgumentIsNamed) {
  auto module = import::importProgram(context, sumOfParameters(), feedingX());
  ASSERT_TRUE(module) << module.diagnostics().text();
  EXPECT_FALSE(context.isMultithreadingEnabled());
  auto function = *(**module).getOps<mlir::func::FuncOp>().begin();
  ASSERT_EQ(function.getNumArguments(), 1 + parameterCount);
  EXPECT_EQ(function.getArgAttrOfType<mlir::StringAttr>(0, "pd.feed"), "x");
  for (size_t i = 0; i < parameterCount; ++i) {
    mlir::DictionaryAttr attributes = function.getArgAttrDict(1 + i);
    ASSERT_EQ(attributes.size(), 1u);
    ASSERT_EQ(attributes.getAs<mlir::StringAttr>("pd.param"), parameter(i));
  }
}

TEST_F(Arguments, NamesWithEscapesAreRead) {
  legacy::Program program = sumOfParameters();
  const std::string name = "quote \" back\\slash \n \xC3\xA9";
  program.blocks[0].variables[0].lodLevel = 1;
  for (legacy::Variable &variable : program.blocks[0].variables)
    if (variable.name == parameter(7))
      variable.name = name;
  program.blocks[0].operations[7].inputs[1].arguments[0] = name;
  auto imported = import::importProgram(context, program, feedingX());
  ASSERT_TRUE(imported) << imported.diagnostics().text();
  std::string text;
  llvm::raw_string_ostream(text) << **imported;
  EXPECT_THAT(text, HasSubstr("{pd.feed = \"x@LOD0\", pd.lod_of = \"x\"}"));
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(parsed);
  auto function = *parsed->getOps<mlir::func::FuncOp>().begin();
  EXPECT_EQ(function.getArgAttrOfType<mlir::StringAttr>(1 + 7, "pd.param"), name);
}

TEST_F(Arguments, OfARefusedProgram) {
  legacy::Program program = sumOfParameters();
  program.blocks[0].variables[1].dtype.reset(); // the first parameter
  auto module = import::importProgram(context, program, feedingX());
  ASSERT_FALSE(module);
  EXPECT_EQ(module.diagnostics().size(), 1u);
  EXPECT_THAT(module.diagnostics().text(),
              HasSubstr("variable 'layer_0.w_0' is not a dense tensor with an element type that proa has"));
  EXPECT_FALSE(context.isMultithreadingEnabled());
}

TEST_F(Arguments, LocationsOnRequest) {
  for (bool locations : {true, false}) {
    auto module = import::importProgram(context, sumOfParameters(), feedingX(locations));
    ASSERT_TRUE(module) << module.diagnostics().text();
    auto function = *(**module).getOps<mlir::func::FuncOp>().begin();
    for (auto [i, op] : llvm::enumerate(function.getBody().front().without_terminator())) {
      auto name = op.getLoc()->findInstanceOf<mlir::NameLoc>();
      ASSERT_EQ(static_cast<bool>(name), locations);
      if (name)
        ASSERT_EQ(name.getName(), "sum_" + std::to_string(i));
    }
  }
}

} // namespace
