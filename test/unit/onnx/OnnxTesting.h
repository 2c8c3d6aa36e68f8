/// Models as messages, for the tests of the ONNX reader.
#pragma once

#include "translator/onnx/ReadModel.h"
#include "translator/onnx/onnx.pb.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace proa::onnx {

/// Adds a node to a graph or a function.
template <class Nodes>
proto::Node &addNode(Nodes &to, const std::string &type, std::initializer_list<const char *> inputs,
                     std::initializer_list<const char *> outputs) {
  proto::Node &node = *to.add_node();
  node.set_op_type(type);
  for (const char *input : inputs)
    node.add_input(input);
  for (const char *output : outputs)
    node.add_output(output);
  return node;
}

/// Sets name and type: a tensor of float with one dim.
inline void setInfo(proto::ValueInfo &info, const std::string &name) {
  info.set_name(name);
  proto::TensorType &type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(1);
  type.mutable_shape()->add_dim()->set_dim_param("N");
}

inline proto::Attribute &addAttribute(proto::Node &node, const std::string &name, AttributeKind kind) {
  proto::Attribute &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(static_cast<int32_t>(kind));
  return attribute;
}

/// A model with the graph 'main' of one node 'r': y = Relu(x).
inline proto::Model reluModel() {
  proto::Model model;
  model.set_ir_version(10);
  model.add_opset_import()->set_version(21);
  proto::Graph &graph = *model.mutable_graph();
  graph.set_name("main");
  setInfo(*graph.add_input(), "x");
  setInfo(*graph.add_output(), "y");
  addNode(graph, "Relu", {"x"}, {"y"}).set_name("r");
  return model;
}

/// Adds a tensor 'w' with dims to the graph.
inline proto::Tensor &addTensor(proto::Model &model, DataType type, std::initializer_list<int64_t> dims) {
  proto::Tensor &tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(static_cast<int32_t>(type));
  for (int64_t dim : dims)
    tensor.add_dims(dim);
  return tensor;
}

inline Result<Model> readMessage(const proto::Model &message, const std::string &folder = "") {
  std::string bytes = message.SerializeAsString();
  return readModelBytes(std::as_bytes(std::span(bytes)), "m.onnx", folder);
}

/// The model of a message that must be valid.
inline Model readGood(const proto::Model &message) {
  auto model = readMessage(message);
  EXPECT_TRUE(model) << (model ? "" : model.diagnostics().text());
  return model ? *model : Model();
}

/// The errors of a message that must have some.
inline std::string errorsOf(const proto::Model &message, const std::string &folder = "") {
  auto model = readMessage(message, folder);
  EXPECT_FALSE(model);
  return model ? "" : model.diagnostics().text();
}

} // namespace proa::onnx
