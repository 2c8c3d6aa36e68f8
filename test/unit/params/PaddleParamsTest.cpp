#include "translator/params/PaddleParams.h"

#include "ParamsTesting.h"
#include "translator/legacy/framework.pb.h"
#include "translator/params/Safetensors.h"

#include <gmock/gmock.h>

using namespace proa;
using namespace proa::params;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

std::string description(legacy::proto::VarType::Type type, std::vector<int64_t> dims) {
  legacy::proto::VarType::TensorDesc message;
  message.set_data_type(type);
  for (int64_t dim : dims)
    message.add_dims(dim);
  return message.SerializeAsString();
}

std::string tensorBytes(const std::string &description, const std::string &data,
                        const std::string &lod = bytesOf<uint64_t>({0})) {
  return bytesOf<uint32_t>({0}) + lod + bytesOf<uint32_t>({0}) +
         bytesOf<int32_t>({static_cast<int32_t>(description.size())}) + description + data;
}

const std::string twoFloats = description(legacy::proto::VarType::FP32, {2});

class PaddleParams : public testing::Test {
protected:
  std::string readBad(const std::string &content, std::vector<std::string> names) {
    auto tensors = readCombinedParams(folder.file("p.pdiparams", content), names);
    EXPECT_FALSE(tensors);
    return tensors ? "" : tensors.diagnostics().text();
  }

  TemporaryFolder folder;
};

TEST_F(PaddleParams, AgreesWithSafetensorsOfTheCorpus) {
  size_t files = 0;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(PROA_CORPUS_DIR)) {
    if (entry.path().extension() != ".pdiparams")
      continue;
    SCOPED_TRACE(entry.path().string());
    fs::path sameTensors = fs::path(entry.path()).replace_extension(".safetensors");
    if (!fs::exists(sameTensors)) // a model folder as users have it
      continue;
    auto expected = readSafetensors(sameTensors.string());
    ASSERT_TRUE(expected) << expected.diagnostics().text();
    std::vector<std::string> names;
    for (const auto &[name, tensor] : *expected)
      names.push_back(name);
    auto combined = readCombinedParams(entry.path().string(), names);
    ASSERT_TRUE(combined) << combined.diagnostics().text();
    ASSERT_EQ(combined->size(), expected->size());
    for (const auto &[name, tensor] : *expected)
      expectSame(combined->at(name), tensor);
    ++files;
  }
  EXPECT_EQ(files, 64u);
}

TEST_F(PaddleParams, WritesSameBytesAsPaddle) {
  for (const char *model : {"models/vision/lenet", "models/nlp/tinybert"}) {
    SCOPED_TRACE(model);
    std::string file = std::string(PROA_CORPUS_DIR) + "/" + model + "/params.pdiparams";
    auto tensors = readSafetensors(fs::path(file).replace_extension(".safetensors").string());
    ASSERT_TRUE(tensors) << tensors.diagnostics().text();
    std::vector<Tensor> ordered;
    for (const auto &[name, tensor] : *tensors)
      ordered.push_back(tensor);
    std::string written = folder.path("written.pdiparams");
    ASSERT_TRUE(writeCombinedParams(written, ordered));
    EXPECT_EQ(*readFile(written), *readFile(file));
  }
}

TEST_F(PaddleParams, UnwritableParametersAreErrors) {
  Tensor tensor(DType::Float32, {1});
  auto written = writeCombinedParams(folder.path("none/p.pdiparams"), std::span(&tensor, 1));
  EXPECT_THAT(written.diagnostics().text(), HasSubstr("none/p.pdiparams"));
}

TEST_F(PaddleParams, LodIsSkipped) {
  std::string lod = bytesOf<uint64_t>({1, 16, 0, 2});
  auto tensors = readCombinedParams(folder.file("p", tensorBytes(twoFloats, bytesOf<float>({1, 2}), lod)),
                                    std::vector<std::string>{"x"});
  ASSERT_TRUE(tensors) << tensors.diagnostics().text();
  EXPECT_EQ(valuesOf<float>(tensors->at("x")), (std::vector<float>{1, 2}));
}

TEST_F(PaddleParams, FewerAndMoreTensorsThanNames) {
  std::string one = tensorBytes(twoFloats, bytesOf<float>({1, 2}));
  EXPECT_THAT(readBad(one, {"x", "y"}), HasSubstr("found 1 tensors, expected 2 (the next is 'y')"));
  EXPECT_THAT(readBad(one + one, {"x"}), HasSubstr("expected 1 tensors, but 32 bytes follow the last"));
  EXPECT_THAT(readBad("x", {}), HasSubstr("expected 0 tensors, but 1 bytes follow"));
}

TEST_F(PaddleParams, EveryTruncationIsReported) {
  std::string one = tensorBytes(twoFloats, bytesOf<float>({1, 2}));
  for (size_t size = 0; size < one.size(); ++size)
    EXPECT_THAT(readBad(one.substr(0, size), {"weight"}), HasSubstr("'weight'")) << size;
}

TEST_F(PaddleParams, DamagedTensors) {
  std::string data = bytesOf<float>({1, 2});
  EXPECT_THAT(readBad(bytesOf<uint32_t>({9}) + std::string(60, '\0'), {"x"}),
              HasSubstr("tensor 'x', at byte 4: found version 9, expected 0"));
  EXPECT_THAT(readBad(tensorBytes(twoFloats, data, bytesOf<uint64_t>({1, UINT64_MAX})), {"x"}),
              HasSubstr("LoD level 0 has 18446744073709551615 bytes"));
  EXPECT_THAT(readBad(tensorBytes(twoFloats, data, bytesOf<uint64_t>({UINT64_MAX, 0})), {"x"}),
              HasSubstr("LoD level 1 has"));
  EXPECT_THAT(readBad(tensorBytes("\xFF\xFF", data), {"x"}), HasSubstr("the description is damaged"));
  EXPECT_THAT(readBad(tensorBytes("", data), {"x"}), HasSubstr("the description is damaged"));
  EXPECT_THAT(readBad(tensorBytes(description(legacy::proto::VarType::STRINGS, {2}), data), {"x"}),
              HasSubstr("found elements of type STRINGS"));
  EXPECT_THAT(readBad(tensorBytes(description(legacy::proto::VarType::FP32, {3}), data), {"x"}),
              HasSubstr("float32[3] does not fit the 8 bytes left"));
  EXPECT_THAT(readBad(tensorBytes(description(legacy::proto::VarType::FP32, {-1}), data), {"x"}),
              HasSubstr("float32[-1] does not fit"));
  EXPECT_THAT(readBad(tensorBytes(description(legacy::proto::VarType::FP64, {INT64_MAX, 1}), data), {"x"}),
              HasSubstr("does not fit"));
}

TEST_F(PaddleParams, OneFileForEachVariable) {
  folder.file("a", tensorBytes(twoFloats, bytesOf<float>({1, 2})));
  folder.file("b", tensorBytes(twoFloats, bytesOf<float>({3, 4})));
  auto tensors = readSeparateParams(folder.path(""), std::vector<std::string>{"a", "b"});
  ASSERT_TRUE(tensors) << tensors.diagnostics().text();
  EXPECT_EQ(valuesOf<float>(tensors->at("b")), (std::vector<float>{3, 4}));
  auto missing = readSeparateParams(folder.path(""), std::vector<std::string>{"a", "no1", "no2"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.diagnostics().size(), 2u);
}

} // namespace
