#include "translator/params/Safetensors.h"

#include "ParamsTesting.h"

#include <gmock/gmock.h>

using namespace proa;
using namespace proa::params;
using testing::HasSubstr;

namespace {

std::string fileWith(const std::string &header, const std::string &data) {
  return bytesOf<uint64_t>({header.size()}) + header + data;
}

class Safetensors : public testing::Test {
protected:
  Tensors readGood(const std::string &header, const std::string &data) {
    auto tensors = readSafetensors(folder.file("a.safetensors", fileWith(header, data)));
    EXPECT_TRUE(tensors) << tensors.diagnostics().text();
    return tensors ? *tensors : Tensors();
  }

  std::string readBadBytes(const std::string &content) {
    auto tensors = readSafetensors(folder.file("a.safetensors", content));
    EXPECT_FALSE(tensors);
    return tensors ? "" : tensors.diagnostics().text();
  }

  std::string readBad(const std::string &header, const std::string &data) {
    return readBadBytes(fileWith(header, data));
  }

  TemporaryFolder folder;
};

TEST_F(Safetensors, ReadsTensors) {
  Tensors tensors =
      readGood(R"({"__metadata__":{"format":"pt"},"x":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
               R"("flag":{"dtype":"BOOL","shape":[],"data_offsets":[8,9]},)"
               R"("none":{"dtype":"I64","shape":[0,3],"data_offsets":[9,9]}})",
               bytesOf<float>({1.5f, -2}) + "\x01");
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors["x"].describe(), "float32[2, 1]");
  EXPECT_EQ(valuesOf<float>(tensors["x"]), (std::vector<float>{1.5f, -2}));
  EXPECT_EQ(tensors["flag"].describe(), "bool[]");
  EXPECT_EQ(*tensors["flag"].as<uint8_t>(), 1);
  EXPECT_EQ(tensors["none"].describe(), "int64[0, 3]");
}

TEST_F(Safetensors, TensorsAreAlignedAndWritable) {
  Tensors tensors = readGood(
      R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F64","shape":[1],"data_offsets":[1,9]}})",
      "\x05" + bytesOf<double>({2.5}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensors["b"].data()) % alignof(double), 0u);
  EXPECT_EQ(*tensors["b"].as<double>(), 2.5);
  *tensors["a"].as<int8_t>() = 6; // the file keeps its value
  auto again = readSafetensors(folder.path("a.safetensors"));
  ASSERT_TRUE(again);
  EXPECT_EQ(*(*again)["a"].as<int8_t>(), 5);
}

TEST_F(Safetensors, Complex128IsStoredAsPairs) {
  Tensors tensors = readGood(
      R"({"__metadata__":{"complex128":"z"},"z":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]}})",
      bytesOf<double>({3, -4}));
  EXPECT_EQ(tensors["z"].describe(), "complex128[1]");
  EXPECT_THAT(
      readBad(
          R"({"__metadata__":{"complex128":"z"},"z":{"dtype":"F64","shape":[2,1],"data_offsets":[0,16]}})",
          bytesOf<double>({3, -4})),
      HasSubstr("tensor 'z': found float64[2, 1], expected F64 with a last dimension of 2"));
}

TEST_F(Safetensors, WritesWhatItReads) {
  Tensors tensors;
  for (DType dtype :
       {DType::Bool, DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64, DType::Int8, DType::Int16,
        DType::Int32, DType::Int64, DType::Float8E4M3FN, DType::Float8E5M2, DType::Float16, DType::BFloat16,
        DType::Float32, DType::Float64, DType::Complex64, DType::Complex128}) {
    Tensor tensor(dtype, {3, 1});
    std::memset(tensor.data(), 1, tensor.bytes());
    tensors.emplace(std::string("t ") + std::string(nameOf(dtype)), tensor);
  }
  tensors.emplace("empty", Tensor(DType::Float32, {0, 7}));
  tensors.emplace("scalar", Tensor(DType::Int64, {}));
  *tensors["scalar"].as<int64_t>() = -9;
  std::string path = folder.path("b.safetensors");
  ASSERT_TRUE(writeSafetensors(path, tensors));
  auto read = readSafetensors(path);
  ASSERT_TRUE(read) << read.diagnostics().text();
  ASSERT_EQ(read->size(), tensors.size());
  for (const auto &[name, tensor] : tensors) {
    SCOPED_TRACE(name);
    expectSame((*read)[name], tensor);
  }
}

TEST_F(Safetensors, WritingFailsWithTheReason) {
  auto written = writeSafetensors(folder.path("no/such/folder/a.safetensors"), {});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.diagnostics().text(), HasSubstr("no/such/folder"));
  EXPECT_FALSE(writeSafetensors(folder.path("a.safetensors"), {{"\xFF", Tensor(DType::Int8, {1})}}));
}

TEST_F(Safetensors, DamagedFiles) {
  EXPECT_FALSE(readSafetensors(folder.path("missing")));
  EXPECT_THAT(readBadBytes(""), HasSubstr("found 0 bytes, expected at least 8"));
  EXPECT_THAT(readBadBytes(bytesOf<uint64_t>({100}) + "{}"),
              HasSubstr("header should have 100 bytes, but the file ends after 2"));
  EXPECT_THAT(readBadBytes(bytesOf<uint64_t>({UINT64_MAX}) + "{}"), HasSubstr("the file ends after 2"));
  EXPECT_THAT(readBad("{\"a\":", ""), HasSubstr("invalid JSON at byte"));
  EXPECT_THAT(readBad("[]", ""), HasSubstr("not a JSON object"));
  EXPECT_THAT(readBad("{\"a\":1e999}", ""),
              HasSubstr("header: the JSON has a number out of the range of double"));
  EXPECT_THAT(readBad(std::string(100000, '['), ""), HasSubstr("invalid JSON"));
  EXPECT_THAT(readBad(std::string(100000, '[') + std::string(100000, ']'), ""),
              HasSubstr("not a JSON object"));
}

TEST_F(Safetensors, DeepNestingIsAnError) {
  std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  EXPECT_THAT(readBad("{\"a\":{\"dtype\":" + deep + ",\"shape\":" + deep + ",\"data_offsets\":[0,0]}}", ""),
              HasSubstr("tensor 'a': found shape a nested list"));
}

TEST_F(Safetensors, AllWrongTensorsAtOnce) {
  std::string diagnostics = readBad(
      R"({"a":{"dtype":"F33","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]},)"
      R"("c":{"dtype":"F32","shape":[1],"data_offsets":[4,0]},"d":{"dtype":"F32","shape":[2],"data_offsets":[0,4]},)"
      R"("e":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"f":7,"g":{},)"
      R"("h":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,4]}})",
      bytesOf<float>({1}));
  EXPECT_THAT(diagnostics, HasSubstr("tensor 'a': found dtype \"F33\", expected F32"));
  EXPECT_THAT(diagnostics, HasSubstr("tensor 'b': found shape [-1], expected a list of sizes"));
  EXPECT_THAT(diagnostics, HasSubstr("tensor 'c': found data_offsets [4,0], expected begin and end"));
  EXPECT_THAT(diagnostics, HasSubstr("tensor 'd': float32[2] does not fit 4 bytes"));
  EXPECT_THAT(diagnostics, HasSubstr("tensor 'e': its bytes end at 16, past the end of the data at 4"));
  EXPECT_THAT(diagnostics, HasSubstr("tensor 'f': found no JSON object"));
  EXPECT_THAT(diagnostics, HasSubstr("tensor 'g': found dtype null"));
  EXPECT_THAT(diagnostics, HasSubstr("tensor 'h': float64[4611686018427387904, 4] does not fit"));
}

TEST_F(Safetensors, OverlapsGapsAndRepetitions) {
  EXPECT_THAT(readBad(R"({"a":{"dtype":"I32","shape":[2],"data_offsets":[0,8]},)"
                      R"("b":{"dtype":"I32","shape":[1],"data_offsets":[4,8]}})",
                      bytesOf<int32_t>({1, 2})),
              HasSubstr("tensor 'b': its bytes from 4 on overlap the bytes of 'a', which end at 8"));
  EXPECT_THAT(readBad(R"({"a":{"dtype":"I32","shape":[1],"data_offsets":[4,8]}})", bytesOf<int32_t>({1, 2})),
              HasSubstr("data bytes 0 to 4 belong to no tensor"));
  EXPECT_THAT(readBad(R"({"a":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}})", bytesOf<int32_t>({1, 2})),
              HasSubstr("data bytes 4 to 8 belong to no tensor"));
  EXPECT_THAT(readBad(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},)"
                      R"("a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}})",
                      "x"),
              HasSubstr("tensor 'a': occurs twice"));
}

TEST_F(Safetensors, BoolsAreZeroOrOne) {
  EXPECT_THAT(readBad(R"({"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", "\x01\x02"),
              HasSubstr("tensor 'a': element 1 is a bool with the value 2"));
}

} // namespace
