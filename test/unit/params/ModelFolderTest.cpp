#include "translator/params/ModelFolder.h"

#include "ParamsTesting.h"
#include "translator/params/Safetensors.h"

#include <gmock/gmock.h>

#include <algorithm>

using namespace proa;
using namespace proa::params;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

constexpr const char *oneWeight =
    R"({"blocks":[{"idx":0,"parent_idx":-1,"vars":[{"name":"w","persistable":true,"type":{"type":"DENSE_TENSOR",)"
    R"("dense_tensor":{"tensor":{"data_type":"FP32","dims":["2",-1]}}}}]}]})";

Tensor floats(std::vector<int64_t> dims) {
  Tensor tensor(DType::Float32, std::move(dims));
  std::memset(tensor.data(), 0, tensor.bytes());
  return tensor;
}

TEST(ModelFolder, EveryCaseOfTheCorpusWithWeights) {
  size_t cases = 0;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(PROA_CORPUS_DIR)) {
    fs::path folder = entry.path().parent_path();
    if (entry.path().filename() != "params.safetensors" || folder.string().find("/pir/") != std::string::npos)
      continue;
    SCOPED_TRACE(folder.string());
    auto model = readModelFolder(folder.string());
    ASSERT_TRUE(model) << model.diagnostics().text();
    EXPECT_EQ(model->files.weightsForm, WeightsForm::Safetensors);
    const legacy::Program &legacy = *model->program.legacy();
    // A training program creates some of its persistable variables itself.
    if (std::none_of(
            legacy.blocks[0].operations.begin(), legacy.blocks[0].operations.end(),
            [](const legacy::Operation &operation) { return operation.output("ParamOut") != nullptr; })) {
      EXPECT_EQ(model->parameters.size(), savedVariables(model->program).size());
    }
    ++cases;
  }
  EXPECT_GE(cases, 90u);
}

TEST(ModelFolder, CombinedWeightsOfAPdmodel) {
  std::string folder = PROA_CORPUS_DIR "/models/nlp/bert";
  auto expected = readModelFolder(folder);
  auto model = readModelFolder(folder + "/program.pdmodel", folder + "/params.pdiparams");
  ASSERT_TRUE(model) << model.diagnostics().text();
  ASSERT_TRUE(expected);
  EXPECT_EQ(model->files.weightsForm, WeightsForm::Combined);
  ASSERT_EQ(model->parameters.size(), expected->parameters.size());
  for (const auto &[name, tensor] : expected->parameters)
    expectSame(model->parameters.at(name), tensor);
}

TEST(ModelFolder, GeneratedWeights) {
  auto model = readModelFolder(PROA_CORPUS_DIR "/models/vision/alexnet");
  ASSERT_TRUE(model) << model.diagnostics().text();
  EXPECT_EQ(model->files.weightsForm, WeightsForm::Generated);
  EXPECT_EQ(model->parameters.size(), 16u);
}

TEST(ModelFolder, PlainFolderOfAUser) {
  TemporaryFolder folder;
  fs::copy(PROA_CORPUS_DIR "/models/nlp/bert/program.pdmodel", folder.path("net.pdmodel"));
  fs::copy(PROA_CORPUS_DIR "/models/nlp/bert/params.pdiparams", folder.path("net.pdiparams"));
  folder.file("notes.json", "{}");
  auto model = readModelFolder(folder.path(""));
  ASSERT_TRUE(model) << model.diagnostics().text();
  EXPECT_EQ(model->files.program, folder.path("net.pdmodel"));
  EXPECT_EQ(model->files.weights, folder.path("net.pdiparams"));
  EXPECT_EQ(model->files.meta, "");
  EXPECT_FALSE(model->parameters.empty());
}

/// As model hubs publish a model of Paddle 3: the JSON of the program beside configurations.
TEST(ModelFolder, ProgramBesideConfigurations) {
  TemporaryFolder folder;
  std::string source = PROA_CORPUS_DIR "/reports/model-folder/json-beside-config/";
  for (const char *name : {"inference.json", "inference.pdiparams", "inference.yml", "config.json"})
    fs::copy(source + name, folder.path(name));
  folder.file("generation_config.json", R"({"max_length": 20})");
  auto model = readModelFolder(folder.path(""));
  ASSERT_TRUE(model) << model.diagnostics().text();
  EXPECT_EQ(model->files.program, folder.path("inference.json"));
  EXPECT_EQ(model->files.weights, folder.path("inference.pdiparams"));
  EXPECT_FALSE(model->parameters.empty());
  fs::copy(source + "inference.json", folder.path("teacher.json"));
  EXPECT_EQ(findModel(folder.path(""))->program, folder.path("inference.json"));
}

TEST(ModelFolder, NamesWithoutExtension) {
  TemporaryFolder folder;
  std::string source = PROA_CORPUS_DIR "/reports/model-folder/model-and-params/";
  fs::copy(source + "model", folder.path("model"));
  EXPECT_EQ(findModel(folder.path("model"))->weightsForm, WeightsForm::Separate);
  fs::copy(source + "params", folder.path("params"));
  auto model = readModelFolder(folder.path(""));
  ASSERT_TRUE(model) << model.diagnostics().text();
  EXPECT_EQ(model->files.weights, folder.path("params"));
  EXPECT_EQ(model->files.weightsForm, WeightsForm::Combined);
  EXPECT_FALSE(model->parameters.empty());
}

TEST(ModelFolder, PathWithoutExtension) {
  std::string folder = PROA_CORPUS_DIR "/reports/model-folder/json-beside-config/";
  auto files = findModel(folder + "inference");
  ASSERT_TRUE(files) << files.diagnostics().text();
  EXPECT_EQ(files->program, folder + "inference.json");
  EXPECT_EQ(files->weights, folder + "inference.pdiparams");
  EXPECT_EQ(findModel(PROA_CORPUS_DIR "/models/nlp/bert/program")->program,
            PROA_CORPUS_DIR "/models/nlp/bert/program.pdmodel");
  EXPECT_THAT(findModel(folder + "infer").diagnostics().text(),
              HasSubstr("its path without .pdmodel or .json"));
}

TEST(ModelFolder, ProgramsThatAreNotFound) {
  TemporaryFolder folder;
  EXPECT_THAT(findModel(folder.path("none")).diagnostics().text(), HasSubstr("found no such file or folder"));
  EXPECT_THAT(findModel(folder.path("")).diagnostics().text(), HasSubstr("found no program"));
  folder.file("a.pdmodel", "");
  folder.file("b.pdmodel", "");
  EXPECT_THAT(findModel(folder.path("")).diagnostics().text(), HasSubstr("found several programs"));
  EXPECT_THAT(findModel(folder.path("a.pdmodel"), folder.path("w.txt")).diagnostics().text(),
              HasSubstr("w.txt: found no such file or folder, expected weights"));
  folder.file("w.txt", "");
  EXPECT_THAT(findModel(folder.path("a.pdmodel"), folder.path("w.txt")).diagnostics().text(),
              HasSubstr("expected weights as"));
  folder.file("a.pdparams", "");
  EXPECT_THAT(findModel(folder.path("a.pdmodel"), folder.path("a.pdparams")).diagnostics().text(),
              HasSubstr("a.pdparams: holds Python objects, which proa does not read; expected weights as"));
}

TEST(ModelFolder, WeightsThatDifferFromTheProgram) {
  TemporaryFolder folder;
  folder.file("program.json", oneWeight);
  ASSERT_TRUE(
      writeSafetensors(folder.path("params.safetensors"), {{"w", floats({2, 5})}, {"unknown", floats({1})}}));
  auto good = readModelFolder(folder.path(""));
  ASSERT_TRUE(good) << good.diagnostics().text();
  EXPECT_EQ(good->parameters.size(), 1u);
  EXPECT_EQ(good->program.legacy()->blocks[0].variables[0].declaredAs, "");
  // As in Paddle, weights keep the types of the file.
  ASSERT_TRUE(writeSafetensors(folder.path("params.safetensors"), {{"w", floats({3, 5})}}));
  auto wider = readModelFolder(folder.path(""));
  ASSERT_TRUE(wider) << wider.diagnostics().text();
  const legacy::Variable &variable = wider->program.legacy()->blocks[0].variables[0];
  EXPECT_EQ(variable.declaredAs, "float32[2, -1]");
  EXPECT_EQ(variable.dims, (std::vector<int64_t>{3, 5}));
  ASSERT_TRUE(writeSafetensors(folder.path("params.safetensors"), {{"w", Tensor(DType::Int8, {2, 0})}}));
  auto quantized = readModelFolder(folder.path(""));
  ASSERT_TRUE(quantized) << quantized.diagnostics().text();
  EXPECT_EQ(quantized->program.legacy()->blocks[0].variables[0].dtype, DType::Int8);
}

TEST(ModelFolder, WeightsAreOptional) {
  TemporaryFolder folder;
  folder.file("program.json", oneWeight);
  auto model = readModelFolder(folder.path(""));
  ASSERT_TRUE(model) << model.diagnostics().text();
  EXPECT_TRUE(model->parameters.empty());
}

} // namespace
