#include "lib/runtime/memory/BufferPool.h"
#include "lib/runtime/memory/ResultMemory.h"

#include <gtest/gtest.h>

#include <set>

namespace proa::runtime {
namespace {

TEST(BufferPool, ReusesReleasedBuffers) {
  BufferPool pool;
  std::set<void *> memory;
  for (int run = 0; run < 10; ++run)
    for (size_t bytes : {100, 10'000, 1'000'000}) {
      BufferPool::Buffer buffer = pool.acquire(bytes);
      ASSERT_TRUE(buffer.memory);
      EXPECT_GE(buffer.bytes, bytes);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.memory.get()) % 64, 0U);
      if (run > 3)
        EXPECT_TRUE(memory.contains(buffer.memory.get())) << "run " << run << ", " << bytes << " bytes";
      memory.insert(buffer.memory.get());
      pool.release(std::move(buffer));
    }
}

TEST(BufferPool, GrowingTensorReleasesItsBuffers) {
  BufferPool pool;
  BufferPool::Buffer last;
  size_t changes = 0;
  for (size_t rows = 1; rows <= 1000; ++rows) { // y = concat(y, x) in a loop
    BufferPool::Buffer next = pool.acquire(rows * 4096);
    std::swap(last, next);
    pool.release(std::move(next));
    changes += pool.freeBytes() > 2 * last.bytes;
  }
  EXPECT_EQ(changes, 0U) << "times that it kept more than twice what the loop needs";
}

TEST(BufferPool, ReleasesSharedBuffers) {
  BufferPool pool;
  BufferPool::Buffer buffer = pool.acquire(1000), copy = buffer;
  pool.release(std::move(buffer));
  EXPECT_EQ(pool.freeBytes(), 0U);
  pool.release(std::move(copy));
  EXPECT_GE(pool.freeBytes(), 1000U);
}

TEST(ResultMemory, ReusesMemoryReleasedByCaller) {
  ResultMemory memory;
  std::shared_ptr<void> first = memory.acquire(1000), second = memory.acquire(1000), third;
  EXPECT_NE(first, second);
  void *released = first.get();
  first.reset();
  third = memory.acquire(900);
  EXPECT_EQ(third.get(), released);
  std::shared_ptr<void> fourth = memory.acquire(1000);
  EXPECT_NE(fourth, second);
  EXPECT_NE(fourth, third) << "both are the caller's";
  second.reset();
  third.reset();
  fourth.reset();
  EXPECT_TRUE(memory.acquire(1'000'000)) << "of another size";
  EXPECT_TRUE(memory.acquire(0));
}

} // namespace
} // namespace proa::runtime
