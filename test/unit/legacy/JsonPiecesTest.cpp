#include "translator/legacy/JsonPieces.h"
#include "translator/legacy/ReadJson.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace proa;
using namespace proa::legacy;
using testing::HasSubstr;

namespace {

constexpr size_t variableCount = 12000, opCount = 8000;

/// Brackets, quotes and backslashes in strings are not structure.
std::string nameOf(size_t i) {
  constexpr const char *tails[] = {"", "]}", "[{", R"(")", R"(\)", R"(\")", R"(",{")", "\xC3\xA4"};
  return fmt::format("v{}{}", i, tails[i % std::size(tails)]);
}

std::string quoted(const std::string &name) {
  std::string text = "\"";
  for (char c : name)
    text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return text + "\"";
}

std::string opText(size_t i) {
  return fmt::format(
      R"({{"type":"scale","inputs":[{{"parameter":"X","arguments":[{}]}}],"outputs":[],"attrs":[{{"name":"scale","type":"FLOAT","f":{}}}]}})",
      quoted(nameOf(i)), i % 3);
}

/// A program of long lists with `op` in place of one op.
std::string longProgram(size_t place = opCount, const std::string &op = "") {
  std::string text = R"({"version":{"version":"3"},"blocks":[{"idx":0,"vars":[)";
  for (size_t i = 0; i < variableCount; ++i)
    text += fmt::format(R"({}{{"name":{},"type":{{"type":"STEP_SCOPES"}}}})", i == 0 ? "" : " ,\n",
                        quoted(nameOf(i)));
  text += R"(],"ops":[ )";
  for (size_t i = 0; i < opCount; ++i)
    text += (i == 0 ? "" : ",") + (i == place ? op : opText(i));
  return text + R"( ],"parent_idx":-1}]})";
}

std::string problemsOf(const std::string &text) {
  auto program = readJsonText(text, "p.json");
  EXPECT_FALSE(program);
  return program ? "" : program.problems().text();
}

TEST(JsonPieces, SkeletonAndPiecesEqualText) {
  std::string text = longProgram();
  auto cut = json::cutLongLists(text);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->skeleton,
            R"({"version":{"version":"3"},"blocks":[{"idx":0,"vars":[],"ops":[],"parent_idx":-1}]})");
  ASSERT_EQ(cut->lists.size(), 2u);
  const size_t counts[] = {variableCount, opCount};
  for (size_t i = 0; i < 2; ++i) {
    const json::CutList &list = cut->lists[i];
    EXPECT_EQ(cut->find(cut->skeleton.data() + list.at), &list);
    EXPECT_GT(list.pieces.size(), 2u);
    size_t count = 0;
    for (const json::Piece &piece : list.pieces)
      count += piece.count;
    EXPECT_EQ(count, counts[i]);
  }
}

TEST(JsonPieces, ShortListsAndOtherTextsStayWhole) {
  EXPECT_FALSE(json::cutLongLists(R"({"blocks":[{"vars":[{}]}]})"));
  EXPECT_FALSE(json::cutLongLists(std::string(4 << 20, '[')));
  EXPECT_FALSE(json::cutLongLists(std::string(4 << 20, ']')));
  EXPECT_FALSE(json::cutLongLists(longProgram() + "\""));
  EXPECT_FALSE(json::cutLongLists("[" + longProgram() + "]"));
}

TEST(JsonPieces, LongListsAreReadInOrder) {
  auto program = readJsonText(longProgram(), "p.json");
  ASSERT_TRUE(program) << program.problems().text();
  EXPECT_EQ(program->version, 3);
  const Block &block = program->blocks.at(0);
  EXPECT_EQ(block.parent, -1);
  ASSERT_EQ(block.variables.size(), variableCount);
  ASSERT_EQ(block.operations.size(), opCount);
  for (size_t i = 0; i < variableCount; ++i)
    ASSERT_EQ(block.variables[i].name, nameOf(i));
  for (size_t i = 0; i < opCount; ++i) {
    const Operation &op = block.operations[i];
    ASSERT_EQ(op.inputs.at(0).arguments, std::vector{nameOf(i)});
    ASSERT_EQ(std::get<float>(op.attributes[0].value), static_cast<float>(i % 3));
    EXPECT_TRUE(op.attributes.isSharedWith(block.operations[i % 3].attributes));
  }
}

TEST(JsonPieces, ProblemsEqualThoseOfWholeText) {
  constexpr size_t place = 5000;
  EXPECT_THAT(problemsOf(longProgram(place, R"({"type":7})")),
              HasSubstr("p.json: blocks[0].ops[5000].type: found 7, expected a string"));
  EXPECT_THAT(problemsOf(longProgram(place, "12")),
              HasSubstr("blocks[0].ops[5000]: found 12, expected an object"));
  EXPECT_THAT(problemsOf(longProgram(0, "12")), HasSubstr("blocks[0].ops[0]: found 12, expected an object"));
  EXPECT_THAT(problemsOf(longProgram(opCount - 1, "[]")),
              HasSubstr("blocks[0].ops[7999]: found a list, expected an object"));
  for (const char *damaged : {"", R"({"type":"a")", R"({"type":"a"]})", R"({"type":"a"}})", R"({"type":"a)",
                              "{\"type\":\"\xFF\"}", R"({"type":"a"} {"type":"a"})", R"({"type":"a"},)"})
    EXPECT_THAT(problemsOf(longProgram(place, damaged)), HasSubstr("damaged JSON")) << damaged;
  std::string text = longProgram();
  EXPECT_THAT(problemsOf(text.substr(0, text.size() / 2)), HasSubstr("damaged JSON"));
  EXPECT_THAT(problemsOf(text + "]"), HasSubstr("damaged JSON"));
}

} // namespace
