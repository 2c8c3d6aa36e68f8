#include "tools/proa-check/KnownFailures.h"

#include "lib/base/support/Files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

using namespace proa;
using namespace proa::tools;
using check::Status;
using testing::HasSubstr;

namespace {

Result<KnownFailures> readText(const std::string &text) {
  std::string path = (std::filesystem::path(testing::TempDir()) / "proa-known-failures.txt").string();
  EXPECT_TRUE(writeFile(path, text));
  return KnownFailures::read(path);
}

Outcome passed() {
  Outcome outcome;
  outcome.status = Status::Passed;
  return outcome;
}

Outcome failed() {
  Outcome outcome;
  outcome.stage = "import";
  outcome.diagnostics.add("ops[3]", "op 'x' is not known");
  return outcome;
}

TEST(KnownFailures, NamesAreEndsOfPaths) {
  Result<KnownFailures> known =
      readText("# a comment\n\nops/relu/basic [compiled]  # because\nwhole [compiled] # so\n");
  ASSERT_TRUE(known) << known.diagnostics().text();
  EXPECT_TRUE(known->contains("ops/relu/basic", "compiled"));
  EXPECT_TRUE(known->contains("/somewhere/test/corpus/ops/relu/basic", "compiled"));
  EXPECT_TRUE(known->contains("a/whole", "compiled"));
  EXPECT_FALSE(known->contains("myops/relu/basic", "compiled"));
  EXPECT_FALSE(known->contains("ops/relu/basic/more", "compiled"));
  EXPECT_FALSE(known->contains("relu/basic", "compiled"));
}

TEST(KnownFailures, ACaseIsKnownInItsModesOnly) {
  Result<KnownFailures> known =
      readText("ops/a [reference decompose+recompute]  # why\nops/b [mutants]  # why\n");
  ASSERT_TRUE(known) << known.diagnostics().text();
  EXPECT_TRUE(known->contains("c/ops/a", "reference"));
  EXPECT_TRUE(known->contains("c/ops/a", "decompose+recompute"));
  EXPECT_FALSE(known->contains("c/ops/a", "decompose"));
  EXPECT_FALSE(known->contains("c/ops/a", "compiled"));
  EXPECT_EQ(known->removal("c/ops/a", "reference", "F"), "remove 'reference' from the modes of 'ops/a' in F");
  EXPECT_EQ(known->removal("c/ops/b", "mutants", "F"), "remove the line 'ops/b' from F");
}

TEST(KnownFailures, ACaseMayPassWhereRoundingDecides) {
  Result<KnownFailures> known = readText("ops/a [compiled? reference]  # a tie\n");
  ASSERT_TRUE(known) << known.diagnostics().text();
  EXPECT_TRUE(known->contains("c/ops/a", "compiled"));
  EXPECT_TRUE(known->mayPass("c/ops/a", "compiled"));
  EXPECT_FALSE(known->mayPass("c/ops/a", "reference"));
  EXPECT_FALSE(readText("ops/a [compiled??]  # a tie\n"));
}

TEST(KnownFailures, ModesAreNamedByTheOptions) {
  check::CheckOptions options;
  EXPECT_EQ(modeOf(options), "compiled");
  options.decompose = true;
  options.memoryBudget = 0;
  EXPECT_EQ(modeOf(options), "decompose+recompute");
  options.amp.emplace();
  EXPECT_EQ(modeOf(options), "decompose+recompute+amp");
  options.reference = true;
  EXPECT_EQ(modeOf(options), "reference");
  options.dynamicDims = true;
  EXPECT_EQ(modeOf(options), "dynamic-dims");
}

TEST(KnownFailures, WrongLinesAreReported) {
  Diagnostics diagnostics = readText("a b [compiled]  # r\nc [compiled]  # r\nc [reference]  # r\nd  # r\n"
                                     "e [compiled]\nf [compield]  # r\ng []  # r\n")
                                .diagnostics();
  EXPECT_EQ(diagnostics.size(), 6u);
  std::string text = diagnostics.text();
  EXPECT_THAT(text, HasSubstr(".txt:1: found 'a b [compiled]  # r', expected 'case [modes]  # reason'"));
  EXPECT_THAT(text, HasSubstr(".txt:3: 'c' occurs twice"));
  EXPECT_THAT(text, HasSubstr(".txt:4: found 'd  # r', expected 'case [modes]  # reason'"));
  EXPECT_THAT(text, HasSubstr(".txt:5: found 'e [compiled]', expected 'case [modes]  # reason'"));
  EXPECT_THAT(text, HasSubstr(".txt:6: unknown mode 'compield', expected one of compiled, reference"));
  EXPECT_THAT(text, HasSubstr(".txt:7: 'g' has no modes"));
}

TEST(KnownFailures, UpdateKeepsReasonsAndOtherModes) {
  Result<KnownFailures> known = readText("# Head.\n# More.\n"
                                         "ops/a [compiled]  # old\n"
                                         "ops/b [reference]  # by hand\n"
                                         "ops/c [compiled reference]  # by hand, too\n"
                                         "ops/unchecked [compiled]  # remains\n");
  ASSERT_TRUE(known) << known.diagnostics().text();
  known->update({{{"c/ops/a", "ops"}, {"c/ops/b", "ops"}, {"c/ops/c", "ops"}, {"c/ops/new", "ops"}},
                 {passed(), failed(), passed(), failed()}},
                "compiled");
  EXPECT_EQ(known->text(), "# Head.\n# More.\n"
                           "ops/b [compiled reference]  # by hand\n"
                           "ops/c [reference]  # by hand, too\n"
                           "ops/new [compiled]  # import: op 'x' is not known\n"
                           "ops/unchecked [compiled]  # remains\n");
}

} // namespace
