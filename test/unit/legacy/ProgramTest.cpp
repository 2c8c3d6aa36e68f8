#include "translator/legacy/Program.h"
#include "translator/legacy/FormatNames.h"

#include <gtest/gtest.h>

using namespace proa;
using namespace proa::legacy;

namespace {

TEST(FormatNames, OldAndNewNamesGiveTheSameCode) {
  EXPECT_EQ(varTypeCode("LOD_TENSOR"), 7);
  EXPECT_EQ(varTypeCode("DENSE_TENSOR"), 7);
  EXPECT_EQ(varTypeName(7), "DENSE_TENSOR");
  EXPECT_EQ(varTypeCode("LOD_TENSOR_ARRAY"), 13);
  EXPECT_EQ(varTypeCode("DENSE_TENSOR_ARRAY"), 13);
  EXPECT_EQ(varTypeCode("NOTHING"), std::nullopt);
  EXPECT_EQ(varTypeName(16), "");
  EXPECT_EQ(varTypeName(-1), "");
}

TEST(FormatNames, KindsAreNotElementTypes) {
  EXPECT_EQ(variableKindFromCode(8), VariableKind::SelectedRows);
  EXPECT_EQ(variableKindFromCode(5), std::nullopt);
  EXPECT_EQ(variableKindFromCode(19), std::nullopt);
  EXPECT_EQ(dtypeFromCode(5), DType::Float32);
  EXPECT_EQ(dtypeFromCode(7), std::nullopt);
}

TEST(FormatNames, AttributeTypesAreTheAlternativesOfTheValue) {
  EXPECT_EQ(attributeTypeName(AttributeValue(std::vector<std::string>{}).index()), "STRINGS");
  EXPECT_EQ(attributeTypeName(AttributeValue(BlockIndices{}).index()), "BLOCKS");
  EXPECT_EQ(attributeTypeName(AttributeValue(std::vector<Scalar>{}).index()), "SCALARS");
  for (int32_t i = 0; i < attributeTypeCount; ++i)
    EXPECT_EQ(attributeTypeCode(attributeTypeName(i)), i);
}

Operation withStack(std::vector<std::string> frames) {
  Operation operation;
  operation.attributes.push_back({"op_callstack", std::move(frames)});
  return operation;
}

TEST(SourceLine, InnermostFrameOutsidePaddle) {
  auto line =
      withStack({"  File \"main.py\", line 3, in <module>", "    run()",
                 "  File \"net.py\", line 17, in forward", "    return f(x)",
                 "  File \"/usr/lib/python3/site-packages/paddle/nn/layer.py\", line 9, in f", "    op()"})
          .sourceLine();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->file, "net.py");
  EXPECT_EQ(line->line, 17);
}

TEST(SourceLine, AbsentOrDamagedStacks) {
  EXPECT_FALSE(Operation().sourceLine());
  EXPECT_FALSE(withStack({}).sourceLine());
  EXPECT_FALSE(withStack({"garbage", "", "  File \"cut"}).sourceLine());
  EXPECT_FALSE(withStack({"  File \"a.py\", no number"}).sourceLine());
}

} // namespace
