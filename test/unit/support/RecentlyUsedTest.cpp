#include "lib/base/support/RecentlyUsed.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace proa {
namespace {

std::vector<std::string> keysOf(RecentlyUsed<std::string, int> &map) {
  std::vector<std::string> keys;
  for (auto &[key, value] : map)
    keys.push_back(key);
  return keys;
}

TEST(RecentlyUsed, DropsTheEntryWhoseUseIsTheLongestAgo) {
  RecentlyUsed<std::string, int> map(2);
  map.put("a", 1);
  EXPECT_FALSE(map.isFull());
  map.put("b", 2);
  EXPECT_TRUE(map.isFull());
  ASSERT_NE(map.find("a"), nullptr);
  map.put("c", 3);
  EXPECT_EQ(keysOf(map), (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(map.find("b"), nullptr);
  EXPECT_EQ(*map.find("a"), 1);
}

TEST(RecentlyUsed, ReplacesAValueInPlace) {
  RecentlyUsed<std::string, int> map(1);
  int *first = &map.put("a", 1);
  EXPECT_EQ(&map.put("a", 2), first);
  EXPECT_EQ(*first, 2);
  EXPECT_EQ(map.size(), 1u);
  map.clear();
  EXPECT_EQ(map.find("a"), nullptr);
}

} // namespace
} // namespace proa
