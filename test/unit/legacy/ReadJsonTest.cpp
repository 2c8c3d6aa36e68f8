#include "translator/legacy/ReadJson.h"

#include <gmock/gmock.h>

#include <cfloat>
#include <cmath>

using namespace proa;
using namespace proa::legacy;
using testing::HasSubstr;

namespace {

/// A program with one block, with `vars` and `ops` as the contents of its lists.
std::string programText(const std::string &vars, const std::string &ops) {
  return R"({"blocks":[{"idx":0,"parent_idx":-1,"vars":[)" + vars + R"(],"ops":[)" + ops + "]}]}";
}

std::string opWith(const std::string &attribute) {
  return programText("", R"({"type":"t","attrs":[)" + attribute + "]}");
}

Program readGood(const std::string &text) {
  auto program = readJsonText(text, "p.json");
  EXPECT_TRUE(program) << program.diagnostics().text();
  return program ? std::move(*program) : Program();
}

template <class T> T attributeOf(const std::string &attribute) {
  Program program = readGood(opWith(attribute));
  if (program.blocks.empty())
    return T();
  return std::get<T>(program.blocks[0].operations[0].attributes[0].value);
}

/// The errors as text.
std::string readBad(const std::string &text) {
  auto program = readJsonText(text, "p.json");
  EXPECT_FALSE(program);
  return program ? "" : program.diagnostics().text();
}

TEST(ReadJson, VariablesInBothVocabularies) {
  const char *forms[] = {
      R"({"name":"x","type":{"type":"LOD_TENSOR","lod_tensor":{"tensor":{"data_type":"FP32","dims":["-1","4"]},
         "lod_level":1}},"stop_gradient":true})",
      R"({"name":"x","type":{"type":"DENSE_TENSOR","dense_tensor":{"tensor":{"data_type":5,"dims":[-1,4]},
         "legacy_lod_level":1}},"stop_gradient":true})",
      R"({"name":"x","type":{"type":7,"denseTensor":{"tensor":{"dataType":"FP32","dims":["-1",4]},"legacyLodLevel":1}},
         "stopGradient":true})",
      R"({"stopGradient":true,"type":{"lodTensor":{"lodLevel":1,"tensor":{"dims":["-1",4],"dataType":"FP32"}},
         "type":"LOD_TENSOR"},"name":"x","persistable":null})"};
  Variable expected;
  expected.name = "x";
  expected.dtype = DType::Float32;
  expected.dims = {-1, 4};
  expected.lodLevel = 1;
  expected.stopGradient = true;
  for (const char *form : forms) {
    Program program = readGood(programText(form, ""));
    ASSERT_EQ(program.blocks.size(), 1u) << form;
    EXPECT_EQ(program.blocks[0].variables.at(0), expected) << form;
  }
}

TEST(ReadJson, KindsWithoutTensors) {
  Program program = readGood(programText(
      R"({"name":"feed","type":{"type":"FEED_MINIBATCH"},"persistable":true},)"
      R"({"name":"rows","type":{"type":8,"selectedRows":{"data_type":"FP64","dims":["3"]}}},)"
      R"({"name":"list","type":{"type":"LOD_TENSOR_ARRAY","tensor_array":{"tensor":{"data_type":"INT64"}}}})",
      ""));
  const auto &variables = program.blocks.at(0).variables;
  ASSERT_EQ(variables.size(), 3u);
  EXPECT_EQ(variables[0].kind, VariableKind::FeedMinibatch);
  EXPECT_EQ(variables[0].dtype, std::nullopt);
  EXPECT_TRUE(variables[0].persistable);
  EXPECT_EQ(variables[1].kind, VariableKind::SelectedRows);
  EXPECT_EQ(variables[1].dtype, DType::Float64);
  EXPECT_EQ(variables[1].dims, std::vector<int64_t>{3});
  EXPECT_EQ(variables[2].kind, VariableKind::DenseTensorArray);
  EXPECT_TRUE(variables[2].dims.empty());
}

TEST(ReadJson, EveryAttributeType) {
  EXPECT_EQ(attributeOf<int32_t>(R"({"name":"a","type":"INT","i":-7})"), -7);
  EXPECT_EQ(attributeOf<float>(R"({"name":"a","type":1,"f":0.5})"), 0.5f);
  EXPECT_EQ(attributeOf<std::string>(R"({"name":"a","type":"STRING","s":"a\"\u00e9\n"})"), "a\"\xC3\xA9\n");
  EXPECT_EQ(attributeOf<std::vector<int32_t>>(R"({"name":"a","type":"INTS","ints":[1,"2",3.0]})"),
            (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(attributeOf<std::vector<float>>(R"({"name":"a","type":"FLOATS","floats":[1,2.5]})"),
            (std::vector<float>{1, 2.5}));
  EXPECT_EQ(attributeOf<std::vector<std::string>>(R"({"name":"a","type":"STRINGS","strings":["","b"]})"),
            (std::vector<std::string>{"", "b"}));
  EXPECT_EQ(attributeOf<bool>(R"({"name":"a","type":"BOOLEAN","b":true})"), true);
  EXPECT_EQ(attributeOf<std::vector<bool>>(R"({"name":"a","type":"BOOLEANS","bools":[true,false]})"),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(attributeOf<BlockIndex>(R"({"name":"a","type":"BLOCK","block_idx":0})"), BlockIndex{0});
  EXPECT_EQ(attributeOf<int64_t>(R"({"name":"a","type":"LONG","l":"-9223372036854775808"})"), INT64_MIN);
  EXPECT_EQ(attributeOf<BlockIndices>(R"({"name":"a","type":"BLOCKS","blocksIdx":[0,0]})"),
            (BlockIndices{{0, 0}}));
  EXPECT_EQ(
      attributeOf<std::vector<int64_t>>(R"({"name":"a","type":"LONGS","longs":["1",9007199254740993]})"),
      (std::vector<int64_t>{1, 9007199254740993}));
  EXPECT_EQ(attributeOf<std::vector<double>>(R"({"name":"a","type":"FLOAT64S","float64s":[0.1]})"),
            std::vector<double>{0.1});
  EXPECT_EQ(attributeOf<VariableName>(R"({"name":"a","type":"VAR","varName":"x"})"), VariableName{"x"});
  EXPECT_EQ(attributeOf<VariableNames>(R"({"name":"a","type":"VARS","vars_name":["x","y"]})"),
            (VariableNames{{"x", "y"}}));
  EXPECT_EQ(attributeOf<double>(R"({"name":"a","type":"FLOAT64","float64":1e300})"), 1e300);
  EXPECT_EQ(attributeOf<Scalar>(R"({"name":"a","type":"SCALAR","scalar":{"type":"LONG","i":"3"}})"),
            Scalar{int64_t(3)});
  EXPECT_EQ(attributeOf<std::vector<Scalar>>(
                R"({"name":"a","type":"SCALARS","scalars":[{"type":"FLOAT64","r":5.0},
             {"type":1,"b":true},{"type":"COMPLEX128","c":{"r":1,"i":-2}}]})"),
            (std::vector<Scalar>{{5.0}, {true}, {Complex{1, -2}}}));
}

TEST(ReadJson, MissingValuesAreEmptyOrZero) {
  EXPECT_EQ(attributeOf<std::vector<std::string>>(R"({"name":"a","type":"STRINGS"})"),
            std::vector<std::string>());
  EXPECT_EQ(attributeOf<std::vector<int64_t>>(R"({"name":"a","type":"LONGS"})"), std::vector<int64_t>());
  EXPECT_EQ(attributeOf<int32_t>(R"({"name":"a","type":"INT"})"), 0);
  Program program = readGood(R"({"blocks":[{"idx":0,"parentIdx":-1}]})");
  EXPECT_TRUE(program.blocks.at(0).operations.empty());
  EXPECT_EQ(program.blocks[0].forwardBlock, -1);
  EXPECT_EQ(program.version, 0);
}

TEST(ReadJson, FloatsBeyondTheirPrintedRange) {
  EXPECT_EQ(attributeOf<float>(R"({"name":"a","type":"FLOAT","f":3.4028235e+38})"), FLT_MAX);
  EXPECT_EQ(attributeOf<float>(R"({"name":"a","type":"FLOAT","f":-3.4028235e+38})"), -FLT_MAX);
  EXPECT_TRUE(std::isnan(attributeOf<float>(R"({"name":"a","type":"FLOAT","f":"NaN"})")));
  EXPECT_EQ(attributeOf<float>(R"({"name":"a","type":"FLOAT","f":"Infinity"})"), INFINITY);
  EXPECT_EQ(attributeOf<double>(R"({"name":"a","type":"FLOAT64","float64":"-Infinity"})"), -INFINITY);
}

TEST(ReadJson, VersionAndOpVersions) {
  Program program = readGood(R"({"blocks":[{"idx":0,"parent_idx":-1}],"version":{"version":"2006002"},)"
                             R"("opVersionMap":{"pair":[{"op_name":"flip","op_version":{"version":1}}]}})");
  EXPECT_EQ(program.version, 2006002);
  ASSERT_EQ(program.opVersions.size(), 1u);
  EXPECT_EQ(program.opVersions[0], (std::pair<std::string, int32_t>("flip", 1)));
}

TEST(ReadJson, AllErrorsAtOnceWithLocations) {
  std::string diagnostics =
      readBad(programText(R"({"name":"x"},{"name":7,"type":{"type":"FP32"}})",
                          R"({"inputs":[{"arguments":["x",1]}],"attrs":[{"name":"a","type":"WORD"},)"
                          R"({"name":"b","type":"INT","i":4294967296},{"name":"c","type":"INT","f":1},
         {"name":"d","type":"BLOCK"}],"typ":1})"));
  EXPECT_THAT(diagnostics, HasSubstr("p.json: blocks[0].vars[0]: key 'type' is missing"));
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].vars[1].name: found 7, expected a string"));
  EXPECT_THAT(
      diagnostics,
      HasSubstr(
          "blocks[0].vars[1].type.type: found \"FP32\", expected a VarType that is not an element type"));
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].ops[0].inputs[0].arguments[1]: found 1, expected a string"));
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].ops[0].inputs[0]: key 'parameter' is missing"));
  EXPECT_THAT(
      diagnostics,
      HasSubstr(
          "blocks[0].ops[0].attrs[0].type: found \"WORD\", expected the name or number of an AttrType"));
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].ops[0].attrs[1].i: found 4294967296, expected an int32"));
  EXPECT_THAT(diagnostics, HasSubstr("attribute 'c' of type INT has a value in 'f', expected it in 'i'"));
  EXPECT_THAT(diagnostics, HasSubstr("attribute 'd' of type BLOCK has no value"));
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].ops[0]: unknown key 'typ', expected one of type"));
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].ops[0]: key 'type' is missing"));
}

TEST(ReadJson, WrongShapesOfTheFile) {
  EXPECT_THAT(readBad(""), HasSubstr("the file is empty"));
  EXPECT_THAT(readBad("[]"), HasSubstr("found a list, expected an object"));
  EXPECT_THAT(readBad("{}"), HasSubstr("key 'blocks' is missing"));
  EXPECT_THAT(readBad(R"({"blocks":{}})"), HasSubstr("blocks: found an object, expected a list"));
  EXPECT_THAT(readBad(R"({"blocks":[]})"), HasSubstr("blocks: found none"));
  EXPECT_THAT(readBad(R"({"blocks":[1]})"), HasSubstr("blocks[0]: found 1, expected an object"));
  EXPECT_THAT(readBad(R"({"blocks":[],"blocks":[]})"), HasSubstr("key 'blocks' occurs twice"));
}

TEST(ReadJson, DamagedTextNamesLineAndColumn) {
  EXPECT_THAT(readBad("{\"blocks\":[\n  {\"idx\":0,"), HasSubstr("line 2, column 12 (byte 23)"));
  EXPECT_THAT(readBad("{\"blocks\":\n [\"\xFF\"]}"), HasSubstr("line 2, column 4"));
  EXPECT_THAT(readBad("{\"blocks\":[]} x"), HasSubstr("line 1, column 15"));
  EXPECT_THAT(readBad(R"({"blocks":[1e999]})"), HasSubstr("damaged JSON"));
}

TEST(ReadJson, DeepNestingIsAnError) {
  std::string deep(1000000, '[');
  EXPECT_THAT(readBad(deep), HasSubstr("damaged JSON"));
  EXPECT_THAT(readBad(deep + std::string(deep.size(), ']')), HasSubstr("damaged JSON"));
}

TEST(ReadJson, ManyErrorsAreCounted) {
  std::string ops = "{}";
  for (int i = 0; i < 999; ++i)
    ops += ",{}";
  auto program = readJsonText(programText("", ops), "p.json");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.diagnostics().size(), 101u);
  EXPECT_THAT(program.diagnostics().text(), HasSubstr("900 more problems"));
}

TEST(ReadJson, MissingFile) {
  auto program = readJson("does/not/exist.json");
  ASSERT_FALSE(program);
  EXPECT_THAT(program.diagnostics().text(), HasSubstr("does/not/exist.json"));
}

} // namespace
