#include "translator/legacy/Validate.h"

#include <gmock/gmock.h>

using namespace proa;
using namespace proa::legacy;
using testing::HasSubstr;

namespace {

Program withBlocks(std::vector<int32_t> parents) {
  Program program;
  for (int32_t parent : parents) {
    Block &block = program.blocks.emplace_back();
    block.index = static_cast<int32_t>(program.blocks.size()) - 1;
    block.parent = parent;
  }
  return program;
}

std::string diagnosticsOf(const Program &program) {
  FileReport report("p");
  validate(program, report);
  return report.take().text();
}

std::string errorsOfDims(std::vector<int64_t> dims) {
  Program program = withBlocks({-1});
  Variable &variable = program.blocks[0].variables.emplace_back();
  variable.name = "x";
  variable.dims = std::move(dims);
  return diagnosticsOf(program);
}

TEST(Validate, TreesOfBlocksAreValid) {
  EXPECT_EQ(diagnosticsOf(withBlocks({-1})), "");
  EXPECT_EQ(diagnosticsOf(withBlocks({-1, 2, 0, 1, 0})), "");
}

TEST(Validate, ParentsThatFormNoTree) {
  EXPECT_THAT(diagnosticsOf(withBlocks({})), HasSubstr("found none, expected at least one"));
  EXPECT_THAT(diagnosticsOf(withBlocks({-1, 2, 1})), HasSubstr("the parents of this block form a cycle"));
  EXPECT_THAT(diagnosticsOf(withBlocks({-1, 1})),
              HasSubstr("blocks[1].parent_idx: the parents of this block form a cycle"));
  EXPECT_THAT(diagnosticsOf(withBlocks({0})), HasSubstr("found 0, expected -1 for the first block"));
  EXPECT_THAT(diagnosticsOf(withBlocks({-1, -1})), HasSubstr("blocks[1].parent_idx: found -1"));
  EXPECT_THAT(diagnosticsOf(withBlocks({-1, 7})),
              HasSubstr("found 7, expected the index of one of 2 blocks"));
}

TEST(Validate, IndicesOfBlocks) {
  Program program = withBlocks({-1, 0});
  program.blocks[1].index = 5;
  program.blocks[1].forwardBlock = -2;
  EXPECT_THAT(diagnosticsOf(program), HasSubstr("blocks[1].idx: found 5, expected the block's position 1"));
  EXPECT_THAT(diagnosticsOf(program), HasSubstr("blocks[1].forward_block_idx: found -2"));
}

TEST(Validate, Variables) {
  Program program = withBlocks({-1, 0});
  for (const char *name : {"x", "", "x"})
    program.blocks[0].variables.emplace_back().name = name;
  program.blocks[1].variables.emplace_back().name = "x"; // another block: no error
  std::string diagnostics = diagnosticsOf(program);
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].vars[1].name: found an empty name"));
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].vars[2].name: variable 'x' is declared twice in this block"));
  EXPECT_THAT(diagnostics, testing::Not(HasSubstr("blocks[1]")));
}

TEST(Validate, Dims) {
  EXPECT_EQ(errorsOfDims({}), "");
  EXPECT_EQ(errorsOfDims({-1, 3, -1}), "");
  EXPECT_EQ(errorsOfDims({0, INT64_MAX, INT64_MAX}), "");
  EXPECT_EQ(errorsOfDims({INT64_MAX}), "");
  EXPECT_EQ(errorsOfDims({4, -2}), "");
  EXPECT_THAT(errorsOfDims({INT64_MAX, -1, 2}), HasSubstr("more elements than an int64 can count"));
}

TEST(Validate, Operations) {
  Program program = withBlocks({-1});
  Operation &operation = program.blocks[0].operations.emplace_back();
  operation.attributes.push_back({"sub_block", BlockIndex{1}});
  operation.attributes.push_back({"blocks", BlockIndices{{0, -1}}});
  std::string diagnostics = diagnosticsOf(program);
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].ops[0].type: found an empty op type"));
  EXPECT_THAT(
      diagnostics,
      HasSubstr(
          "blocks[0].ops[0].attrs[0]: attribute 'sub_block' of op '' is block 1, expected one of 1 blocks"));
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].ops[0].attrs[1]: attribute 'blocks' of op '' is block -1"));
}

} // namespace
