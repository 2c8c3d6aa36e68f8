#include "translator/onnx/ReadValue.h"
#include "test/unit/onnx/OnnxTesting.h"
#include "test/unit/params/ParamsTesting.h"

#include <gmock/gmock.h>

#include <fstream>

using namespace proa;
using namespace proa::onnx;
using params::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Type tensorType() {
  Type type;
  type.kind = Type::Kind::Tensor;
  type.elementType = DataType::Float;
  return type;
}

Type typeOf(Type::Kind kind, Type element) {
  Type type;
  type.kind = kind;
  type.element.push_back(std::move(element));
  return type;
}

/// Writes `bytes` to a file and reads it as a value of this type.
Result<Value> readValueBytes(const std::string &bytes, const Type &type) {
  TemporaryFolder folder;
  std::string path = folder.path("input_0.pb");
  std::ofstream(path, std::ios::binary) << bytes;
  return readValue(path, type);
}

Value readGoodValue(const std::string &bytes, const Type &type) {
  Result<Value> value = readValueBytes(bytes, type);
  EXPECT_TRUE(value) << (value ? "" : value.diagnostics().text());
  return value ? *value : Value();
}

void setFloats(proto::Tensor &tensor, std::initializer_list<float> values) {
  tensor.set_data_type(1);
  tensor.add_dims(static_cast<int64_t>(values.size()));
  for (float value : values)
    tensor.add_float_data(value);
}

TEST(ReadValue, Tensor) {
  proto::Tensor tensor;
  setFloats(tensor, {1, 2});
  Value value = readGoodValue(tensor.SerializeAsString(), tensorType());
  EXPECT_EQ(value.kind, Type::Kind::Tensor);
  EXPECT_THAT(params::valuesOf<float>(value.tensor.elements), ElementsAre(1, 2));
}

TEST(ReadValue, SequenceOfTensors) {
  proto::Sequence sequence;
  sequence.set_elem_type(1);
  setFloats(*sequence.add_tensor_values(), {1});
  setFloats(*sequence.add_tensor_values(), {2, 3});
  Value value = readGoodValue(sequence.SerializeAsString(), typeOf(Type::Kind::Sequence, tensorType()));
  ASSERT_EQ(value.elements.size(), 2u);
  EXPECT_THAT(params::valuesOf<float>(value.elements[1].tensor.elements), ElementsAre(2, 3));
}

TEST(ReadValue, OptionalOfSequence) {
  proto::Optional optional;
  optional.set_elem_type(3);
  setFloats(*optional.mutable_sequence_value()->add_tensor_values(), {4});
  Type sequence = typeOf(Type::Kind::Sequence, tensorType());
  Value value = readGoodValue(optional.SerializeAsString(), typeOf(Type::Kind::Optional, sequence));
  ASSERT_EQ(value.elements.size(), 1u);
  EXPECT_EQ(value.elements[0].kind, Type::Kind::Sequence);
  EXPECT_EQ(value.elements[0].elements.size(), 1u);
}

TEST(ReadValue, OptionalWithoutValue) {
  EXPECT_TRUE(readGoodValue("", typeOf(Type::Kind::Optional, tensorType())).elements.empty());
}

TEST(ReadValue, ElementsOfAnotherKindAreErrors) {
  proto::Sequence sequence;
  sequence.add_map_values();
  EXPECT_THAT(
      readValueBytes(sequence.SerializeAsString(), typeOf(Type::Kind::Sequence, tensorType()))
          .diagnostics()
          .text(),
      HasSubstr("input_0.pb: value: found 0 tensors, 0 sequences, 0 optionals, 1 maps and sparse tensors, "
                "expected elements of a value of type seq(tensor(float))"));
}

TEST(ReadValue, DamagedFilesAreErrors) {
  EXPECT_THAT(readValueBytes("\x08", tensorType()).diagnostics().text(),
              HasSubstr("1 bytes that are not a TensorProto"));
  EXPECT_THAT(readValueBytes("", tensorType()).diagnostics().text(), HasSubstr("found data_type 0"));
  Type map;
  map.kind = Type::Kind::Map;
  EXPECT_THAT(readValueBytes("", map).diagnostics().text(), HasSubstr("cannot be read, expected a tensor"));
  EXPECT_THAT(readValue("missing/input_0.pb", tensorType()).diagnostics().text(),
              HasSubstr("missing/input_0.pb"));
}

} // namespace
