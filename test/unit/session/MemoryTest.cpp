#include "test/unit/session/Programs.h"

#include <gtest/gtest.h>

#include <charconv>
#include <fstream>

using namespace proa;

namespace {

/// A field of /proc/self/status, in bytes.
int64_t statusBytes(const std::string &field) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with(field + ":"))
      return std::stoll(line.substr(field.size() + 1)) << 10;
  return -1;
}

constexpr int64_t mebibyte = 1 << 20;

TEST(Memory, AFurtherSessionAddsItsArena) {
  constexpr int depth = 8;
  constexpr int64_t width = 1024; // 32 MiB of weights
  auto model = openLayers(depth, width, {.threads = 1});
  ASSERT_TRUE(model) << model.diagnostics().text();
  std::map<std::string, Tensor> feeds{{"x", numbers({16, width}, 1)}};
  auto first = model->session();
  ASSERT_TRUE(first->run(feeds));
  int64_t before = statusBytes("RssAnon");
  std::vector<Session> others;
  for (int i = 0; i < 4; ++i) {
    others.push_back(std::move(*model->session()));
    ASSERT_TRUE(others.back().run(feeds));
  }
  int64_t added = (statusBytes("RssAnon") - before) / 4;
  EXPECT_LT(added, first->arenaBytes() + 2 * mebibyte) << "arena " << first->arenaBytes();
}

} // namespace
