#include "lib/compiler/codegen/ObjectCache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

using namespace proa;
namespace fs = std::filesystem;

namespace {

class ObjectCacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    directory = fs::path(::testing::TempDir()) / ("proa-cache-" + std::to_string(::getpid()));
    fs::remove_all(directory);
  }
  void TearDown() override { fs::remove_all(directory); }

  ObjectCache open(uint64_t maxBytes = 1 << 20) {
    auto cache = ObjectCache::open({directory.string(), maxBytes});
    EXPECT_TRUE(bool(cache));
    return *cache;
  }
  std::vector<fs::path> files() const {
    return {fs::directory_iterator(directory), fs::directory_iterator()};
  }

  fs::path directory;
};

} // namespace

TEST_F(ObjectCacheTest, FindsStoredBytes) {
  ObjectCache cache = open();
  EXPECT_EQ(cache.find("a"), std::nullopt);
  std::string bytes("with\0zero", 9);
  ASSERT_TRUE(bool(cache.store("a", bytes)));
  EXPECT_EQ(open().find("a"), bytes);
  EXPECT_EQ(cache.find("b"), std::nullopt);
  ASSERT_TRUE(bool(cache.store("a", "")));
  EXPECT_EQ(cache.find("a"), "");
}

TEST_F(ObjectCacheTest, DamagedFilesAreIgnored) {
  ObjectCache cache = open();
  ASSERT_TRUE(bool(cache.store("key", std::string(1000, 'x'))));
  fs::path file = files().at(0);
  std::string original;
  {
    std::ifstream in(file, std::ios::binary);
    original.assign(std::istreambuf_iterator<char>(in), {});
  }
  auto write = [&](const std::string &content) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
  };
  for (size_t size : {size_t(0), size_t(5), size_t(32), original.size() - 1}) {
    write(original.substr(0, size));
    EXPECT_EQ(cache.find("key"), std::nullopt) << size;
  }
  for (size_t position : {size_t(0), size_t(9), size_t(17), size_t(25), size_t(33), original.size() - 1}) {
    std::string damaged = original;
    damaged[position] ^= 1;
    write(damaged);
    EXPECT_EQ(cache.find("key"), std::nullopt) << position;
  }
  write(original);
  EXPECT_TRUE(cache.find("key").has_value());
}

TEST_F(ObjectCacheTest, RemovesLeastRecentlyUsed) {
  ObjectCache cache = open(3500);
  for (const char *key : {"a", "b", "c"}) {
    ASSERT_TRUE(bool(cache.store(key, std::string(1000, 'x'))));
    for (const fs::path &file : files())
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
  }
  ASSERT_TRUE(cache.find("a").has_value()); // used now
  ASSERT_TRUE(bool(cache.store("d", std::string(1000, 'x'))));
  EXPECT_TRUE(cache.find("a").has_value());
  EXPECT_FALSE(cache.find("b").has_value());
  EXPECT_TRUE(cache.find("c").has_value());
  EXPECT_TRUE(cache.find("d").has_value());
}

TEST_F(ObjectCacheTest, UnusableDirectoryIsAnError) {
  std::ofstream(directory) << "a file";
  auto cache = ObjectCache::open({(directory / "below").string(), 1});
  ASSERT_FALSE(bool(cache));
  EXPECT_NE(cache.diagnostics().text().find("below"), std::string::npos);
  fs::remove(directory);
}
