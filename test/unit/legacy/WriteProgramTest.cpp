#include "translator/legacy/WriteProgram.h"

#include "translator/legacy/ReadJson.h"

#include <gtest/gtest.h>

namespace proa::legacy {
namespace {

/// N variables, and ops that each read two of them.
Program programOf(size_t count) {
  Program program;
  program.version = 2006002;
  Block &block = program.blocks.emplace_back();
  for (size_t i = 0; i <= count; ++i) {
    Variable &variable = block.variables.emplace_back();
    variable.name = "v" + std::to_string(i);
    variable.dtype = DType::Float32;
    variable.dims = {-1, static_cast<int64_t>(i)};
  }
  for (size_t i = 0; i < count; ++i) {
    Operation &op = block.operations.emplace_back();
    op.type = "elementwise_add";
    op.inputs = {{"X", {block.variables[i].name}}, {"Y", {block.variables[0].name}}};
    op.outputs = {{"Out", {block.variables[i + 1].name}}};
    op.attributes = {{"axis", static_cast<int32_t>(i)}};
  }
  return program;
}

/// Lists are written in parts of several thousand elements: tests lists that end at, before and after a part.
TEST(WriteJson, ListsOfAnyLengthAreReadAgain) {
  for (size_t count : {0, 1, 255, 256, 8191, 8192, 20000}) {
    Program program = programOf(count);
    program.blocks.push_back(program.blocks[0]);
    program.blocks[1].index = 1;
    program.blocks[1].parent = 0;
    auto again = readJsonText(writeJson(program), "p.json");
    ASSERT_TRUE(again) << again.diagnostics().text();
    EXPECT_TRUE(*again == program) << count;
  }
}

TEST(WriteJson, PiecesEqualText) {
  Program program = programOf(9000);
  std::string pieces;
  size_t longest = 0;
  writeJson(program, [&](std::string_view piece) {
    pieces += piece;
    longest = std::max(longest, piece.size());
  });
  EXPECT_TRUE(pieces == writeJson(program));
  EXPECT_LT(longest, pieces.size() / 10);
}

} // namespace
} // namespace proa::legacy
