// Every program of the corpus, in both formats.
#include "translator/legacy/ReadBinary.h"
#include "translator/legacy/ReadJson.h"
#include "translator/legacy/ReadProgram.h"
#include "translator/legacy/WriteProgram.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>

using namespace proa::legacy;
namespace fs = std::filesystem;

namespace {

nlohmann::json metaOf(const fs::path &folder) {
  return nlohmann::json::parse(std::ifstream(folder / "meta.json"));
}

/// The folders of legacy programs with this file.
std::vector<fs::path> foldersWith(const char *file) {
  std::vector<fs::path> folders;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(PROA_CORPUS_DIR))
    if (entry.path().filename() == file && metaOf(entry.path().parent_path()).value("kind", "") != "pir")
      folders.push_back(entry.path().parent_path());
  return folders;
}

/// Replaces NaNs, so that programs can be compared with ==.
void replaceNaN(Program &program) {
  auto replace = [](auto &scalar) {
    if (std::isnan(scalar))
      scalar = 12345;
  };
  for (Block &block : program.blocks)
    for (Operation &operation : block.operations)
      for (Attribute &attribute : operation.attributes.own()) {
        if (auto *value = std::get_if<float>(&attribute.value))
          replace(*value);
        if (auto *value = std::get_if<double>(&attribute.value))
          replace(*value);
        if (auto *values = std::get_if<std::vector<float>>(&attribute.value))
          std::for_each(values->begin(), values->end(), replace);
        if (auto *values = std::get_if<std::vector<double>>(&attribute.value))
          std::for_each(values->begin(), values->end(), replace);
      }
}

void expectEqual(const Program &json, const Program &binary) {
  EXPECT_EQ(json.version, binary.version);
  EXPECT_EQ(json.opVersions, binary.opVersions);
  ASSERT_EQ(json.blocks.size(), binary.blocks.size());
  for (size_t b = 0; b < json.blocks.size(); ++b) {
    const Block &left = json.blocks[b], &right = binary.blocks[b];
    EXPECT_EQ(left.variables, right.variables);
    ASSERT_EQ(left.operations.size(), right.operations.size());
    for (size_t o = 0; o < left.operations.size(); ++o)
      EXPECT_EQ(left.operations[o], right.operations[o])
          << "block " << b << " op " << o << " " << left.operations[o].type;
    EXPECT_EQ(left, right);
  }
}

TEST(Corpus, JsonAndBinaryGiveEqualPrograms) {
  size_t both = 0;
  for (const fs::path &folder : foldersWith("program.pdmodel")) {
    SCOPED_TRACE(folder.string());
    auto json = readProgram((folder / "program.json").string());
    auto binary = readProgram((folder / "program.pdmodel").string());
    ASSERT_TRUE(json) << json.diagnostics().text();
    ASSERT_TRUE(binary) << binary.diagnostics().text();
    replaceNaN(*json);
    replaceNaN(*binary);
    expectEqual(*json, *binary);
    ++both;
  }
  EXPECT_GE(both, 800u);
}

TEST(Corpus, OpsAreThoseThatMetaCounts) {
  size_t cases = 0;
  for (const fs::path &folder : foldersWith("program.json")) {
    SCOPED_TRACE(folder.string());
    auto program = readProgram((folder / "program.json").string());
    ASSERT_TRUE(program) << program.diagnostics().text();
    std::map<std::string, int64_t> histogram;
    for (const Block &block : program->blocks)
      for (const Operation &operation : block.operations)
        ++histogram[operation.type];
    auto meta = metaOf(folder);
    if (!meta.contains("op_histogram")) // small programs of reports
      continue;
    EXPECT_EQ(histogram, (meta["op_histogram"].get<std::map<std::string, int64_t>>()));
    EXPECT_EQ(program->blocks.size(), meta["num_blocks"].get<size_t>());
    ++cases;
  }
  EXPECT_GE(cases, 854u);
}

TEST(Corpus, ScalarsAreWritten) {
  auto program = readProgram(PROA_CORPUS_DIR "/ops/set_value/slice/program.json");
  ASSERT_TRUE(program) << program.diagnostics().text();
  program->blocks[0].operations[0].attributes.push_back(
      {"others", std::vector<Scalar>{{true}, {int64_t(-3)}, {Complex{1, -2}}}});
  for (const auto &[name, text] : {std::pair("scalars.json", writeJson(*program)),
                                   std::pair("scalars.pdmodel", writeBinary(*program))}) {
    std::string file = testing::TempDir() + "/" + name;
    std::ofstream(file, std::ios::binary) << text;
    auto again = readProgram(file);
    ASSERT_TRUE(again) << again.diagnostics().text();
    EXPECT_EQ(again->blocks[0].operations, program->blocks[0].operations) << name;
  }
}

TEST(Corpus, StartupProgramsAreRead) {
  size_t operations = 0;
  for (const fs::path &folder : foldersWith("startup.json")) {
    auto program = readProgram((folder / "startup.json").string());
    ASSERT_TRUE(program) << program.diagnostics().text();
    operations += program->blocks[0].operations.size();
  }
  EXPECT_GT(operations, 100u);
}

TEST(Corpus, UserLineOfAnOp) {
  auto program = readProgram(PROA_CORPUS_DIR "/ops/abs/f32_grad/program.json");
  ASSERT_TRUE(program);
  auto line = program->blocks[0].operations[0].sourceLine();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->file, "corpus-tools/cases_ops.py");
  EXPECT_EQ(line->line, 95);
}

} // namespace
