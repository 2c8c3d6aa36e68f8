#include "translator/onnx/Schema.h"
#include "test/unit/onnx/OnnxTesting.h"

#include <gmock/gmock.h>

#include <tuple>

using namespace proa;
using namespace proa::onnx;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string schemaErrors(const proto::Model &message) {
  Result<void> checked = checkSchemas(readGood(message), "m.onnx");
  return checked ? "" : checked.diagnostics().text();
}

/// Errors of one node in a model with this opset.
template <class Change> std::string nodeErrors(const char *type, int64_t opset, Change change) {
  proto::Model message = reluModel();
  message.mutable_opset_import(0)->set_version(opset);
  message.mutable_graph()->mutable_node(0)->set_op_type(type);
  change(*message.mutable_graph()->mutable_node(0));
  return schemaErrors(message);
}

constexpr auto noChange = [](proto::Node &) {};

// The facts below are from ONNX's Operators.md and Changelog.md.
TEST(Schema, VersionsOfAnOp) {
  ASSERT_NE(schemaOf("", "Clip", 11), nullptr);
  EXPECT_EQ(schemaOf("", "Clip", 11)->since, 11);
  EXPECT_EQ(schemaOf("ai.onnx", "Clip", 10)->since, 6);
  EXPECT_EQ(schemaOf("", "Clip", 28)->since, 13);
  EXPECT_EQ(schemaOf("", "Add", 6)->since, 6);
  EXPECT_NE(schemaOf("", "Add", 6)->attribute("broadcast"), nullptr);
  EXPECT_EQ(schemaOf("", "Gelu", 19), nullptr);
  EXPECT_EQ(schemaOf("", "Gelu", 20)->since, 20);
  EXPECT_TRUE(schemaOf("", "Gelu", 20)->isFunction);
  EXPECT_EQ(schemaOf("", "Nothing", 20), nullptr);
  // ONNX Runtime has the op in ai.onnx before ONNX.
  ASSERT_NE(schemaOf("", "LayerNormalization", 16), nullptr);
  EXPECT_TRUE(schemaOf("", "LayerNormalization", 16)->isOfRuntime);
  EXPECT_EQ(standardSchemaOf("LayerNormalization", 16), nullptr);
  ASSERT_NE(standardSchemaOf("LayerNormalization", 17), nullptr);
  EXPECT_EQ(standardSchemaOf("LayerNormalization", 17)->since, 17);
  EXPECT_EQ(schemaOf("", "", 20), nullptr);
  EXPECT_NE(schemaOf("ai.onnx.ml", "TreeEnsemble", 5), nullptr);
  EXPECT_NE(schemaOf("ai.onnx.preview.training", "Adam", 1), nullptr);
}

TEST(Schema, ParametersAndAttributes) {
  const Schema &lstm = *schemaOf("", "LSTM", 14);
  EXPECT_EQ(lstm.minInputs, 3);
  EXPECT_EQ(lstm.maxInputs, 8);
  ASSERT_EQ(lstm.inputs.size(), 8u);
  EXPECT_EQ(lstm.inputs[4].name, "sequence_lens");
  EXPECT_EQ(lstm.inputs[4].option, Option::Optional);
  EXPECT_EQ(std::get<std::string>(lstm.attribute("direction")->defaultValue()), "forward");
  EXPECT_TRUE(lstm.constraint("T")->types().contains("tensor(float)"));
  EXPECT_FALSE(lstm.constraint("T")->types().contains("tensor(int32)"));
  EXPECT_FALSE(lstm.constraint("T")->types().contains("nothing"));
  const Schema &concat = *schemaOf("", "Concat", 13);
  EXPECT_EQ(concat.maxInputs, manyValues);
  EXPECT_EQ(concat.inputs[0].option, Option::Variadic);
  EXPECT_TRUE(concat.attribute("axis")->isRequired);
  EXPECT_EQ(std::get<float>(schemaOf("", "LeakyRelu", 16)->attribute("alpha")->defaultValue()), 0.01f);
  EXPECT_EQ(std::get<int64_t>(schemaOf("", "Softmax", 13)->attribute("axis")->defaultValue()), -1);
}

TEST(Schema, DefaultsHaveTheirKind) {
  for (const Schema &schema : allSchemas())
    for (const SchemaAttribute &attribute : schema.attributes)
      if (attribute.defaultText) {
        EXPECT_EQ(attribute.defaultValue().index(), emptyValue(attribute.kind).index()) << schema.name;
      }
}

TEST(Schema, TableIsSorted) {
  std::span<const Schema> schemas = allSchemas();
  EXPECT_GT(schemas.size(), 500u);
  auto key = [](const Schema &schema) { return std::tuple(schema.domain, schema.name, schema.since); };
  for (size_t i = 1; i < schemas.size(); ++i)
    EXPECT_LT(key(schemas[i - 1]), key(schemas[i]));
}

TEST(CheckSchemas, UnknownOps) {
  EXPECT_EQ(nodeErrors("Relu", 21, noChange), "");
  EXPECT_THAT(
      nodeErrors("Rleu", 21, noChange),
      HasSubstr("m.onnx: graph 'main', node 'r' (Rleu): ai.onnx has no op 'Rleu'; did you mean 'Relu'"));
  EXPECT_THAT(nodeErrors("Gelu", 19, noChange),
              HasSubstr("ai.onnx has the op from opset 20 on, but opset 19 is imported"));
  EXPECT_THAT(nodeErrors("Upsample", 10, noChange), HasSubstr("the op is deprecated since opset 10"));
}

TEST(CheckSchemas, OpsetsWithoutSchemas) {
  EXPECT_EQ(nodeErrors("Relu", 6, noChange), "");
  EXPECT_THAT(nodeErrors("Relu", 99, noChange), HasSubstr("found opset 99 of ai.onnx, expected 28 at most"));
}

TEST(CheckSchemas, OtherDomainsAreNotChecked) {
  proto::Model message = reluModel();
  proto::OperatorSetId &import = *message.add_opset_import();
  import.set_domain("com.example");
  import.set_version(1);
  message.mutable_graph()->mutable_node(0)->set_domain("com.example");
  message.mutable_graph()->mutable_node(0)->set_op_type("Own");
  EXPECT_EQ(schemaErrors(message), "");
}

TEST(CheckSchemas, NumberOfInputsAndOutputs) {
  EXPECT_THAT(nodeErrors("Relu", 21, [](proto::Node &n) { n.add_input("x"); }),
              HasSubstr("found 2 inputs, expected 1"));
  EXPECT_THAT(nodeErrors("Clip", 21, [](proto::Node &n) { n.clear_input(); }),
              HasSubstr("found 0 inputs, expected 1 to 3"));
  EXPECT_THAT(nodeErrors("Relu", 21, [](proto::Node &n) { n.add_output("z"); }),
              HasSubstr("found 2 outputs, expected 1"));
  EXPECT_THAT(nodeErrors("Sum", 21, [](proto::Node &n) { n.clear_input(); }),
              HasSubstr("found 0 inputs, expected at least 1"));
  EXPECT_THAT(nodeErrors("Add", 21,
                         [](proto::Node &n) {
                           n.add_input("x");
                           n.set_input(0, "");
                         }),
              HasSubstr("the input 0 'A' is absent, but not optional"));
}

TEST(CheckSchemas, Attributes) {
  EXPECT_THAT(nodeErrors("Concat", 21, noChange), HasSubstr("the attribute 'axis' of type INT is missing"));
  EXPECT_THAT(
      nodeErrors("Softmax", 21, [](proto::Node &n) { addAttribute(n, "axes", AttributeKind::Int).set_i(1); }),
      HasSubstr("the op has no attribute 'axes'; did you mean 'axis'"));
  EXPECT_THAT(nodeErrors("Softmax", 21,
                         [](proto::Node &n) { addAttribute(n, "axis", AttributeKind::Float).set_f(1); }),
              HasSubstr("the attribute 'axis' has type FLOAT, expected INT"));
  EXPECT_EQ(
      nodeErrors("Relu", 21, [](proto::Node &n) { addAttribute(n, "__mark", AttributeKind::Int).set_i(1); }),
      "");
}

TEST(CheckSchemas, NodesOfSubgraphs) {
  proto::Model message = reluModel();
  proto::Node &node = addNode(*message.mutable_graph(), "If", {"x"}, {"z"});
  for (const char *name : {"then_branch", "else_branch"}) {
    proto::Graph &branch = *addAttribute(node, name, AttributeKind::Graph).mutable_g();
    branch.set_name("g");
    addNode(branch, "Rlu", {"x"}, {"inner"});
  }
  EXPECT_THAT(schemaErrors(message),
              HasSubstr("attribute 'else_branch', graph 'g', node 0 (Rlu): ai.onnx has no op"));
}

TEST(CheckSchemas, CallsOfFunctions) {
  proto::Model message = reluModel();
  proto::OperatorSetId &import = *message.add_opset_import();
  import.set_domain("local");
  import.set_version(1);
  proto::Function &function = *message.add_functions();
  function.set_name("f");
  function.set_domain("local");
  function.add_attribute("alpha");
  proto::Node &call = addNode(*message.mutable_graph(), "f", {"x"}, {});
  call.set_domain("local");
  addAttribute(call, "alhpa", AttributeKind::Int).set_i(1);
  std::string errors = schemaErrors(message);
  EXPECT_THAT(errors, HasSubstr("node 1 (f): found 1 inputs, expected 0"));
  EXPECT_THAT(errors, HasSubstr("the attribute 'alpha' of the function is missing"));
  EXPECT_THAT(errors, HasSubstr("the function has no attribute 'alhpa'; did you mean 'alpha'"));
}

TEST(CheckSchemas, FunctionsMayUseOtherVersions) {
  proto::Model message = reluModel();
  proto::Function &function = *message.add_functions();
  function.set_name("f");
  function.set_domain("local");
  function.add_input("x");
  function.add_opset_import()->set_version(12);
  proto::Node &softmax = *function.add_node();
  softmax.set_op_type("Softmax");
  softmax.add_input("x");
  softmax.add_output("y");
  EXPECT_EQ(schemaErrors(message), "");
}

} // namespace
