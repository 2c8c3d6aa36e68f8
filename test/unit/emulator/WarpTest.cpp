// Registers, barriers and operations of a warp, compared with the semantics that the PTX ISA documents.
#include "test/unit/emulator/EmulatedKernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <limits>
#include <numeric>
#include <random>

using namespace proa;
using namespace proa::testing;

namespace {

using Ints = std::vector<int32_t>;

Ints randomInts(size_t count, int32_t low, int32_t high, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int32_t> distribution(low, high);
  Ints values(count);
  std::ranges::generate(values, [&] { return distribution(random); });
  return values;
}

/// The pseudocode of shfl.sync in the PTX ISA: the source lane, or -1 where the predicate is false.
int sourceOf(const std::string &kind, int lane, int b, int c) {
  int bval = b & 0x1f, cval = c & 0x1f, segmask = c >> 8 & 0x1f;
  int maxLane = (lane & segmask) | (cval & ~segmask & 0x1f), minLane = lane & segmask;
  int j = 0;
  bool pval = false;
  if (kind == "up") {
    j = lane - bval;
    pval = j >= maxLane;
  } else if (kind == "down") {
    j = lane + bval;
    pval = j <= maxLane;
  } else if (kind == "bfly") {
    j = lane ^ bval;
    pval = j <= maxLane;
  } else {
    j = minLane | (bval & ~segmask & 0x1f);
    pval = j <= maxLane;
  }
  return pval ? j : -1;
}

} // namespace

TEST(Warp, ShufflesOfAllKindsAndWidths) {
  for (std::string kind : {"up", "down", "bfly", "idx"})
    for (int width : {32, 16, 8, 2}) {
      int clamp = (32 - width) << 8 | (kind == "up" ? 0 : 31);
      EmulatedKernel kernel(warpKernel(
          4, loadAt("%v", "%b0", "i32") + loadAt("%o", "%b1", "i32") + constant("%clamp", clamp) +
                 "%r = nvvm.shfl.sync " + kind +
                 " %full, %v, %o, %clamp {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>\n"
                 "%x = llvm.extractvalue %r[0] : !llvm.struct<(i32, i1)>\n"
                 "%p = llvm.extractvalue %r[1] : !llvm.struct<(i32, i1)>\n%y = llvm.zext %p : i1 to i32\n" +
                 storeAt("%x", "%b2", "i32") + storeAt("%y", "%b3", "i32")));
      for (emulator::Schedule schedule : allSchedules) {
        Ints values = randomInts(32, -1000, 1000, 1), offsets = randomInts(32, 0, 40, 2), result(32),
             valid(32);
        ASSERT_EQ(kernel.run(schedule, {values, offsets, result, valid}), "");
        for (int lane = 0; lane < 32; ++lane) {
          int source = sourceOf(kind, lane, offsets[lane], clamp);
          EXPECT_EQ(result[lane], values[source < 0 ? lane : source]) << kind << width << " lane " << lane;
          EXPECT_EQ(valid[lane], source >= 0) << kind << width << " lane " << lane;
        }
      }
    }
}

TEST(Warp, ShuffleOfFloatsOfHalfAWarp) {
  EmulatedKernel kernel(warpKernel(2, loadAt("%v", "%b0", "f32") + constant("%low", 0xffff) +
                                          constant("%high", -65536) + constant("%c16", 16) +
                                          "%is_low = llvm.icmp \"ult\" %tid, %c16 : i32\n"
                                          "%mask = llvm.select %is_low, %low, %high : i1, i32\n"
                                          "%r = nvvm.shfl.sync bfly %mask, %v, %c1, %c31 : f32 -> f32\n" +
                                          storeAt("%r", "%b1", "f32")));
  std::vector<float> values(32), result(32);
  std::iota(values.begin(), values.end(), 0.5f);
  for (emulator::Schedule schedule : allSchedules) {
    ASSERT_EQ(kernel.run(schedule, {values, result}), "");
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(result[lane], values[lane ^ 1]);
  }
}

TEST(Warp, VotesOfTwoGroups) {
  std::string body =
      loadAt("%v", "%b0", "i32") + loadAt("%mask", "%b1", "i32") + "%p = llvm.icmp \"ne\" %v, %c0 : i32\n";
  for (std::string kind : {"any", "all", "uni"})
    body += "%" + kind + " = nvvm.vote.sync " + kind + " %mask, %p -> i1\n%" + kind + "_i = llvm.zext %" +
            kind + " : i1 to i32\n" +
            storeAt("%" + kind + "_i",
                    kind == "any"   ? "%b2"
                    : kind == "all" ? "%b3"
                                    : "%b4",
                    "i32");
  body += "%ballot = nvvm.vote.sync ballot %mask, %p -> i32\n" + storeAt("%ballot", "%b5", "i32");
  EmulatedKernel kernel(warpKernel(6, body));
  const uint32_t low = 0x0f0f00ffu;
  for (uint32_t votes : {0u, ~0u, low, ~low, 0x12345678u}) {
    Ints values(32), masks(32), any(32), all(32), uniform(32), ballot(32);
    for (int lane = 0; lane < 32; ++lane) {
      values[lane] = votes >> lane & 1;
      masks[lane] = static_cast<int32_t>(low >> lane & 1 ? low : ~low);
    }
    ASSERT_EQ(kernel.run(emulator::Schedule::Random, {values, masks, any, all, uniform, ballot}), "");
    for (int lane = 0; lane < 32; ++lane) {
      auto mask = static_cast<uint32_t>(masks[lane]);
      EXPECT_EQ(any[lane], (votes & mask) != 0);
      EXPECT_EQ(all[lane], (votes & mask) == mask);
      EXPECT_EQ(uniform[lane], (votes & mask) == 0 || (votes & mask) == mask);
      EXPECT_EQ(static_cast<uint32_t>(ballot[lane]), votes & mask);
    }
  }
}

TEST(Warp, ReductionsOfMembers) {
  auto as = [](int32_t value) { return static_cast<uint32_t>(value); };
  auto unsignedOf = [](auto function) {
    return [=](int32_t a, int32_t b) {
      return static_cast<int32_t>(function(static_cast<uint32_t>(a), static_cast<uint32_t>(b)));
    };
  };
  const std::pair<std::string, std::function<int32_t(int32_t, int32_t)>> kinds[] = {
      {"add", [as](int32_t a, int32_t b) { return static_cast<int32_t>(as(a) + as(b)); }},
      {"and", [](int32_t a, int32_t b) { return a & b; }},
      {"or", [](int32_t a, int32_t b) { return a | b; }},
      {"xor", [](int32_t a, int32_t b) { return a ^ b; }},
      {"min", [](int32_t a, int32_t b) { return std::min(a, b); }},
      {"max", [](int32_t a, int32_t b) { return std::max(a, b); }},
      {"umin", unsignedOf([](uint32_t a, uint32_t b) { return std::min(a, b); })},
      {"umax", unsignedOf([](uint32_t a, uint32_t b) { return std::max(a, b); })}};
  for (const auto &[kind, combine] : kinds) {
    EmulatedKernel kernel(warpKernel(3, loadAt("%v", "%b0", "i32") + loadAt("%mask", "%b1", "i32") +
                                            "%r = nvvm.redux.sync " + kind + " %v, %mask : i32 -> i32\n" +
                                            storeAt("%r", "%b2", "i32")));
    Ints values = randomInts(32, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), 5);
    Ints masks(32), result(32);
    for (int lane = 0; lane < 32; ++lane)
      masks[lane] = lane < 20 ? 0xfffff : static_cast<int32_t>(0xfff00000u);
    ASSERT_EQ(kernel.run(emulator::Schedule::Reverse, {values, masks, result}), "");
    int32_t low = std::accumulate(values.begin() + 1, values.begin() + 20, values[0], combine),
            high = std::accumulate(values.begin() + 21, values.end(), values[20], combine);
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(result[lane], lane < 20 ? low : high) << kind;
  }
}

TEST(Warp, MatchAndElect) {
  EmulatedKernel kernel(warpKernel(
      5, loadAt("%v", "%b0", "i32") +
             "%any = nvvm.match.sync any %full, %v : i32 -> i32\n"
             "%all = nvvm.match.sync all %full, %v : i32 -> !llvm.struct<(i32, i1)>\n"
             "%mask = llvm.extractvalue %all[0] : !llvm.struct<(i32, i1)>\n"
             "%p = llvm.extractvalue %all[1] : !llvm.struct<(i32, i1)>\n%same = llvm.zext %p : i1 to i32\n"
             "%e = nvvm.elect.sync -> i1\n%leader = llvm.zext %e : i1 to i32\n" +
             storeAt("%any", "%b1", "i32") + storeAt("%mask", "%b2", "i32") + storeAt("%same", "%b3", "i32") +
             storeAt("%leader", "%b4", "i32")));
  for (int32_t high : {0, 3}) {
    Ints values = randomInts(32, 0, high, 3), any(32), all(32), same(32), leader(32);
    ASSERT_EQ(kernel.run(emulator::Schedule::Forward, {values, any, all, same, leader}), "");
    for (int lane = 0; lane < 32; ++lane) {
      uint32_t expected = 0;
      for (int other = 0; other < 32; ++other)
        expected |= uint32_t(values[other] == values[lane]) << other;
      EXPECT_EQ(static_cast<uint32_t>(any[lane]), expected);
      EXPECT_EQ(static_cast<uint32_t>(all[lane]), high == 0 ? ~0u : 0u);
      EXPECT_EQ(same[lane], high == 0);
    }
    EXPECT_EQ(std::accumulate(leader.begin(), leader.end(), 0), 1);
  }
}

TEST(Warp, BarriersReduceAndHaveNames) {
  // Each pair of warps has a barrier of its own; then all threads reduce.
  EmulatedKernel kernel(warpKernel(
      4,
      constant("%c64", 64) + loadAt("%v", "%b0", "i32") +
          "%pair = llvm.udiv %tid, %c64 : i32\n%id = llvm.add %pair, %c1 : i32\n"
          "%shared = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
          "%own = llvm.getelementptr %shared[%lane64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32\n"
          "llvm.store %v, %own : i32, !llvm.ptr<3>\n"
          "nvvm.barrier id = %id number_of_threads = %c64\n"
          "%c63 = llvm.mlir.constant(63 : i64) : i64\n%mirror = llvm.xor %lane64, %c63 : i64\n"
          "%other = llvm.getelementptr %shared[%mirror] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32\n"
          "%w = llvm.load %other : !llvm.ptr<3> -> i32\n" +
          storeAt("%w", "%b1", "i32") +
          "%count = nvvm.barrier #nvvm.reduction<popc> %v -> i32\n%all = nvvm.barrier #nvvm.reduction<and> "
          "%v -> i32\n"
          "%any = nvvm.barrier #nvvm.reduction<or> %v -> i32\n%c2 = llvm.mlir.constant(2 : i32) : i32\n"
          "%two = llvm.shl %any, %c1 : i32\n%four = llvm.shl %all, %c2 : i32\n"
          "%flags = llvm.or %two, %four : i32\n" +
          storeAt("%count", "%b2", "i32") + storeAt("%flags", "%b3", "i32"),
      128, "llvm.mlir.global internal @s() {addr_space = 3 : i32} : !llvm.array<128 x i32>\n"));
  for (emulator::Schedule schedule : allSchedules) {
    Ints values = randomInts(128, 0, 3, 9), mirrored(128), counts(128), flags(128);
    ASSERT_EQ(kernel.run(schedule, {values, mirrored, counts, flags}), "");
    auto count = std::ranges::count_if(values, [](int32_t value) { return value != 0; });
    for (int thread = 0; thread < 128; ++thread) {
      EXPECT_EQ(mirrored[thread], values[thread ^ 63]);
      EXPECT_EQ(counts[thread], count);
      EXPECT_EQ(flags[thread], 2);
    }
  }
}

TEST(Warp, RegistersHaveTheirValues) {
  const std::pair<std::string, std::function<int64_t(int)>> registers[] = {
      {"tid.x", [](int t) { return t; }},
      {"ntid.x", [](int) { return 96; }},
      {"laneid", [](int t) { return t % 32; }},
      {"warpid", [](int t) { return t / 32; }},
      {"nwarpid", [](int) { return 3; }},
      {"warpsize", [](int) { return 32; }},
      {"ctaid.x", [](int) { return 0; }},
      {"nctaid.x", [](int) { return 1; }},
      {"tid.y", [](int) { return 0; }},
      {"ntid.z", [](int) { return 1; }},
      {"lanemask.eq", [](int t) { return 1ll << t % 32; }},
      {"lanemask.lt", [](int t) { return (1ll << t % 32) - 1; }},
      {"lanemask.le", [](int t) { return (2ll << t % 32) - 1; }},
      {"lanemask.gt", [](int t) { return 0xffffffffll & ~((2ll << t % 32) - 1); }},
      {"lanemask.ge", [](int t) { return 0xffffffffll & ~((1ll << t % 32) - 1); }}};
  for (const auto &[name, expected] : registers) {
    EmulatedKernel kernel(
        warpKernel(1, "%r = nvvm.read.ptx.sreg." + name + " : i32\n" + storeAt("%r", "%b0", "i32"), 96));
    Ints result(96);
    ASSERT_EQ(kernel.run(emulator::Schedule::Reverse, {result}), "");
    for (int thread = 0; thread < 96; ++thread)
      EXPECT_EQ(static_cast<uint32_t>(result[thread]), static_cast<uint32_t>(expected(thread))) << name;
  }
}

TEST(Warp, ConversionsToHalfPrecision) {
  EmulatedKernel kernel(
      warpKernel(3, loadAt("%v", "%b0", "f32") +
                        "%d = llvm.fpext %v : f32 to f64\n"
                        "%third = llvm.mlir.constant(0.3333 : f64) : f64\n"
                        "%x = llvm.fmul %d, %third : f64\n%h = llvm.fptrunc %x : f64 to f16\n"
                        "%b = llvm.fptrunc %x : f64 to bf16\n%hf = llvm.fpext %h : f16 to f32\n"
                        "%bf = llvm.fpext %b : bf16 to f32\n" +
                        storeAt("%hf", "%b1", "f32") + storeAt("%bf", "%b2", "f32")));
  std::vector<float> values(32), half(32), brain(32);
  for (int i = 0; i < 32; ++i)
    values[static_cast<size_t>(i)] = static_cast<float>(i * i) + 0.1f;
  ASSERT_EQ(kernel.run(emulator::Schedule::Forward, {values, half, brain}), "");
  for (size_t i = 0; i < 32; ++i) {
    double exact = static_cast<double>(values[i]) * 0.3333;
    EXPECT_NEAR(half[i], exact, std::abs(exact) * 0x1p-11);
    EXPECT_NEAR(brain[i], exact, std::abs(exact) * 0x1p-8);
  }
}

TEST(Warp, SeveralThreadsOfTheCpuLaunchAtOnce) {
  EmulatedKernel kernel(
      warpKernel(2, loadAt("%v", "%b0", "i32") +
                        "%r = nvvm.shfl.sync bfly %full, %v, %c31, %c31 : i32 -> i32\nnvvm.barrier0\n" +
                        storeAt("%r", "%b1", "i32")));
  std::vector<std::future<void>> runs;
  for (int32_t seed = 0; seed < 4; ++seed)
    runs.push_back(std::async(std::launch::async, [&kernel, seed] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        Ints values(32), result(32);
        std::iota(values.begin(), values.end(), seed * 100);
        EXPECT_EQ(kernel.run({values, result}, {}, 1), "");
        for (int lane = 0; lane < 32; ++lane)
          EXPECT_EQ(result[lane], values[31 - lane]);
      }
    }));
  for (std::future<void> &run : runs)
    run.get();
}

TEST(Warp, RowsAreDividedAmongBlocks) {
  // Each row is written by one block: the index of the row plus the thread.
  EmulatedKernel kernel(warpKernel(
      1, "%b = nvvm.read.ptx.sreg.ctaid.x : i32\n%g = nvvm.read.ptx.sreg.nctaid.x : i32\n"
         "%block = llvm.zext %b : i32 to i64\n%step = llvm.zext %g : i32 to i64\n"
         "%first = llvm.add %begin, %block : i64\n%width = llvm.mlir.constant(32 : i64) : i64\n"
         "llvm.br ^head(%first : i64)\n^head(%row: i64):\n%more = llvm.icmp \"slt\" %row, %end : i64\n"
         "llvm.cond_br %more, ^body, ^exit\n^body:\n%start = llvm.mul %row, %width : i64\n"
         "%i = llvm.add %start, %lane64 : i64\n%value = llvm.trunc %i : i64 to i32\n"
         "%p = llvm.getelementptr %b0[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32\n"
         "%old = llvm.load %p : !llvm.ptr -> i32\n%new = llvm.add %old, %value : i32\n"
         "llvm.store %new, %p : i32, !llvm.ptr\n%next = llvm.add %row, %step : i64\n"
         "llvm.br ^head(%next : i64)\n^exit:"));
  for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation) {
    emulator::setScheduling({.rotation = rotation, .seed = rotation});
    Ints result(7 * 32);
    ASSERT_EQ(kernel.run({result}, {}, 7), "");
    for (int i = 0; i < 7 * 32; ++i)
      EXPECT_EQ(result[i], i);
  }
  emulator::setScheduling({});
}
