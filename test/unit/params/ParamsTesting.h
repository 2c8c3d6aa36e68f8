/// Helpers of the tests of weight readers.
#pragma once

#include "lib/base/support/Files.h"
#include "proa/Tensor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

namespace proa::params {

/// A folder that is removed with its files at the end of a test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "proa-test-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::string path(const std::string &name) const { return (folder / name).string(); }
  /// Writes a file and returns its path.
  std::string file(const std::string &name, const std::string &content) const {
    EXPECT_TRUE(writeFile(path(name), content));
    return path(name);
  }

private:
  std::filesystem::path folder;
};

/// The bytes of numbers, as in a file.
template <class T> std::string bytesOf(std::initializer_list<T> values) {
  return {reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(T)};
}

template <class T> std::vector<T> valuesOf(const Tensor &tensor) {
  return {tensor.as<T>(), tensor.as<T>() + tensor.size()};
}

inline void expectSame(const Tensor &a, const Tensor &b) {
  EXPECT_EQ(a.describe(), b.describe());
  ASSERT_EQ(a.bytes(), b.bytes());
  if (a.bytes() != 0) {
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.bytes()), 0);
  }
}

} // namespace proa::params
