#include "test/unit/onnx/OnnxTesting.h"

#include <gmock/gmock.h>

using namespace proa;
using namespace proa::onnx;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// Errors of the model with one node after `change`.
template <class Change> std::string errorsAfter(Change change) {
  proto::Model message = reluModel();
  change(message);
  return errorsOf(message);
}

/// A function y = Relu(x) in the domain "local", with a call of it.
proto::Function &addFunction(proto::Model &model, const std::string &name) {
  proto::Function &function = *model.add_functions();
  function.set_name(name);
  function.set_domain("local");
  function.add_input("x");
  function.add_output("y");
  function.add_opset_import()->set_version(21);
  proto::Node &node = *function.add_node();
  node.set_op_type("Relu");
  node.add_input("x");
  node.add_output("y");
  return function;
}

void importLocal(proto::OperatorSetId &import) {
  import.set_domain("local");
  import.set_version(1);
}

proto::Node &addCall(proto::Function &function, const std::string &callee) {
  importLocal(*function.add_opset_import());
  proto::Node &node = *function.add_node();
  node.set_op_type(callee);
  node.set_domain("local");
  node.add_input("x");
  node.add_output("called");
  return node;
}

TEST(Check, Versions) {
  EXPECT_THAT(errorsAfter([](proto::Model &m) { m.clear_ir_version(); }), HasSubstr("no ir_version"));
  EXPECT_THAT(errorsAfter([](proto::Model &m) { m.set_ir_version(99); }),
              HasSubstr("m.onnx: found ir_version 99, expected 14 at most"));
  EXPECT_THAT(errorsAfter([](proto::Model &m) { m.clear_opset_import(); }),
              AllOf(HasSubstr("the model has no opset_import"),
                    HasSubstr("node 'r' (Relu): the domain '' has no opset_import in the model")));
  EXPECT_THAT(errorsAfter([](proto::Model &m) { m.add_opset_import()->set_domain("ai.onnx"); }),
              AllOf(HasSubstr("the domain 'ai.onnx' is imported in the versions 21 and 0, expected one"),
                    HasSubstr("the version of domain 'ai.onnx' is 0")));
}

// The converter of scikit-learn writes such models.
TEST(Check, SameOpsetMayBeImportedTwice) {
  proto::Model message = reluModel();
  message.add_opset_import()->set_version(21);
  EXPECT_EQ(readGood(message).opsetImports.size(), 2u);
}

TEST(Check, MetadataKeysAreUnique) {
  EXPECT_THAT(errorsAfter([](proto::Model &m) {
                m.add_metadata_props()->set_key("k");
                m.add_metadata_props()->set_key("k");
              }),
              HasSubstr("metadata_props has the key 'k' twice"));
}

TEST(Check, NamesAndTypes) {
  EXPECT_THAT(errorsAfter([](proto::Model &m) { m.mutable_graph()->clear_name(); }),
              HasSubstr("graph: the graph has no name"));
  EXPECT_THAT(errorsAfter([](proto::Model &m) { m.mutable_graph()->mutable_input(0)->clear_type(); }),
              HasSubstr("graph 'main', input 'x': the value has no type"));
  EXPECT_THAT(errorsAfter([](proto::Model &m) {
                m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
              }),
              HasSubstr("input 'x': the tensor has no shape"));
  EXPECT_THAT(errorsAfter([](proto::Model &m) { m.mutable_graph()->add_node(); }),
              AllOf(HasSubstr("node 1: the node has no op_type"), HasSubstr("neither inputs nor outputs")));
}

// ONNX Runtime runs such models, which some exporters write.
TEST(Check, OutputsNeedNoShape) {
  proto::Model message = reluModel();
  message.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_FALSE(readGood(message).graph.outputs[0].type->dims);
}

TEST(Check, ValuesAreDefinedOnceAndBeforeUse) {
  EXPECT_THAT(errorsAfter([](proto::Model &m) { addNode(*m.mutable_graph(), "Relu", {"x"}, {"y"}); }),
              HasSubstr("node 1 (Relu): the output 'y' is already defined"));
  EXPECT_THAT(
      errorsAfter([](proto::Model &m) {
        addNode(*m.mutable_graph(), "Relu", {"b"}, {"a"});
        addNode(*m.mutable_graph(), "Relu", {"x"}, {"b"});
      }),
      HasSubstr("node 1 (Relu): the input 'b' is not defined before the node: nodes must be in topological"));
  EXPECT_THAT(errorsAfter([](proto::Model &m) { setInfo(*m.mutable_graph()->add_output(), "z"); }),
              HasSubstr("graph 'main': the output 'z' is not defined in the graph"));
  EXPECT_THAT(errorsAfter([](proto::Model &m) { setInfo(*m.mutable_graph()->add_input(), "x"); }),
              HasSubstr("the input 'x' is defined twice"));
}

TEST(Check, InitializersNeedInputsUpToVersion3) {
  EXPECT_THAT(errorsAfter([](proto::Model &m) {
                m.set_ir_version(3);
                addTensor(m, DataType::Float, {1}).add_float_data(1);
              }),
              HasSubstr("the initializer 'w' is not an input"));
  EXPECT_THAT(errorsAfter([](proto::Model &m) {
                addTensor(m, DataType::Float, {1}).add_float_data(1);
                addTensor(m, DataType::Float, {1}).add_float_data(1);
              }),
              HasSubstr("the initializer 'w' is defined twice"));
}

TEST(Check, SubgraphsSeeOuterValuesAndDoNotShadowThem) {
  proto::Model message = reluModel();
  proto::Node &node = addNode(*message.mutable_graph(), "If", {"x"}, {"z"});
  proto::Graph &branch = *addAttribute(node, "then_branch", AttributeKind::Graph).mutable_g();
  branch.set_name("then");
  addNode(branch, "Relu", {"y"}, {"inner"});
  branch.add_output()->set_name("inner");
  readGood(message);

  addNode(branch, "Relu", {"z"}, {"x"});
  branch.add_output()->set_name("y");
  std::string errors = errorsOf(message),
              at = "graph 'main', node 1 (If), attribute 'then_branch', graph 'then'";
  EXPECT_THAT(errors, HasSubstr(at + ", node 1 (Relu): the input 'z' is not defined\n"));
  EXPECT_THAT(errors, HasSubstr(at + ", node 1 (Relu): the output 'x' is already defined"));
  EXPECT_THAT(errors, HasSubstr(at + ": the output 'y' is not defined in the graph"));
}

TEST(Check, Attributes) {
  EXPECT_THAT(errorsAfter([](proto::Model &m) {
                proto::Node &node = *m.mutable_graph()->mutable_node(0);
                addAttribute(node, "a", AttributeKind::Int).set_i(1);
                addAttribute(node, "a", AttributeKind::Int).set_ref_attr_name("b");
              }),
              AllOf(HasSubstr("attribute 'a': the attribute is there twice"),
                    HasSubstr("it refers to the attribute 'b' of a function, but is not in a function")));
}

TEST(Check, FunctionsReferToTheirAttributes) {
  proto::Model message = reluModel();
  proto::Function &function = addFunction(message, "f");
  function.add_attribute("alpha");
  proto::Node &node = *function.mutable_node(0);
  addAttribute(node, "a", AttributeKind::Float).set_ref_attr_name("alpha");
  readGood(message);
  addAttribute(node, "b", AttributeKind::Float).set_ref_attr_name("beta");
  proto::Attribute &both = addAttribute(node, "c", AttributeKind::Float);
  both.set_ref_attr_name("alpha");
  both.set_f(1);
  EXPECT_THAT(
      errorsOf(message),
      AllOf(HasSubstr("function 'f', node 0 (Relu), attribute 'b': it refers to the attribute 'beta', which"),
            HasSubstr("attribute 'c': it has the value of the attribute 'alpha'")));
}

TEST(Check, FunctionBodies) {
  proto::Model message = reluModel();
  proto::Function &function = addFunction(message, "f");
  function.add_input("x");
  function.add_output("z");
  function.mutable_node(0)->set_domain("other");
  addFunction(message, "f");
  addFunction(message, "f").set_overload("another");
  std::string errors = errorsOf(message);
  EXPECT_THAT(errors, HasSubstr("function 'f': the input 'x' is there twice"));
  EXPECT_THAT(errors, HasSubstr("function 'f': the output 'z' is not defined in the function"));
  EXPECT_THAT(errors, HasSubstr("the domain 'other' has no opset_import in the function"));
  EXPECT_THAT(errors, HasSubstr("the model has two functions 'local::f'"));
  EXPECT_THAT(errors, Not(HasSubstr("local::f:another")));
}

TEST(Check, FunctionsDoNotCallThemselves) {
  proto::Model message = reluModel();
  addCall(addFunction(message, "f"), "g");
  addCall(addFunction(message, "g"), "h");
  addFunction(message, "h");
  readGood(message);
  addCall(*message.mutable_functions(2), "f");
  EXPECT_THAT(errorsOf(message), HasSubstr("the function calls itself: f -> g -> h -> f"));
}

TEST(Check, CallsAreNotDeep) {
  proto::Model message = reluModel();
  for (int i = 0; i < 150; ++i)
    addCall(addFunction(message, "f" + std::to_string(i)), "f" + std::to_string(i + 1));
  EXPECT_THAT(errorsOf(message), HasSubstr("nested deeper than 100 functions"));
}

TEST(Check, SparseTensors) {
  auto errors = [](std::initializer_list<int64_t> dims, std::initializer_list<int64_t> indexDims,
                   std::initializer_list<int64_t> indices) {
    proto::Model message = reluModel();
    proto::SparseTensor &tensor = *message.mutable_graph()->add_sparse_initializer();
    tensor.mutable_values()->set_name("s");
    tensor.mutable_values()->set_data_type(1);
    tensor.mutable_values()->add_dims(2);
    tensor.mutable_values()->add_float_data(1);
    tensor.mutable_values()->add_float_data(2);
    tensor.mutable_indices()->set_data_type(7);
    tensor.mutable_indices()->mutable_dims()->Add(indexDims.begin(), indexDims.end());
    tensor.mutable_indices()->mutable_int64_data()->Add(indices.begin(), indices.end());
    tensor.mutable_dims()->Add(dims.begin(), dims.end());
    auto model = readMessage(message);
    return model ? "" : model.diagnostics().text();
  };
  EXPECT_EQ(errors({3, 3}, {2}, {0, 8}), "");
  EXPECT_EQ(errors({3, 3}, {2, 2}, {0, 2, 1, 0}), "");
  EXPECT_THAT(errors({3, 3}, {2}, {0, 9}), HasSubstr("sparse tensor 's': index 1 is 9, expected 0 to 8"));
  EXPECT_THAT(errors({3, 3}, {2}, {4, 4}), HasSubstr("index 1 is not greater than the one before it"));
  EXPECT_THAT(errors({3, 3}, {2, 2}, {1, 0, 0, 2}), HasSubstr("index 1 is not greater"));
  EXPECT_THAT(errors({3, 3}, {3}, {0, 1, 2}), HasSubstr("expected int64 with dims [2] or [2, 2]"));
  EXPECT_THAT(errors({}, {2}, {0, 1}), HasSubstr("expected one or more positive sizes"));
}

TEST(Check, BindingsOfTraining) {
  proto::Model message = reluModel();
  proto::TrainingInfo &info = *message.add_training_info();
  info.mutable_algorithm()->set_name("step");
  proto::Entry &entry = *info.add_update_binding();
  entry.set_key("w");
  entry.set_value("w_new");
  EXPECT_THAT(errorsOf(message), AllOf(HasSubstr("update_binding binds 'w', which is not an initializer"),
                                       HasSubstr("'w_new', which is not an output")));
}

} // namespace
