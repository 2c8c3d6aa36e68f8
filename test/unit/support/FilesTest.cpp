#include "lib/support/Files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace proa {
namespace {

std::string freshPath(const std::string &name) {
  std::string path = ::testing::TempDir() + name;
  std::filesystem::remove_all(path);
  return path;
}

TEST(Files, WriteThenReadAndMap) {
  std::string path = freshPath("proa-files-test");
  std::string content("a\0b\n", 4);
  ASSERT_TRUE(writeFile(path, std::string("something longer that must vanish")));
  ASSERT_TRUE(writeFile(path, content));
  Result<std::string> read = readFile(path);
  ASSERT_TRUE(read) << read.problems().text();
  EXPECT_EQ(*read, content);
  auto mapped = mapFile(path);
  ASSERT_TRUE(mapped);
  ASSERT_EQ((*mapped)->bytes().size(), 4u);
  EXPECT_EQ((*mapped)->bytes()[2], std::byte('b'));
}

TEST(Files, EmptyFile) {
  std::string path = freshPath("proa-files-empty");
  ASSERT_TRUE(writeFile(path, std::string()));
  auto mapped = mapFile(path);
  ASSERT_TRUE(mapped);
  EXPECT_TRUE((*mapped)->bytes().empty());
}

TEST(Files, ErrorsNameTheFileAndTheReason) {
  std::string path = freshPath("proa-files-absent");
  Result<std::string> read = readFile(path);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.problems().text(), ::testing::HasSubstr(path + ": can not open the file: No such file"));
  EXPECT_FALSE(mapFile(path));
  EXPECT_THAT(mapFile(::testing::TempDir()).problems().text(),
              ::testing::HasSubstr("expected a regular file"));
  EXPECT_THAT(writeFile(path + "/inside", std::string("x")).problems().text(),
              ::testing::HasSubstr("can not create"));
}

} // namespace
} // namespace proa
