#include "lib/check/CaseFolder.h"
#include "test/unit/onnx/OnnxTesting.h"
#include "test/unit/params/ParamsTesting.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

using namespace proa;
using namespace proa::check;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

namespace fs = std::filesystem;

/// A folder nets/relu with the model y = Relu(x) and a data set.
class CaseFolder : public testing::Test {
protected:
  CaseFolder() {
    fs::create_directories(dataSet);
    writeModel(onnx::reluModel());
    write("test_data_set_0/input_0.pb", floats({-1, 2}).SerializeAsString());
    write("test_data_set_0/output_0.pb", floats({0, 2}).SerializeAsString());
  }

  static onnx::proto::Tensor floats(std::initializer_list<float> values) {
    onnx::proto::Tensor tensor;
    tensor.set_data_type(1);
    tensor.add_dims(static_cast<int64_t>(values.size()));
    for (float value : values)
      tensor.add_float_data(value);
    return tensor;
  }

  void write(const std::string &name, const std::string &bytes) {
    std::ofstream(parent + "/" + name, std::ios::binary) << bytes;
  }
  void writeModel(const onnx::proto::Model &model, const std::string &name = "model.onnx") {
    write(name, model.SerializeAsString());
  }

  std::string errors() {
    Result<CaseTensors> tensors = readCaseTensors(dataSet);
    EXPECT_FALSE(tensors);
    return tensors ? "" : tensors.diagnostics().text();
  }

  params::TemporaryFolder root;
  std::string parent = root.path("nets/relu");
  std::string dataSet = parent + "/test_data_set_0";
};

TEST_F(CaseFolder, DataSetIsCase) {
  EXPECT_THAT(caseFoldersIn(root.path("")), ElementsAre(dataSet));
  EXPECT_THAT(caseFoldersIn(dataSet), ElementsAre(dataSet));
  EXPECT_EQ(*modelOfCase(dataSet), parent + "/model.onnx");
  Result<CaseMeta> meta = readCase(dataSet);
  ASSERT_TRUE(meta) << meta.diagnostics().text();
  EXPECT_EQ(meta->name, "nets/relu/test_data_set_0");
  EXPECT_EQ(meta->opHistogram.at("Relu"), 1);
  EXPECT_DOUBLE_EQ(meta->ruleFor("y").rtol, 1e-3);
  EXPECT_DOUBLE_EQ(meta->ruleFor("y").atol, 1e-7);
  Result<CaseTensors> tensors = readCaseTensors(dataSet);
  ASSERT_TRUE(tensors) << tensors.diagnostics().text();
  EXPECT_THAT(params::valuesOf<float>(tensors->inputs.at("x")), ElementsAre(-1, 2));
  EXPECT_THAT(params::valuesOf<float>(tensors->expected.at("y")), ElementsAre(0, 2));
}

TEST_F(CaseFolder, DataFileHasTolerances) {
  write("data.json", R"({"rtol": 0.5, "atol": 0.25})");
  Result<CaseMeta> meta = readCase(dataSet);
  ASSERT_TRUE(meta) << meta.diagnostics().text();
  EXPECT_DOUBLE_EQ(meta->rtol, 0.5);
  EXPECT_DOUBLE_EQ(meta->atol, 0.25);
  write("data.json", R"({"rtol": "wide"})");
  EXPECT_THAT(readCase(dataSet).diagnostics().text(), HasSubstr("data.json: rtol: found \"wide\""));
}

TEST_F(CaseFolder, StringsAreBytes) {
  onnx::proto::Tensor strings;
  strings.set_data_type(8);
  strings.add_dims(3);
  for (const char *text : {"ab", "", "\xc3\xbc"})
    strings.add_string_data(text);
  write("test_data_set_0/input_0.pb", strings.SerializeAsString());
  Result<CaseTensors> tensors = readCaseTensors(dataSet);
  ASSERT_TRUE(tensors) << tensors.diagnostics().text();
  const Tensor &x = tensors->inputs.at("x");
  EXPECT_THAT(x.dims(), ElementsAre(3, 2));
  EXPECT_THAT(params::valuesOf<uint8_t>(x), ElementsAre('a', 'b', 0, 0, 0xc3, 0xbc));
}

TEST_F(CaseFolder, Bfloat16HasWiderTolerance) {
  onnx::proto::Model model = onnx::reluModel();
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(16);
  writeModel(model);
  EXPECT_DOUBLE_EQ(readCase(dataSet)->ruleFor("y").rtol, 1.0 / 64);
}

TEST_F(CaseFolder, InitializerIsNotFed) {
  onnx::proto::Model model = onnx::reluModel();
  model.mutable_graph()->clear_input();
  onnx::setInfo(*model.mutable_graph()->add_input(), "w");
  onnx::setInfo(*model.mutable_graph()->add_input(), "x");
  onnx::addTensor(model, onnx::DataType::Float, {1}).add_float_data(1);
  writeModel(model);
  Result<CaseTensors> tensors = readCaseTensors(dataSet);
  ASSERT_TRUE(tensors) << tensors.diagnostics().text();
  EXPECT_EQ(tensors->inputs.size(), 1u);
  EXPECT_TRUE(tensors->inputs.contains("x"));
}

TEST_F(CaseFolder, OnlyModelMayHaveAnyName) {
  fs::rename(parent + "/model.onnx", parent + "/relu.onnx");
  EXPECT_EQ(*modelOfCase(dataSet), parent + "/relu.onnx");
  writeModel(onnx::reluModel(), "other.onnx");
  EXPECT_THAT(modelOfCase(dataSet).diagnostics().text(),
              HasSubstr("other.onnx, " + parent + "/relu.onnx], expected model.onnx or one *.onnx"));
}

TEST_F(CaseFolder, ReportsAllErrorsAtOnce) {
  onnx::proto::Tensor incomplete;
  incomplete.set_data_type(8);
  incomplete.add_dims(1);
  write("test_data_set_0/input_0.pb", incomplete.SerializeAsString());
  write("test_data_set_0/input_1.pb", "");
  fs::remove(dataSet + "/output_0.pb");
  std::string text = errors();
  EXPECT_THAT(text, HasSubstr("1 elements are missing"));
  EXPECT_THAT(text, HasSubstr("input_1.pb: found a value of input 1, expected at most 1"));
  EXPECT_THAT(text, HasSubstr("test_data_set_0: found no output"));
}

} // namespace
