// cp.async: groups, waits, zero fill, and a missing wait.
#include "test/unit/emulator/EmulatedKernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace proa;
using namespace proa::testing;

namespace {

const std::string twoTiles =
    "llvm.mlir.global internal @s() {addr_space = 3 : i32} : !llvm.array<256 x f32>\n";

/// Copies 16 bytes by each lane into each of two halves of shared memory, waits by `wait`, and stores both.
std::string copyKernel(const std::string &wait, const std::string &sourceBytes = "") {
  std::string text =
      "%shared = llvm.mlir.addressof @s : !llvm.ptr<3>\n%c4 = llvm.mlir.constant(4 : i64) : i64\n"
      "%c128 = llvm.mlir.constant(128 : i64) : i64\n%first = llvm.mul %lane64, %c4 : i64\n"
      "%second = llvm.add %first, %c128 : i64\n%c8 = llvm.mlir.constant(8 : i32) : i32\n";
  for (std::string i : {"first", "second"})
    text += "%from_" + i + " = llvm.getelementptr %b0[%" + i +
            "] : (!llvm.ptr, i64) -> !llvm.ptr, f32\n%global_" + i + " = llvm.addrspacecast %from_" + i +
            " : !llvm.ptr to !llvm.ptr<1>\n%to_" + i + " = llvm.getelementptr %shared[%" + i +
            "] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32\n"
            "nvvm.cp.async.shared.global %to_" +
            i + ", %global_" + i + ", 16, cache = cg" + (sourceBytes.empty() ? "" : ", " + sourceBytes) +
            " : !llvm.ptr<3>, !llvm.ptr<1>" + (sourceBytes.empty() ? "" : ", i32") +
            "\nnvvm.cp.async.commit.group\n";
  text += wait + "nvvm.barrier0\n";
  for (std::string i : {"first", "second"})
    text += "%v_" + i + " = llvm.load %to_" + i +
            " {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>\n%out_" + i +
            " = llvm.getelementptr %b1[%" + i + "] : (!llvm.ptr, i64) -> !llvm.ptr, f32\nllvm.store %v_" + i +
            ", %out_" + i + " {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr\n";
  return warpKernel(2, text, 32, twoTiles);
}

std::vector<float> counting() {
  std::vector<float> values(256);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

} // namespace

TEST(Copy, WaitCompletesAllButTheNewestGroups) {
  EmulatedKernel all(copyKernel("nvvm.cp.async.wait.group 0\n")),
      one(copyKernel("nvvm.cp.async.wait.group 1\n"));
  for (emulator::Schedule schedule : allSchedules) {
    std::vector<float> input = counting(), output(256);
    ASSERT_EQ(all.run(schedule, {input, output}), "");
    EXPECT_EQ(output, input);
    ASSERT_EQ(one.run(schedule, {input, output}), "");
    for (size_t i = 0; i < 256; ++i)
      if (i < 128)
        EXPECT_EQ(output[i], input[i]);
      else
        EXPECT_TRUE(std::isnan(output[i]));
  }
}

TEST(Copy, MissingWaitLeavesNan) {
  EmulatedKernel kernel(copyKernel(""));
  std::vector<float> input = counting(), output(256);
  ASSERT_EQ(kernel.run(emulator::Schedule::Forward, {input, output}), "");
  for (float value : output)
    EXPECT_TRUE(std::isnan(value));
}

TEST(Copy, FillsTheRestWithZeros) {
  EmulatedKernel kernel(copyKernel("nvvm.cp.async.wait.group 0\n", "%c8"));
  std::vector<float> input = counting(), output(256);
  ASSERT_EQ(kernel.run(emulator::Schedule::Forward, {input, output}), "");
  for (size_t i = 0; i < 256; ++i)
    EXPECT_EQ(output[i], i % 4 < 2 ? input[i] : 0);
}

TEST(Copy, CopiesOutOfBoundsAreReported) {
  EmulatedKernel kernel(copyKernel("nvvm.cp.async.wait.group 0\n"));
  std::vector<float> input(252), output(256);
  EXPECT_EQ(kernel.run(emulator::Schedule::Forward, {input, output}),
            "emulation of 'k' (1 blocks for the rows 0 to 0, schedule 'forward'): block 0, thread 31: copies "
            "16 bytes "
            "at offset 1008 of buffer 0, which has 1008 bytes");
}
