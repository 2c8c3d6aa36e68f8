#include "translator/onnx/WriteModel.h"
#include "test/unit/onnx/OnnxTesting.h"
#include "test/unit/params/ParamsTesting.h"
#include "translator/onnx/TensorReader.h"

#include <gmock/gmock.h>

using namespace proa;
using namespace proa::onnx;
using params::TemporaryFolder;
using testing::HasSubstr;

namespace {

/// A model with every part that a file can have.
proto::Model fullModel() {
  proto::Model message = reluModel();
  message.set_producer_name("test");
  message.set_doc_string("doc");
  message.add_metadata_props()->set_key("k");
  proto::Graph &graph = *message.mutable_graph();
  proto::Node &node = addNode(graph, "If", {"x"}, {"z"});
  node.set_doc_string("train.py:3");
  proto::Graph &branch = *addAttribute(node, "then_branch", AttributeKind::Graph).mutable_g();
  branch.set_name("then");
  addNode(branch, "Relu", {"x"}, {"inner"});
  branch.add_output()->set_name("inner");
  addAttribute(node, "f", AttributeKind::Float).set_f(0);
  addAttribute(node, "i", AttributeKind::Int).set_i(-3);
  addAttribute(node, "s", AttributeKind::String).set_s(std::string("\0\xFF", 2));
  addAttribute(node, "fs", AttributeKind::Floats).add_floats(0.5f);
  addAttribute(node, "is", AttributeKind::Ints).add_ints(INT64_MIN);
  addAttribute(node, "ss", AttributeKind::Strings).add_strings("");
  addAttribute(node, "tp", AttributeKind::Type).mutable_tp()->mutable_opaque_type()->set_name("o");
  addAttribute(node, "tps", AttributeKind::Types).add_type_protos()->mutable_sequence_type();
  for (DataType type : {DataType::Int4, DataType::UInt2, DataType::Float6E2M3, DataType::Float8E4M3FNUZ}) {
    proto::Tensor &tensor = addTensor(message, type, {3});
    tensor.set_name(std::string(nameOf(type)));
    tensor.set_raw_data(std::string(*rawBytes(type, 3), 1));
  }
  addTensor(message, DataType::String, {1}).add_string_data("text");
  proto::TensorAnnotation &annotation = *graph.add_quantization_annotation();
  annotation.set_tensor_name("x");
  annotation.add_quant_parameter_tensor_names()->set_key("SCALE_TENSOR");
  proto::Function &function = *message.add_functions();
  function.set_name("f");
  function.set_domain("local");
  function.set_overload("o");
  function.add_attribute("a");
  return message;
}

TEST(WriteModel, ReadsBackEqual) {
  Model model = readGood(fullModel());
  auto bytes = serialize(model);
  ASSERT_TRUE(bytes);
  auto again = readModelBytes(std::as_bytes(std::span(*bytes)), "m.onnx");
  ASSERT_TRUE(again) << again.diagnostics().text();
  EXPECT_TRUE(*again == model);
  EXPECT_EQ(*serialize(*again), *bytes);
  again->graph.nodes[0].name = "other";
  EXPECT_FALSE(*again == model);
}

TEST(WriteModel, UnknownFieldsSurvive) {
  proto::Model message = reluModel();
  // Device configurations: field 26 of a model, field 10 of a node.
  const std::string inModel("\xD2\x01\x03\x0A\x01g", 6), inNode("\x52\x03\x0A\x01g", 5);
  *message.mutable_unknown_fields() = inModel;
  *message.mutable_graph()->mutable_node(0)->mutable_unknown_fields() = inNode;
  Model model = readGood(message);
  EXPECT_EQ(model.unknownFields, inModel);
  EXPECT_EQ(model.graph.nodes[0].unknownFields, inNode);
  EXPECT_EQ(*serialize(model), message.SerializeAsString());
}

TEST(WriteModel, LargeInitializersAreExternal) {
  TemporaryFolder folder;
  Model model = readGood(reluModel());
  for (int64_t size : {1, 1000, 3}) {
    TensorValue value;
    value.name = "w" + std::to_string(model.graph.initializers.size());
    value.type = DataType::Float;
    value.dims = {size};
    value.elements = Tensor(DType::Float32, {size});
    for (int64_t i = 0; i < size; ++i)
      value.elements.as<float>()[i] = static_cast<float>(i);
    model.graph.initializers.push_back(value);
  }
  std::string path = folder.path("m.onnx");
  ASSERT_TRUE(writeModel(model, path, {.externalFrom = 12}));
  EXPECT_EQ(std::filesystem::file_size(folder.path("m.onnx.data")), 4096u + 12u);
  auto again = readModel(path);
  ASSERT_TRUE(again) << again.diagnostics().text();
  EXPECT_TRUE(*again == model);
  // The file that it was read from may be replaced.
  ASSERT_TRUE(writeModel(*again, path, {.externalFrom = 4000}));
  EXPECT_EQ(std::filesystem::file_size(folder.path("m.onnx.data")), 4000u);
  again = readModel(path);
  ASSERT_TRUE(again) << again.diagnostics().text();
  EXPECT_TRUE(*again == model);
}

TEST(WriteModel, FolderWithoutAccessIsAnError) {
  Result<void> written = writeModel(readGood(reluModel()), "/nowhere/m.onnx");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.diagnostics().text(), HasSubstr("/nowhere/m.onnx"));
}

} // namespace
