// Kernels with one fault each, and the messages that name it.
#include "test/unit/emulator/EmulatedKernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace proa;
using namespace proa::testing;
using ::testing::HasSubstr;

namespace {

using Floats = std::vector<float>;

const std::string sharedFloats =
    "llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>\n";

std::string constants(const std::string &name, int value) {
  return name + " = llvm.mlir.constant(" + std::to_string(value) + " : i32) : i32\n";
}

/// Threads below `limit` execute `then`, the others `otherwise`.
std::string branch(int limit, const std::string &then, const std::string &otherwise) {
  return constants("%limit", limit) +
         "%is_low = llvm.icmp \"ult\" %tid, %limit : i32\n"
         "llvm.cond_br %is_low, ^then, ^else\n^then:\n" +
         then + "llvm.br ^exit\n^else:\n" + otherwise + "llvm.br ^exit\n^exit:\n";
}

/// The error in each schedule, which must be the same but for the name of the schedule.
std::string errorOf(const std::string &text, const std::vector<Buffer> &buffers = {}) {
  EmulatedKernel kernel(text);
  std::string first;
  for (emulator::Schedule schedule : allSchedules) {
    std::string error = kernel.run(schedule, buffers);
    EXPECT_NE(error, "") << text;
    if (first.empty())
      first = error;
  }
  return first;
}

} // namespace

TEST(Faults, BarrierThatSomeThreadsSkip) {
  EXPECT_EQ(
      errorOf(warpKernel(0, branch(16, "nvvm.barrier0\n", ""))),
      "emulation of 'k' (1 blocks for the rows 0 to 0, schedule 'forward'): block 0: threads wait for each "
      "other "
      "forever: threads 16-31 have ended; threads 0-15 wait at barrier 0 for 32 threads (barrier op 0 of the "
      "kernel)");
}

TEST(Faults, BarriersInBothBranchesOfAWarp) {
  EXPECT_THAT(
      errorOf(warpKernel(0, branch(16, "nvvm.barrier0\n", "nvvm.barrier0\n"))),
      HasSubstr("barrier 0 is divergent: thread 15 waits at barrier op 0 of the kernel and thread 16 of the "
                "same warp at op 1"));
}

TEST(Faults, BarriersInBranchesOfDifferentWarpsAreValid) {
  EmulatedKernel kernel(warpKernel(0, branch(32, "nvvm.barrier0\n", "nvvm.barrier0\n"), 64));
  EXPECT_EQ(kernel.run(emulator::Schedule::Random, {}), "");
}

TEST(Faults, DifferentBarriers) {
  EXPECT_THAT(
      errorOf(warpKernel(0, branch(32, "nvvm.barrier id = %c0\n", "nvvm.barrier id = %c1\n"), 64)),
      HasSubstr("threads 0-31 wait at barrier 0 for 64 threads (barrier op 0 of the kernel); threads 32-63 "
                "wait at barrier 1 for 64 threads (barrier op 1 of the kernel)"));
}

TEST(Faults, BarrierWithDifferentCounts) {
  EXPECT_THAT(errorOf(warpKernel(0,
                                 constants("%c64", 64) + constants("%c96", 96) +
                                     branch(32, "nvvm.barrier id = %c0 number_of_threads = %c64\n",
                                            "nvvm.barrier id = %c0 number_of_threads = %c96\n"),
                                 96)),
              HasSubstr("while others wait there for"));
}

TEST(Faults, InvalidBarrier) {
  EXPECT_THAT(errorOf(warpKernel(0, "nvvm.barrier id = %c31\n")),
              HasSubstr("uses barrier 31, expected an index below 16"));
  EXPECT_THAT(errorOf(warpKernel(0, "nvvm.barrier id = %c0 number_of_threads = %c31\n")),
              HasSubstr("waits at barrier 0 for 31 threads, expected a multiple of 32"));
}

/// Threads of 384 below `limit` request `readers` registers, the others `others`.
std::string exchange(int limit, int readers, int others, int threads = 384) {
  return warpKernel(0,
                    branch(limit, "nvvm.setmaxregister increase " + std::to_string(readers) + "\n",
                           "nvvm.setmaxregister decrease " + std::to_string(others) + "\n"),
                    threads);
}

TEST(Faults, RegistersThatWarpgroupsExchangeAreValid) {
  EmulatedKernel kernel(exchange(256, 240, 24));
  for (emulator::Schedule schedule : allSchedules)
    EXPECT_EQ(kernel.run(schedule, {}), "");
}

TEST(Faults, MoreRegistersThanTheBlockHas) {
  EXPECT_THAT(errorOf(exchange(256, 240, 40)),
              HasSubstr("its warps request 66560 registers by setmaxnreg, expected at most 64512"));
}

TEST(Faults, RegistersOfAPartOfAWarpgroup) {
  EXPECT_THAT(errorOf(exchange(224, 240, 24)),
              HasSubstr("warp 4 has 240 registers after 1 setmaxnreg, and warp 7 of the same warpgroup 24 "
                        "after 1"));
}

TEST(Faults, RegistersOfABlockWithoutWholeWarpgroups) {
  EXPECT_THAT(errorOf(exchange(256, 240, 24, 288)),
              HasSubstr("executes setmaxnreg of 240 registers in a block of 288 threads"));
}

TEST(Faults, RegistersThatAnIncreaseTakesAway) {
  EXPECT_THAT(errorOf(exchange(256, 160, 24)),
              HasSubstr("executes setmaxnreg.inc 160 with 168 registers, expected at most as many"));
}

TEST(Faults, ShuffleWithAMaskWithoutTheLane) {
  EXPECT_THAT(errorOf(warpKernel(0, constants("%mask", 0xffff) +
                                        "%r = nvvm.shfl.sync bfly %mask, %tid, %c1, %c31 : i32 -> i32\n")),
              HasSubstr("executes shfl.sync with the member mask 0x0000ffff, which lacks its own lane"));
}

TEST(Faults, ShuffleFromALaneThatIsNotAMember) {
  std::string low = "%r = nvvm.shfl.sync idx %mask, %tid, %c31, %c31 : i32 -> i32\n";
  EXPECT_THAT(errorOf(warpKernel(0, constants("%mask", 0xffff) + branch(16, low, ""))),
              HasSubstr("shuffles from lane 31, which is not in the member mask"));
}

TEST(Faults, ShuffleWithLanesThatNeverArrive) {
  std::string shuffle = "%r = nvvm.shfl.sync bfly %full, %tid, %c1, %c31 : i32 -> i32\n";
  EmulatedKernel kernel(warpKernel(0, branch(16, shuffle, "")));
  // The lanes that wait are known only when the others have ended.
  EXPECT_THAT(
      kernel.run(emulator::Schedule::Forward, {}),
      HasSubstr("threads 16-31 have ended; threads 0-15 wait at shfl.sync with the member mask 0xffffffff"));
  EXPECT_THAT(kernel.run(emulator::Schedule::Reverse, {}), HasSubstr("has ended"));
}

TEST(Faults, DifferentWarpOperations) {
  EXPECT_THAT(
      errorOf(warpKernel(0, branch(16, "nvvm.bar.warp.sync %full : i32\n",
                                   "%r = nvvm.shfl.sync bfly %full, %tid, %c1, %c31 : i32 -> i32\n"))),
      HasSubstr("threads 0-15 wait at bar.warp.sync with the member mask 0xffffffff; threads 16-31 wait at "
                "shfl.sync with the member mask 0xffffffff"));
}

TEST(Faults, MatrixOperationInPartOfAWarp) {
  std::string load = "%shared = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
                     "%r = nvvm.ldmatrix %shared {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = "
                     "#nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : "
                     "(!llvm.ptr<3>) -> i32\n";
  EXPECT_THAT(errorOf(warpKernel(0, load, 16, sharedFloats)),
              HasSubstr("executes ldmatrix in a warp of 16 threads, expected 32"));
}

TEST(Faults, ReadAndWriteOutOfBounds) {
  Floats input(32), small(31);
  std::string copy = loadAt("%x", "%b0", "f32") + storeAt("%x", "%b1", "f32");
  EmulatedKernel kernel(warpKernel(2, copy));
  EXPECT_EQ(kernel.run(emulator::Schedule::Forward, {input, input}), "");
  EXPECT_THAT(errorOf(warpKernel(2, copy), {small, input}),
              HasSubstr("thread 31: reads 4 bytes at offset 124 of buffer 0, which has 124 bytes"));
  EXPECT_THAT(errorOf(warpKernel(2, copy), {input, small}),
              HasSubstr("thread 31: writes 4 bytes at offset 124 of buffer 1, which has 124 bytes"));
}

TEST(Faults, ReadBeforeABuffer) {
  Floats input(32), output(32);
  EXPECT_THAT(errorOf(warpKernel(2, "%minus = llvm.mlir.constant(-1 : i64) : i64\n" +
                                        loadAt("%x", "%b0", "f32", "%minus") + storeAt("%x", "%b1", "f32")),
                      {input, output}),
              HasSubstr("reads 4 bytes at offset -4 of buffer 0, which has 128 bytes"));
}

TEST(Faults, AtomicAndSelectedAddressesOutOfBounds) {
  Floats input(16), output(16);
  std::string address = "%p = llvm.getelementptr %b0[%lane64] : (!llvm.ptr, i64) -> !llvm.ptr, i32\n";
  EXPECT_THAT(
      errorOf(warpKernel(2, address + "%old = llvm.atomicrmw add %p, %c1 monotonic : !llvm.ptr, i32\n"),
              {input, output}),
      HasSubstr("updates 4 bytes at offset 64 of buffer 0, which has 64 bytes"));
  // The buffer of an address is not always known.
  std::string either =
      "%even = llvm.icmp \"eq\" %tid, %c0 : i32\n"
      "%b = llvm.select %even, %b0, %b1 : i1, !llvm.ptr\n%far = llvm.mlir.constant(1000000 : i64) : i64\n";
  EXPECT_THAT(
      errorOf(warpKernel(2, either + loadAt("%x", "%b", "f32", "%far") + storeAt("%x", "%b1", "f32", "%far")),
              {input, output}),
      HasSubstr("reads 4 bytes outside of all buffers of the kernel, shared memory and the stack"));
}

TEST(Faults, MaskedVectors) {
  // Four elements for each thread, of which those below the limit of the buffers are accessed.
  std::string body = "%c4 = llvm.mlir.constant(4 : i64) : i64\n%i = llvm.mul %lane64, %c4 : i64\n"
                     "%left = llvm.mlir.constant(126 : i64) : i64\n%rest = llvm.sub %left, %i : i64\n"
                     "%m0 = llvm.mlir.poison : vector<4xi1>\n";
  for (int k = 0; k < 4; ++k) {
    std::string p = std::to_string(k), next = std::to_string(k + 1);
    body += "%k" + p + " = llvm.mlir.constant(" + p + " : i64) : i64\n%in" + p + " = llvm.icmp \"slt\" %k" +
            p + ", %rest : i64\n%m" + next + " = llvm.insertelement %in" + p + ", %m" + p + "[%k" + p +
            " : i64] : vector<4xi1>\n";
  }
  body += "%from = llvm.getelementptr %b0[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\n"
          "%to = llvm.getelementptr %b1[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\n"
          "%none = llvm.mlir.zero : vector<4xf32>\n"
          "%v = llvm.intr.masked.load %from, %m4, %none {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, "
          "vector<4xf32>) -> vector<4xf32>\n"
          "llvm.intr.masked.store %v, %to, %m4 {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into "
          "!llvm.ptr\n";
  EmulatedKernel kernel(warpKernel(2, body));
  Floats input(126, 3), output(126), small(125);
  for (emulator::Schedule schedule : allSchedules) {
    ASSERT_EQ(kernel.run(schedule, {input, output}), "");
    EXPECT_EQ(output, input);
    EXPECT_THAT(kernel.run(schedule, {small, output}),
                HasSubstr("thread 31: reads 4 bytes outside of all buffers"));
  }
}

TEST(Faults, SharedMemoryOutOfBounds) {
  std::string store = "%shared = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
                      "%next = llvm.getelementptr %shared[%lane64, 1] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, "
                      "!llvm.array<1 x f32>\n%x = llvm.mlir.constant(1.0 : f32) : f32\n"
                      "llvm.store %x, %next : f32, !llvm.ptr<3>\n";
  EXPECT_THAT(errorOf(warpKernel(0, store, 32, sharedFloats)),
              HasSubstr("thread 31: writes 4 bytes at offset 128 of a shared variable, which has 128 bytes"));
}

TEST(Faults, MisalignedVector) {
  Floats input(36), output(36);
  EXPECT_THAT(errorOf(warpKernel(2, "%p = llvm.getelementptr %b0[1] : (!llvm.ptr) -> !llvm.ptr, f32\n"
                                    "%v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>\n"
                                    "llvm.store %v, %b1 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr\n"),
                      {input, output}),
              HasSubstr("reads 16 bytes at an address that is not a multiple of 16"));
}

TEST(Faults, UnwrittenSharedMemoryIsNan) {
  EmulatedKernel kernel(warpKernel(1,
                                   "%shared = llvm.mlir.addressof @s : !llvm.ptr<3>\n"
                                   "%own = llvm.getelementptr %shared[%lane64] : (!llvm.ptr<3>, i64) -> "
                                   "!llvm.ptr<3>, f32\n%x = llvm.load %own : !llvm.ptr<3> -> f32\n" +
                                       storeAt("%x", "%b0", "f32"),
                                   32, sharedFloats));
  Floats output(32);
  ASSERT_EQ(kernel.run(emulator::Schedule::Forward, {output}), "");
  for (float value : output)
    EXPECT_TRUE(std::isnan(value));
}

TEST(Faults, AFailedBlockDoesNotDisturbTheNextLaunch) {
  EmulatedKernel bad(warpKernel(0, branch(16, "nvvm.barrier0\n", ""))),
      good(warpKernel(0, "nvvm.barrier0\n"));
  EXPECT_NE(bad.run(emulator::Schedule::Forward, {}), "");
  EXPECT_EQ(good.run(emulator::Schedule::Forward, {}), "");
}
