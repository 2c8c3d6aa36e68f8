#include "translator/onnx/Inline.h"
#include "lib/base/support/FileReport.h"
#include "test/unit/onnx/OnnxTesting.h"
#include "translator/onnx/Check.h"

#include <gmock/gmock.h>

using namespace proa;
using namespace proa::onnx;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// One line for each node: "z = LeakyRelu(x) {alpha}".
std::string textOf(const std::vector<Node> &nodes) {
  std::string text;
  auto list = [](const std::vector<std::string> &names) {
    std::string out;
    for (const std::string &name : names)
      out += (out.empty() ? "" : ", ") + name;
    return out;
  };
  for (const Node &node : nodes) {
    text += list(node.outputs) + " = " + node.type + "(" + list(node.inputs) + ")";
    for (const Attribute &attribute : node.attributes) {
      text += " " + attribute.name;
      if (const auto *value = std::get_if<float>(&attribute.value))
        text += "=" + std::to_string(*value).substr(0, 3);
      for (const Graph &graph : attribute.graphs())
        text += " [" + textOf(graph.nodes) + "]";
    }
    text += "; ";
  }
  return text;
}

proto::Function &addLocal(proto::Model &model, const std::string &name) {
  proto::Function &function = *model.add_functions();
  function.set_name(name);
  function.set_domain("local");
  function.add_opset_import()->set_version(21);
  proto::OperatorSetId &import = *function.add_opset_import();
  import.set_domain("local");
  import.set_version(1);
  return function;
}

/// A model without nodes, with the domain of functions.
proto::Model emptyModel() {
  proto::Model model = reluModel();
  proto::OperatorSetId &import = *model.add_opset_import();
  import.set_domain("local");
  import.set_version(1);
  model.mutable_graph()->clear_node();
  return model;
}

proto::Node &addCall(proto::Model &model, const std::string &type, std::initializer_list<const char *> inputs,
                     std::initializer_list<const char *> outputs) {
  proto::Node &node = addNode(*model.mutable_graph(), type, inputs, outputs);
  node.set_domain("local");
  return node;
}

/// The inlined model as text. It must be valid.
std::string inlined(const proto::Model &message) {
  Result<Model> model = inlineFunctions(readGood(message), "m.onnx");
  if (!model)
    return model.diagnostics().text();
  EXPECT_TRUE(model->functions.empty());
  FileReport report("m.onnx");
  check(*model, report);
  EXPECT_TRUE(report.empty()) << report.take().text();
  return textOf(model->graph.nodes);
}

/// y = LeakyRelu(Relu(x)), with the attribute alpha.
void addLeaky(proto::Model &model) {
  proto::Function &function = addLocal(model, "leaky");
  function.add_input("a");
  function.add_output("b");
  proto::Attribute &alpha = *function.add_attribute_proto();
  alpha.set_name("slope");
  alpha.set_type(1);
  alpha.set_f(0.5f);
  addNode(function, "Relu", {"a"}, {"x"});
  addAttribute(addNode(function, "LeakyRelu", {"x"}, {"b"}), "alpha", AttributeKind::Float)
      .set_ref_attr_name("slope");
}

TEST(Inline, RenamesValuesAndSubstitutesAttributes) {
  proto::Model message = emptyModel();
  addLeaky(message);
  addCall(message, "leaky", {"x"}, {"t"}).set_name("first");
  addAttribute(addCall(message, "leaky", {"t"}, {"y"}), "slope", AttributeKind::Float).set_f(0.2f);
  EXPECT_EQ(inlined(message), "first/x = Relu(x); t = LeakyRelu(first/x) alpha=0.5; "
                              "leaky_1/x = Relu(t); y = LeakyRelu(leaky_1/x) alpha=0.2; ");
}

TEST(Inline, NestedCallsPassAttributes) {
  proto::Model message = emptyModel();
  addLeaky(message);
  proto::Function &outer = addLocal(message, "outer");
  outer.add_input("i");
  outer.add_output("o");
  outer.add_attribute("k");
  proto::Node &call = addNode(outer, "leaky", {"i"}, {"o"});
  call.set_domain("local");
  addAttribute(call, "slope", AttributeKind::Float).set_ref_attr_name("k");
  addAttribute(addCall(message, "outer", {"x"}, {"y"}), "k", AttributeKind::Float).set_f(0.7f);
  EXPECT_EQ(inlined(message), "leaky_1/x = Relu(x); y = LeakyRelu(leaky_1/x) alpha=0.7; ");
}

TEST(Inline, AttributesWithoutValueAreAbsent) {
  proto::Model message = emptyModel();
  addLeaky(message);
  message.mutable_functions(0)->clear_attribute_proto();
  message.mutable_functions(0)->add_attribute("slope");
  addCall(message, "leaky", {"x"}, {"y"});
  EXPECT_EQ(inlined(message), "leaky_0/x = Relu(x); y = LeakyRelu(leaky_0/x); ");
}

TEST(Inline, OverloadsAreDifferentFunctions) {
  proto::Model message = emptyModel();
  for (const char *overload : {"", "two"}) {
    proto::Function &function = addLocal(message, "f");
    function.set_overload(overload);
    function.add_input("a");
    function.add_output("b");
    addNode(function, *overload ? "Neg" : "Abs", {"a"}, {"b"});
  }
  addCall(message, "f", {"x"}, {"t"});
  addCall(message, "f", {"t"}, {"y"}).set_overload("two");
  EXPECT_EQ(inlined(message), "t = Abs(x); y = Neg(t); ");
}

TEST(Inline, SubgraphsOnBothSides) {
  proto::Model message = emptyModel();
  proto::Function &function = addLocal(message, "f");
  function.add_input("a");
  function.add_output("b");
  proto::Node &inner = addNode(function, "If", {"a"}, {"b"});
  proto::Graph &branch = *addAttribute(inner, "then_branch", AttributeKind::Graph).mutable_g();
  branch.set_name("g");
  addNode(branch, "Relu", {"a"}, {"x"});
  branch.add_output()->set_name("x");
  proto::Node &outer = addNode(*message.mutable_graph(), "If", {"x"}, {"y"});
  proto::Graph &caller = *addAttribute(outer, "then_branch", AttributeKind::Graph).mutable_g();
  caller.set_name("h");
  proto::Node &call = addNode(caller, "f", {"x"}, {"v"});
  call.set_domain("local");
  caller.add_output()->set_name("v");
  EXPECT_EQ(inlined(message), "y = If(x) then_branch [v = If(x) then_branch [f_0/x = Relu(x); ]; ]; ");
}

TEST(Inline, NewNamesDoNotClash) {
  proto::Model message = emptyModel();
  addLeaky(message);
  addNode(*message.mutable_graph(), "Abs", {"x"}, {"c/x"});
  addCall(message, "leaky", {"c/x"}, {"t"}).set_name("c");
  addCall(message, "leaky", {"t"}, {"y"}).set_name("c");
  EXPECT_EQ(inlined(message), "c/x = Abs(x); c/x_2 = Relu(c/x); t = LeakyRelu(c/x_2) alpha=0.5; "
                              "c/x_3 = Relu(t); y = LeakyRelu(c/x_3) alpha=0.5; ");
}

TEST(Inline, AbsentInputsAndOutputsAndCopies) {
  proto::Model message = emptyModel();
  proto::Function &function = addLocal(message, "f");
  for (const char *name : {"a", "low"})
    function.add_input(name);
  for (const char *name : {"a", "b", "c"})
    function.add_output(name);
  addNode(function, "Clip", {"a", "low"}, {"b"});
  addNode(function, "Relu", {"b"}, {"c"});
  addCall(message, "f", {"x"}, {"y", "", "z"});
  EXPECT_EQ(inlined(message), "f_0/b = Clip(x, ); z = Relu(f_0/b); y = Identity(x); ");
}

TEST(Inline, WrongCallsAreErrors) {
  proto::Model message = emptyModel();
  addLeaky(message);
  addAttribute(addCall(message, "leaky", {"x"}, {"y"}), "slope", AttributeKind::Int).set_i(1);
  EXPECT_THAT(inlined(message),
              HasSubstr("m.onnx: graph 'main', node 0 (leaky): the attribute 'slope' has type INT"));
  message.mutable_graph()->mutable_node(0)->add_input("x");
  EXPECT_THAT(inlined(message), HasSubstr("found 2 inputs and 1 outputs, but the function has 1 and 1"));
}

TEST(Inline, NodesKeepAnotherOpset) {
  proto::Model message = emptyModel();
  addLeaky(message);
  addCall(message, "leaky", {"x"}, {"y"});
  message.mutable_functions(0)->mutable_opset_import(0)->set_version(15);
  Result<Model> model = inlineFunctions(readGood(message), "m.onnx");
  ASSERT_TRUE(model) << model.diagnostics().text();
  EXPECT_EQ(model->graph.nodes[0].opset, std::nullopt); // Relu is the same in both
  EXPECT_EQ(model->graph.nodes[1].opset, 15);
}

TEST(Inline, CallsOfOpsStay) {
  proto::Model message = emptyModel();
  addLeaky(message);
  message.mutable_functions(0)->set_domain("com.microsoft");
  message.mutable_functions(0)->set_name("Gelu");
  proto::OperatorSetId &import = *message.add_opset_import();
  import.set_domain("com.microsoft");
  import.set_version(1);
  addCall(message, "Gelu", {"x"}, {"y"}).set_domain("com.microsoft");
  Result<Model> model = inlineFunctions(readGood(message), "m.onnx");
  ASSERT_TRUE(model) << model.diagnostics().text();
  EXPECT_EQ(textOf(model->graph.nodes), "y = Gelu(x); ");
  EXPECT_EQ(textOf(model->graph.nodes[0].expansion),
            "Gelu_0/x = Relu(x); y = LeakyRelu(Gelu_0/x) alpha=0.5; ");
}

TEST(Inline, ExponentialGrowthIsAnError) {
  proto::Model message = emptyModel();
  for (int i = 0; i < 40; ++i) {
    proto::Function &function = addLocal(message, "f" + std::to_string(i));
    function.add_input("a");
    function.add_output("c");
    for (auto [input, output] : {std::pair("a", "b"), std::pair("b", "c")}) {
      proto::Node &node =
          addNode(function, i == 39 ? "Relu" : "f" + std::to_string(i + 1), {input}, {output});
      node.set_domain(i == 39 ? "" : "local");
    }
  }
  addCall(message, "f0", {"x"}, {"y"});
  auto errors = [&] { return inlineFunctions(readGood(message), "m.onnx", 1000).diagnostics().text(); };
  EXPECT_THAT(errors(), HasSubstr("more than 1000 nodes and calls with the nodes of functions"));
  // The same for calls that end in a function without nodes.
  message.mutable_functions(39)->clear_node();
  for (proto::Function &function : *message.mutable_functions()) {
    function.clear_output();
    for (proto::Node &node : *function.mutable_node()) {
      node.clear_output();
      node.set_input(0, "a");
    }
  }
  message.mutable_graph()->mutable_node(0)->clear_output();
  message.mutable_graph()->clear_output();
  EXPECT_THAT(errors(), HasSubstr("more than 1000 nodes and calls"));
}

} // namespace
