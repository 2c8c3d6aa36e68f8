#include "lib/checkpoint/transform/Statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace proa::transform {
namespace {

std::vector<std::string> textsOf(std::string_view text, const Variables &variables = {}) {
  Result<std::vector<Statement>> statements = parseStatements(text, "t.aoa", variables);
  EXPECT_TRUE(statements) << statements.diagnostics().text();
  std::vector<std::string> texts;
  if (statements)
    for (const Statement &statement : *statements)
      texts.push_back(textOf(statement));
  return texts;
}

std::string parseErrors(std::string_view text) {
  Result<std::vector<Statement>> statements = parseStatements(text, "t.aoa");
  EXPECT_FALSE(statements);
  return statements ? "" : statements.diagnostics().text();
}

using testing::ElementsAre;

TEST(StatementTest, ReadsTermsAndAttributes) {
  EXPECT_THAT(textsOf("a.$LAYER_ID.w^T , b_*[0:2] -> c, axis = 1\n"
                      "q,k,v->qkv, fused_qkv, num_heads=4, num_key_value_groups=2 # heads\n\n"
                      "a -> b, permute = \"[1,0]\"\n"),
              ElementsAre("a.$LAYER_ID.w^T, b_*[0:2] -> c, axis=1",
                          "q, k, v -> qkv, fused_qkv, num_heads=4, num_key_value_groups=2",
                          "a -> b, permute=\"[1,0]\""));
}

TEST(StatementTest, ContinuesAfterCommaAndArrow) {
  EXPECT_THAT(textsOf("a,\n b ->\n# comment\n c,\n axis=0\nd -> _"),
              ElementsAre("a, b -> c, axis=0", "d -> _"));
}

TEST(StatementTest, ReadsQuotedNames) {
  EXPECT_THAT(textsOf("\"a-b/0\" -> c"), ElementsAre("\"a-b/0\" -> c"));
}

TEST(StatementTest, ReplacesVariables) {
  EXPECT_THAT(textsOf("a -> b, dtype=$TYPE", {{"TYPE", "float32"}}),
              ElementsAre("a -> b, dtype=\"float32\""));
}

TEST(StatementTest, ReadsConfigOfPaddle) {
  EXPECT_THAT(textsOf(R"({"aoa_statements": ["a -> b", "c, d -> e, axis=0 \n"]})"),
              ElementsAre("a -> b", "c, d -> e, axis=0"));
}

TEST(StatementTest, ShortensLongLists) {
  EXPECT_THAT(textsOf("a0, a1, a2, a3, a4, a5, a6, a7 -> b, axis=0"),
              ElementsAre("a0, a1, a2, ... (8 names), a7 -> b, axis=0"));
}

TEST(StatementTest, ReportsAllErrorsWithLineAndColumn) {
  EXPECT_EQ(
      parseErrors("a b -> c\n"
                  "a -> \n\n"
                  "a -> b, axis=\n"
                  "a? -> b\n"
                  "a[0] -> b\n"
                  "a[2:2] -> b\n"
                  "a^T^T -> b\n"
                  "a -> b, axis=0, c\n"
                  "a -> b, axis=0, axis=1\n"
                  "a -> b, axis=$AXIS\n"
                  "a -> \"b\n"),
      "error: t.aoa:5:2: unexpected character `?`, expected a name, `->`, `,` or `=`; quote names with other "
      "characters\n"
      "error: t.aoa:12:6: the string has no closing \"\n"
      "error: t.aoa:1:3: unexpected `b`, expected `,` or `->`\n"
      "error: t.aoa:3:1: the statement ends here, expected the name of a tensor\n"
      "error: t.aoa:4:14: the statement ends here, expected a number, a string or a variable `$NAME`\n"
      "error: t.aoa:6:4: unexpected `]`, expected a range `NAME[BEGIN:END]` of numbers\n"
      "error: t.aoa:7:3: the range [2:2] is empty, expected 0 <= BEGIN < END\n"
      "error: t.aoa:8:1: `a^T^T` has `^`, expected it in the suffix `^T` only\n"
      "error: t.aoa:9:17: `c` has no value, expected `c = VALUE`; targets are before attributes\n"
      "error: t.aoa:10:17: the attribute `axis` is repeated, expected it once\n"
      "error: t.aoa:11:14: the variable `$AXIS` is not defined, expected its value in --define AXIS=VALUE\n");
}

TEST(StatementTest, ReportsErrorsOfConfig) {
  EXPECT_EQ(parseErrors(R"({"aoa_statements": ["a -> b", 3, "a ="]})"),
            "error: t.aoa: aoa_statements[1]: is not a string, expected a statement\n"
            "error: t.aoa: aoa_statements[2], column 3: unexpected `=`, expected `,` or `->`\n");
  EXPECT_EQ(parseErrors(R"({"aoa_statements": [], "aoa_config_reverse": true})"),
            "error: t.aoa: `aoa_config_reverse` is set, expected statements that apply forward; --inverse "
            "inverts them\n");
  EXPECT_EQ(parseErrors("{}"),
            "error: t.aoa: the object has no list `aoa_statements`, expected the statements there\n");
}

} // namespace
} // namespace proa::transform
