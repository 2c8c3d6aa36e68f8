#include "translator/program/SourceProgram.h"

#include "test/unit/params/ParamsTesting.h"
#include "translator/params/ModelFolder.h"
#include "translator/params/Safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

using namespace proa;
using testing::HasSubstr;

namespace {

const std::string lenet = PROA_CORPUS_DIR "/pir/lenet/program.json";

TEST(SourceProgram, ModelOfTheNewIr) {
  auto program = translator::readProgram(lenet);
  ASSERT_TRUE(program) << program.diagnostics().text();
  EXPECT_EQ(program->legacy(), nullptr);
  ASSERT_TRUE(program->newIr());
  EXPECT_EQ(program->newIr()->operations.size(), 23u);
  EXPECT_EQ(program->newIr()->parameters.size(), 10u);
  EXPECT_EQ(params::savedVariables(*program).size(), 10u);
}

TEST(SourceProgram, LegacyProgramInBothForms) {
  for (const char *file : {"program.json", "program.pdmodel"}) {
    auto program = translator::readProgram(PROA_CORPUS_DIR "/models/nlp/bert/" + std::string(file));
    ASSERT_TRUE(program) << program.diagnostics().text();
    EXPECT_EQ(program->newIr(), nullptr);
    ASSERT_TRUE(program->legacy());
    EXPECT_FALSE(program->legacy()->blocks[0].operations.empty());
  }
}

TEST(SourceProgram, TextOfNeitherFormat) {
  EXPECT_THAT(translator::readProgramText("hello", "x").diagnostics().text(),
              HasSubstr("this is neither JSON"));
  // The name of the new IR alone does not make a model of it.
  EXPECT_THAT(translator::readProgramText("\"base_code\" \"pir\"", "x").diagnostics().text(),
              HasSubstr("this is neither JSON"));
  EXPECT_THAT(translator::readProgram("/nonexistent").diagnostics().text(), HasSubstr("/nonexistent"));
}

TEST(SourceProgram, OnnxModelsAreKnownByTheirName) {
  EXPECT_THAT(translator::readProgramText("hello", "folder/m.onnx").diagnostics().text(),
              HasSubstr("folder/m.onnx: "));
}

TEST(SourceProgram, WeightsOfAnotherTypeAreErrorsInTheNewIr) {
  auto program = translator::readProgram(lenet);
  ASSERT_TRUE(program) << program.diagnostics().text();
  const newir::Parameter &first = program->newIr()->parameters.front();
  Tensor tensor(DType::Int8, {1});
  std::memset(tensor.data(), 0, tensor.bytes());
  params::TemporaryFolder folder;
  params::ModelFiles files;
  files.program = lenet;
  files.weights = folder.path("params.safetensors");
  files.weightsForm = params::WeightsForm::Safetensors;
  ASSERT_TRUE(params::writeSafetensors(files.weights, {{first.name, tensor}}));
  EXPECT_THAT(params::readParameters(files, *program).diagnostics().text(),
              HasSubstr("tensor '" + first.name + "': found int8[1], the program declares float32"));
}

} // namespace
