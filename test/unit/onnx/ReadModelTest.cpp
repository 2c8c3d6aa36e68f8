#include "test/unit/onnx/OnnxTesting.h"
#include "test/unit/params/ParamsTesting.h"
#include "translator/onnx/Parameters.h"
#include "translator/onnx/TensorReader.h"

#include <gmock/gmock.h>

#include <fstream>

using namespace proa;
using namespace proa::onnx;
using params::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The elements of a tensor in a model, after a check of its type.
template <class T> std::vector<T> elementsOf(const proto::Model &message, const std::string &expected) {
  Model model = readGood(message);
  if (model.graph.initializers.size() != 1)
    return {};
  const Tensor &tensor = model.graph.initializers[0].elements;
  EXPECT_EQ(tensor.describe(), expected);
  return params::valuesOf<T>(tensor);
}

TEST(ReadModel, GraphWithAttributes) {
  proto::Model message = reluModel();
  proto::Node &node = addNode(*message.mutable_graph(), "Concat", {"y", "", "y"}, {"z"});
  addAttribute(node, "axis", AttributeKind::Int).set_i(-1);
  addAttribute(node, "names", AttributeKind::Strings).add_strings("a");
  addAttribute(node, "none", AttributeKind::Floats);
  addAttribute(node, "zero", AttributeKind::Int); // as proto3 writes 0
  Model model = readGood(message);
  EXPECT_EQ(model.irVersion, 10);
  EXPECT_EQ(opsetOf(model.opsetImports, "ai.onnx"), 21);
  ASSERT_EQ(model.graph.nodes.size(), 2u);
  const Node &concat = model.graph.nodes[1];
  EXPECT_THAT(concat.inputs, ElementsAre("y", "", "y"));
  EXPECT_EQ(std::get<int64_t>(concat.attribute("axis")->value), -1);
  EXPECT_THAT(std::get<std::vector<std::string>>(concat.attribute("names")->value), ElementsAre("a"));
  EXPECT_EQ(std::get<int64_t>(concat.attribute("zero")->value), 0);
  EXPECT_TRUE(std::get<std::vector<float>>(concat.attribute("none")->value).empty());
  EXPECT_EQ(std::get<std::string>(model.graph.inputs[0].type->dims->at(0).value), "N");
}

TEST(ReadModel, TypesHaveOnnxText) {
  proto::Model message = reluModel();
  proto::ValueInfo &info = *message.mutable_graph()->add_value_info();
  info.set_name("y");
  proto::MapType &map =
      *info.mutable_type()->mutable_optional_type()->mutable_elem_type()->mutable_map_type();
  map.set_key_type(static_cast<int32_t>(DataType::Int64));
  map.mutable_value_type()
      ->mutable_sequence_type()
      ->mutable_elem_type()
      ->mutable_tensor_type()
      ->set_elem_type(16);
  EXPECT_EQ(readGood(message).graph.valueInfos[0].type->text(),
            "optional(map(int64, seq(tensor(bfloat16))))");
}

TEST(ReadModel, TypedFields) {
  proto::Model message = reluModel();
  proto::Tensor &tensor = addTensor(message, DataType::Int8, {3});
  for (int index : {-128, 0, 127})
    tensor.add_int32_data(index);
  EXPECT_THAT(elementsOf<int8_t>(message, "int8[3]"), ElementsAre(-128, 0, 127));

  tensor.set_data_type(static_cast<int32_t>(DataType::Float16));
  tensor.set_int32_data(0, 0x3C00);
  tensor.set_int32_data(2, 0xC000);
  EXPECT_THAT(elementsOf<uint16_t>(message, "float16[3]"), ElementsAre(0x3C00, 0, 0xC000));

  message = reluModel();
  proto::Tensor &complex = addTensor(message, DataType::Complex64, {1});
  complex.add_float_data(1.5f);
  complex.add_float_data(-2);
  Model model = readGood(message);
  EXPECT_EQ(model.graph.initializers[0].elements.dtype(), DType::Complex64);
  EXPECT_EQ(model.graph.initializers[0].elements.as<float>()[1], -2);

  message = reluModel();
  addTensor(message, DataType::UInt32, {1}).add_uint64_data(0xFFFFFFFFu);
  EXPECT_THAT(elementsOf<uint32_t>(message, "uint32[1]"), ElementsAre(0xFFFFFFFFu));

  message = reluModel();
  addTensor(message, DataType::String, {1}).add_string_data("text");
  EXPECT_THAT(readGood(message).graph.initializers[0].strings, ElementsAre("text"));
}

TEST(ReadModel, RawElements) {
  proto::Model message = reluModel();
  addTensor(message, DataType::Double, {2}).set_raw_data(params::bytesOf({1.0, -2.5}));
  EXPECT_THAT(elementsOf<double>(message, "float64[2]"), ElementsAre(1.0, -2.5));
}

// The layouts follow from the comments of ONNX's own onnx.proto.
TEST(ReadModel, PackedElements) {
  auto read = [](DataType type, int64_t count, const std::string &bytes) {
    proto::Model message = reluModel();
    addTensor(message, type, {count}).set_raw_data(bytes);
    Model model = readGood(message);
    EXPECT_EQ(packed(type, model.graph.initializers[0].elements), bytes);
    return params::valuesOf<int8_t>(model.graph.initializers[0].elements);
  };
  EXPECT_THAT(read(DataType::Int4, 3, "\x7F\x08"), ElementsAre(-1, 7, -8));
  EXPECT_THAT(read(DataType::UInt4, 3, "\x7F\x08"), ElementsAre(15, 7, 8));
  EXPECT_THAT(read(DataType::Float4E2M1, 1, "\x0F"), ElementsAre(15));
  EXPECT_THAT(read(DataType::UInt2, 5, "\xE4\x01"), ElementsAre(0, 1, 2, 3, 1));
  EXPECT_THAT(read(DataType::Int2, 4, "\xE4"), ElementsAre(0, 1, -2, -1));
  // x0 | (x1 & 3) << 6, x1 >> 2 | (x2 & 15) << 4, x2 >> 4 | x3 << 2 for 1, 2, 48, 63
  EXPECT_THAT(read(DataType::Float6E2M3, 4, std::string("\x81\x00\xFF", 3)), ElementsAre(1, 2, 48, 63));
}

TEST(ReadModel, PackedElementsInNumbers) {
  proto::Model message = reluModel();
  proto::Tensor &tensor = addTensor(message, DataType::Int4, {3});
  tensor.add_int32_data(0x7F);
  tensor.add_int32_data(0x08);
  EXPECT_THAT(elementsOf<int8_t>(message, "int8[3]"), ElementsAre(-1, 7, -8));

  message = reluModel();
  addTensor(message, DataType::Float6E3M2, {1}).add_int32_data(63);
  EXPECT_THAT(elementsOf<uint8_t>(message, "uint8[1]"), ElementsAre(63));
}

TEST(ReadModel, WrongElementsAreErrors) {
  auto errors = [](DataType type, std::initializer_list<int64_t> dims, auto set) {
    proto::Model message = reluModel();
    set(addTensor(message, type, dims));
    return errorsOf(message);
  };
  EXPECT_THAT(errors(DataType::Float, {2}, [](proto::Tensor &t) { t.add_float_data(1); }),
              HasSubstr("m.onnx: graph 'main', tensor 'w': found 1 numbers in float_data, expected 2"));
  EXPECT_THAT(errors(DataType::Float, {2}, [](proto::Tensor &t) { t.set_raw_data("1234567"); }),
              HasSubstr("found 7 bytes of elements, expected 8 for 2 of type float"));
  EXPECT_THAT(errors(DataType::Float, {1}, [](proto::Tensor &t) { t.add_int64_data(1); }),
              HasSubstr("elements of type float are in int64_data, expected float_data or raw_data"));
  EXPECT_THAT(errors(DataType::UInt8, {1}, [](proto::Tensor &t) { t.add_int32_data(256); }),
              HasSubstr("number 0 in int32_data is 256, expected 0 to 255 for uint8"));
  EXPECT_THAT(errors(DataType::Bool, {1}, [](proto::Tensor &t) { t.set_raw_data("\x02"); }),
              HasSubstr("element 0 is a bool with the value 2"));
  EXPECT_THAT(errors(DataType::String, {1}, [](proto::Tensor &t) { t.set_raw_data("x"); }),
              HasSubstr("strings are in raw_data"));
  EXPECT_THAT(errors(DataType::Float, {1}, [](proto::Tensor &) {}), HasSubstr("1 elements are missing"));
  EXPECT_THAT(errors(DataType::Float, {0}, [](proto::Tensor &t) { t.add_float_data(1); }),
              HasSubstr("the dims have no elements, but float_data is set"));
  EXPECT_THAT(errors(DataType::Float, {-1}, [](proto::Tensor &) {}), HasSubstr("found dims [-1]"));
  EXPECT_THAT(errors(DataType::Float, {int64_t(1) << 40, int64_t(1) << 40}, [](proto::Tensor &) {}),
              HasSubstr("expected sizes whose product fits in memory"));
  EXPECT_THAT(errors(static_cast<DataType>(99), {}, [](proto::Tensor &) {}), HasSubstr("found data_type 99"));
}

TEST(ReadModel, ExternalDataIsMapped) {
  TemporaryFolder folder;
  std::string content(4096, '\0');
  float values[] = {1, 2, 3};
  content.append(reinterpret_cast<const char *>(values), sizeof values);
  folder.file("weights", content);
  proto::Model message = reluModel();
  proto::Tensor &tensor = addTensor(message, DataType::Float, {3});
  tensor.set_data_location(1);
  auto set = [&](const char *key, const char *value) {
    proto::Entry &entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  };
  set("location", "weights");
  set("offset", "4096");
  auto model = readModel(folder.file("m.onnx", message.SerializeAsString()));
  ASSERT_TRUE(model) << model.diagnostics().text();
  EXPECT_THAT(params::valuesOf<float>(model->graph.initializers[0].elements), ElementsAre(1, 2, 3));
  set("length", "8");
  EXPECT_THAT(errorsOf(message, folder.path("")), HasSubstr("found 8 bytes of elements, expected 12"));
  set("offset", "4100");
  set("length", "12");
  EXPECT_THAT(errorsOf(message, folder.path("")),
              HasSubstr("its 12 bytes at 4100 end after the external file, which has 4108"));
  set("offset", "-1");
  EXPECT_THAT(errorsOf(message, folder.path("")),
              HasSubstr("external_data has offset '-1', expected a number"));
  EXPECT_THAT(errorsOf(message), HasSubstr("the model is not in a folder"));
}

TEST(ReadModel, ExternalDataBeyond2GiB) {
  TemporaryFolder folder;
  const int64_t offset = int64_t(3) << 30;
  folder.file("weights", "");
  std::filesystem::resize_file(folder.path("weights"), offset); // without blocks on the disk
  float value = 7;
  std::ofstream(folder.path("weights"), std::ios::binary | std::ios::app)
      .write(reinterpret_cast<const char *>(&value), sizeof value);
  proto::Model message = reluModel();
  proto::Tensor &tensor = addTensor(message, DataType::Float, {offset / 4 + 1});
  tensor.set_data_location(1);
  tensor.add_external_data()->set_key("location");
  tensor.mutable_external_data(0)->set_value("weights");
  auto model = readModel(folder.file("m.onnx", message.SerializeAsString()));
  ASSERT_TRUE(model) << model.diagnostics().text();
  EXPECT_EQ(model->graph.initializers[0].elements.as<float>()[offset / 4], 7);
}

TEST(ReadModel, ExternalDataOutsideOfTheFolderIsRefused) {
  TemporaryFolder outer, folder;
  std::string secret = outer.file("secret", "1234");
  std::filesystem::create_symlink(secret, folder.path("link"));
  std::filesystem::create_directory_symlink(std::filesystem::path(secret).parent_path(),
                                            folder.path("linked"));
  auto errors = [&](const std::string &location) {
    proto::Model message = reluModel();
    proto::Tensor &tensor = addTensor(message, DataType::Float, {1});
    tensor.set_data_location(1);
    proto::Entry &entry = *tensor.add_external_data();
    entry.set_key("location");
    entry.set_value(location);
    return errorsOf(message, folder.path(""));
  };
  EXPECT_THAT(errors(secret), HasSubstr("is an absolute path"));
  EXPECT_THAT(errors("a/../../secret"), HasSubstr("contains '..'"));
  EXPECT_THAT(errors("link"), HasSubstr("is a link to outside of the model's folder"));
  EXPECT_THAT(errors("linked/secret"), HasSubstr("is a link to outside of the model's folder"));
  EXPECT_THAT(errors("absent"), HasSubstr("cannot be found"));
  EXPECT_THAT(errors(""), HasSubstr("has no valid name"));
  EXPECT_THAT(errors("."), HasSubstr("found a folder"));
}

TEST(ReadModel, AttributeErrorsHaveLocations) {
  proto::Model message = reluModel();
  proto::Node &node = *message.mutable_graph()->mutable_node(0);
  addAttribute(node, "a", AttributeKind::Int).set_f(1);
  addAttribute(node, "b", AttributeKind::Tensor);
  node.add_attribute()->set_name("c");
  addAttribute(node, "d", static_cast<AttributeKind>(77));
  std::string errors = errorsOf(message);
  std::string at = "m.onnx: graph 'main', node 'r' (Relu), attribute ";
  EXPECT_THAT(errors, HasSubstr(at + "'a': the type is INT, but a value of type FLOAT is set"));
  EXPECT_THAT(errors, HasSubstr(at + "'b': the attribute of type TENSOR has no value"));
  EXPECT_THAT(errors, HasSubstr(at + "'c': the attribute has no type"));
  EXPECT_THAT(errors, HasSubstr(at + "'d': found type 77"));
}

TEST(ReadModel, DamagedFilesAreErrors) {
  std::string bytes = reluModel().SerializeAsString();
  auto read = [](const std::string &part) {
    auto model = readModelBytes(std::as_bytes(std::span(part)), "m.onnx");
    return model ? std::string() : model.diagnostics().text();
  };
  EXPECT_EQ(read(bytes), "");
  EXPECT_THAT(read(""), HasSubstr("the file is empty"));
  for (size_t length = 1; length < bytes.size(); ++length)
    EXPECT_NE(read(bytes.substr(0, length)), "") << length;
  EXPECT_THAT(read("no protobuf"), HasSubstr("not a ModelProto"));
}

TEST(ReadModel, DeepNestingIsAnError) {
  proto::Model message = reluModel();
  proto::Graph *graph = message.mutable_graph();
  for (int depth = 0; depth < 200; ++depth) {
    proto::Node &node = addNode(*graph, "If", {"x"}, {("y" + std::to_string(depth)).c_str()});
    graph = addAttribute(node, "then_branch", AttributeKind::Graph).mutable_g();
    graph->set_name("g");
  }
  EXPECT_THAT(errorsOf(message), HasSubstr("nested too deeply"));
}

TEST(Parameters, NamesAreUnique) {
  auto weights = [](const char *name) {
    TensorValue value;
    value.name = name;
    value.type = DataType::Float;
    value.dims = {100};
    value.elements = Tensor(DType::Float32, {100});
    return value;
  };
  Attribute branch;
  branch.name = "then_branch";
  branch.kind = AttributeKind::Graph;
  branch.value = std::vector<Graph>(1);
  (*branch.mutableGraphs())[0].initializers.push_back(weights("w"));
  Model model;
  model.graph.initializers = {weights("w"), weights("w.1")};
  model.graph.nodes.resize(1);
  model.graph.nodes[0].attributes.push_back(branch);
  std::vector<std::string> names;
  Parameters parameters(model);
  for (const Parameter &parameter : parameters.all())
    names.push_back(parameter.name);
  EXPECT_EQ(names, (std::vector<std::string>{"w", "w.1", "w.2"}));
}

} // namespace
