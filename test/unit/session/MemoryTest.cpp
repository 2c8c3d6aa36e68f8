#include "test/unit/session/Programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
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

TEST(Memory, ProgramsForDimsShareWeights) {
  constexpr int depth = 8;
  constexpr int64_t width = 1024; // 32 MiB of weights
  auto model = openLayers(depth, width, {.threads = 1});
  ASSERT_TRUE(model) << model.diagnostics().text();
  auto session = model->session();
  ASSERT_TRUE(session->run({{"x", numbers({16, width}, 1)}})); // by the program for all dims
  int64_t before = statusBytes("RssAnon");
  for (int64_t rows : {16, 24, 32, 40}) {
    ASSERT_TRUE(session->prepare({{"x", numbers({rows, width}, 1)}}));
    ASSERT_TRUE(session->run({{"x", numbers({rows, width}, 1)}}));
  }
  EXPECT_LT(statusBytes("RssAnon") - before, 24 * mebibyte); // compilation keeps some memory
}

/// Counts the bytes that are allocated.
struct CountedMemory final : Allocator {
  void *allocate(size_t bytes, size_t alignment) override {
    live += static_cast<int64_t>(bytes);
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  void deallocate(void *memory, size_t bytes) override {
    live -= static_cast<int64_t>(bytes);
    std::free(memory);
  }
  int64_t live = 0;
};

TEST(Memory, ASessionHasOneArena) {
  constexpr int64_t width = 64;
  auto model = openLayers(3, width,
                          {.threads = 1, .specialization = Specialization::Always, .keptSpecializations = 2});
  ASSERT_TRUE(model) << model.diagnostics().text();
  auto memory = std::make_shared<CountedMemory>();
  auto session = model->session({.allocator = memory});
  int64_t largest = 0;
  auto run = [&](int64_t rows) {
    ASSERT_TRUE(session->run({{"x", numbers({rows, width}, 1)}}));
    largest = std::max(largest, session->arenaBytes());
  };
  auto resultBytes = [&](int64_t rows) { return rows * width * static_cast<int64_t>(sizeof(float)); };
  for (int64_t rows : {4096, 2048, 4096})
    run(rows);
  EXPECT_LE(memory->live, largest + 2 * resultBytes(4096));
  for (int64_t rows : {16, 32, 48, 64}) // drop the larger ones
    run(rows);
  EXPECT_LE(memory->live, session->arenaBytes() + 2 * resultBytes(64));
}

TEST(Memory, DynamicDimsOfManySizesKeepTheBuffersOfTheLast) {
  constexpr int64_t width = 64;
  auto model = openLayers(3, width, {.threads = 1, .specialization = Specialization::Never});
  ASSERT_TRUE(model) << model.diagnostics().text();
  auto memory = std::make_shared<CountedMemory>();
  auto session = model->session({.allocator = memory});
  ASSERT_TRUE(session->run({{"x", numbers({4096, width}, 1)}}));
  for (int i = 0; i < 200; ++i)
    ASSERT_TRUE(session->run({{"x", numbers({16, width}, 1)}}));
  EXPECT_LE(memory->live, 8 * 16 * width * static_cast<int64_t>(sizeof(float)));
}

} // namespace
