// A softmax with shuffles, shared memory and barriers, and the same kernel with each of its barriers removed.
#include "test/unit/emulator/EmulatedKernel.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace proa;
using namespace proa::testing;

namespace {

/// The barriers of the kernel: after the partial results of the warps are written (a read after a write), and
/// after they are read (a write after a read).
enum Barrier { maxWritten, maxRead, sumWritten, rowDone, noBarrier };

/// Combines %NAME of all threads by `op`: butterfly shuffles in each warp, then both warps by shared memory.
std::string reduceOverBlock(const std::string &name, const std::string &op, bool hasBarrier) {
  std::string text, value = "%" + name;
  for (int offset : {16, 8, 4, 2, 1}) {
    std::string step = "%" + name + std::to_string(offset);
    text += step + "_o = llvm.mlir.constant(" + std::to_string(offset) + " : i32) : i32\n" + step +
            "_s = nvvm.shfl.sync bfly %full, " + value + ", " + step + "_o, %c31 : f32 -> f32\n" + step +
            " = " + op + "(" + value + ", " + step + "_s) : (f32, f32) -> f32\n";
    value = step;
  }
  text += "llvm.store " + value + ", %own : f32, !llvm.ptr<3>\n";
  text += hasBarrier ? "nvvm.barrier0\n" : "";
  for (std::string warp : {"0", "1"})
    text += "%" + name + "_w" + warp + " = llvm.load %partial" + warp + " : !llvm.ptr<3> -> f32\n";
  return text + "%" + name + "_all = " + op + "(%" + name + "_w0, %" + name + "_w1) : (f32, f32) -> f32\n";
}

/// Rows of 64 elements, one for each thread of two warps.
std::string softmax(Barrier removed) {
  auto barrier = [&](Barrier which) { return std::string(which == removed ? "" : "nvvm.barrier0\n"); };
  std::string body = R"(
  %shared = llvm.mlir.addressof @s : !llvm.ptr<3>
  %own = llvm.getelementptr %shared[%lane64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
  %partial0 = llvm.getelementptr %shared[0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
  %partial1 = llvm.getelementptr %shared[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
  %b = nvvm.read.ptx.sreg.ctaid.x : i32
  %g = nvvm.read.ptx.sreg.nctaid.x : i32
  %block = llvm.zext %b : i32 to i64
  %step = llvm.zext %g : i32 to i64
  %first = llvm.add %begin, %block : i64
  %width = llvm.mlir.constant(64 : i64) : i64
  llvm.br ^head(%first : i64)
^head(%row: i64):
  %more = llvm.icmp "slt" %row, %end : i64
  llvm.cond_br %more, ^body, ^exit
^body:
  %start = llvm.mul %row, %width : i64
  %i = llvm.add %start, %lane64 : i64
)" + loadAt("%x", "%b0", "f32", "%i") +
                     "%max = llvm.fadd %x, %x : f32\n%half = llvm.mlir.constant(0.5 : f32) : f32\n"
                     "%m = llvm.fmul %max, %half : f32\n" +
                     reduceOverBlock("m", "\"llvm.intr.maximum\"", removed != maxWritten) + barrier(maxRead) +
                     "%d = llvm.fsub %x, %m_all : f32\n%e = llvm.call @__nv_expf(%d) : (f32) -> f32\n" +
                     reduceOverBlock("e", "\"llvm.fadd\"", removed != sumWritten) +
                     "%y = llvm.fdiv %e, %e_all : f32\n" + storeAt("%y", "%b1", "f32", "%i") +
                     barrier(rowDone) +
                     "%next = llvm.add %row, %step : i64\nllvm.br ^head(%next : i64)\n^exit:\n";
  return warpKernel(2, body, 64,
                    "llvm.func @__nv_expf(f32) -> f32\n"
                    "llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 16 : i64} : "
                    "!llvm.array<64 x f32>\n");
}

constexpr int64_t rows = 9;

/// The largest error of a run in one rotation; infinity for NaN.
double errorOf(const EmulatedKernel &kernel, uint32_t rotation) {
  std::vector<float> x(rows * 64), y(rows * 64);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(5 * std::sin(0.37 * static_cast<double>(i)));
  emulator::setScheduling({.rotation = rotation});
  EXPECT_EQ(kernel.run({x, y}, {}, rows), "");
  emulator::setScheduling({});
  double error = 0;
  for (size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (size_t j = 0; j < 64; ++j)
      sum += std::exp(static_cast<double>(x[row * 64 + j]));
    for (size_t j = 0; j < 64; ++j) {
      double difference = std::abs(std::exp(static_cast<double>(x[row * 64 + j])) / sum - y[row * 64 + j]);
      error = difference <= error ? error : std::isnan(difference) ? INFINITY : difference;
    }
  }
  return error;
}

} // namespace

TEST(Softmax, EqualsTheFormulaInAllSchedules) {
  EmulatedKernel kernel(softmax(noBarrier));
  for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation)
    EXPECT_LT(errorOf(kernel, rotation), 1e-6);
}

TEST(Softmax, EachMissingBarrierIsFound) {
  for (Barrier removed : {maxWritten, maxRead, sumWritten, rowDone}) {
    EmulatedKernel kernel(softmax(removed));
    double error = 0;
    for (uint32_t rotation = 0; rotation < emulator::scheduleCount; ++rotation)
      error = std::max(error, errorOf(kernel, rotation));
    EXPECT_GT(error, 1e-3) << "barrier " << removed;
  }
}
