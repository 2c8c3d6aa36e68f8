#include "lib/compiler/aot/LinkLibrary.h"

#include <gmock/gmock.h>

namespace proa::aot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Sources, NamesFunctionsAfterTheFile) {
  EXPECT_EQ(prefixOf("out/libresnet-50.so"), "resnet_50");
  EXPECT_EQ(prefixOf("model.so.1"), "model");
  EXPECT_EQ(prefixOf("lib7.so"), "model_7");
  EXPECT_EQ(prefixOf("lib.so"), "model_");
  EXPECT_TRUE(isIdentifier(prefixOf("b\xc3\xa4r.so")));
}

TEST(Sources, AcceptsOnlyIdentifiers) {
  EXPECT_TRUE(isIdentifier("bert_base2"));
  for (const char *wrong : {"", "2nd", "a-b", "a b", "\xc3\xa4"})
    EXPECT_FALSE(isIdentifier(wrong)) << wrong;
}

Description oneFeed(const std::string &feed) {
  Description description;
  description.name = "m";
  description.plan.values = {{DType::Float32, {-1, 3}, runtime::Storage::Feed, 0, runtime::none, feed}};
  description.plan.feeds = {0};
  description.plan.fetches = {0};
  description.plan.fetchNames = {"y"};
  description.resultCount = 1;
  return description;
}

TEST(Sources, HeaderDescribesTheInterface) {
  EXPECT_THAT(headerText(oneFeed("x"), "net"),
              AllOf(HasSubstr("[0] x: float32[-1, 3]"), HasSubstr("[0] y: float32[-1, 3]"),
                    HasSubstr("proa_program *net_create("), HasSubstr("#define NET_INPUTS 1\n"),
                    HasSubstr("no weights"), Not(HasSubstr("@"))));
}

TEST(Sources, NamesDoNotEndComments) {
  std::string text = headerText(oneFeed("a*/b\nc*/@PREFIX@"), "net");
  EXPECT_THAT(text, HasSubstr("[0] a* /b c* /@PREFIX@: float32"));
}

} // namespace
} // namespace proa::aot
