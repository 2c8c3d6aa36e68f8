#include "translator/legacy/JsonTemplates.h"
#include "translator/legacy/ReadJson.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace proa::legacy;
using testing::ElementsAre;

namespace {

TEST(JsonTemplates, MatchOpsThatDifferOnlyInStrings) {
  constexpr std::string_view text = R"({"x":"one","n":1,"y":"two"})";
  const json::StringPlace places[] = {{6, 9}, {22, 25}};
  json::TextTemplate known(text, places);
  std::vector<std::string_view> strings;
  EXPECT_EQ(known.match(text, strings), text.size());
  EXPECT_THAT(strings, ElementsAre("one", "two"));
  EXPECT_EQ(known.match(R"({"x":"","n":1,"y":"longer"},{"x":)", strings), 27u);
  EXPECT_THAT(strings, ElementsAre("", "longer"));
  for (const char *other : {R"({"x":"one","n":2,"y":"two"})", R"({"x":"one","n":1,"y":"two")",
                            R"({"x":"o\"e","n":1,"y":"two"})", "{\"x\":\"\xC3\xA4\",\"n\":1,\"y\":\"two\"}",
                            "{\"x\":\"\n\",\"n\":1,\"y\":\"two\"}", R"({"x":"one)", ""})
    EXPECT_EQ(known.match(other, strings), 0u) << other;
}

TEST(JsonTemplates, ObjectsEndWithTheirBracket) {
  EXPECT_EQ(json::lengthOfObject(R"({"a":["}",{"b":"\"}"}]} ,{})"), 23u);
  EXPECT_EQ(json::lengthOfObject("{}"), 2u);
  for (const char *none : {"", "1", R"("a")", "{", R"({"a":"})", R"({"a":"\)", ",{}"})
    EXPECT_EQ(json::lengthOfObject(none), 0u) << none;
}

/// A program that is long enough to be read by templates.
std::string programOf(const std::vector<std::string> &ops) {
  return fmt::format(R"({{"blocks":[{{"idx":0,"parent_idx":-1,"vars":[],"ops":[{}]}}]}})",
                     fmt::join(ops, ",\n"));
}

constexpr size_t opCount = 12000;

TEST(JsonTemplates, OpsOfEveryKindAreReadUnchanged) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < opCount; ++i) {
    std::string in = fmt::format(
        R"("inputs":[{{"parameter":"X","arguments":["a{}","b{}"]}},{{"parameter":"Y","arguments":[]}}])", i,
        i / 2);
    std::string out = fmt::format(R"("outputs":[{{"arguments":["c{}"],"parameter":"Out"}}])", i);
    std::string attribute = fmt::format(R"("attrs":[{{"name":"n","type":"INT","i":{}}}])", i % 5);
    switch (i % 4) {
    case 0:
      texts.push_back(fmt::format(R"({{{},{},"type":"sum",{}}})", in, out, attribute));
      break;
    case 1: // outputs first
      texts.push_back(fmt::format(R"({{{}, {}, "is_target":true, "type":"sum", {}}})", out, in, attribute));
      break;
    case 2: // no inputs
      texts.push_back(fmt::format(R"({{{},"type":"fill",{}}})", out, attribute));
      break;
    default: // all different
      texts.push_back(fmt::format(R"({{"type":"kind{}",{}}})", i, in));
    }
  }
  auto program = readJsonText(programOf(texts), "p.json");
  ASSERT_TRUE(program) << program.problems().text();
  const std::vector<Operation> &ops = program->blocks.at(0).operations;
  ASSERT_EQ(ops.size(), opCount);
  for (size_t i = 0; i < opCount; ++i) {
    Operation expected;
    const char *types[] = {"sum", "sum", "fill"};
    expected.type = i % 4 == 3 ? fmt::format("kind{}", i) : types[i % 4];
    if (i % 4 != 2)
      expected.inputs = {{"X", {fmt::format("a{}", i), fmt::format("b{}", i / 2)}}, {"Y", {}}};
    if (i % 4 != 3) {
      expected.outputs = {{"Out", {fmt::format("c{}", i)}}};
      expected.attributes.push_back({"n", static_cast<int32_t>(i % 5)});
    }
    expected.isTarget = i % 4 == 1;
    ASSERT_TRUE(ops[i] == expected) << texts[i];
  }
}

} // namespace
