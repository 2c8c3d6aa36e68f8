/// Instructions that multiply matrices: shapes, element types, and which thread holds which element. The only
/// place that knows them; generated code, the emulator and the printer of PTX read it.
#pragma once

#include "lib/base/target/ThreadLayout.h"

#include <optional>
#include <string_view>

namespace proa {

/// Types of elements, as PTX names them.
enum class MatrixElement : int32_t { F16, BF16, TF32, F32, F64, S8, U8, S32, E4M3, E5M2 };

/// "bf16", the qualifier of an instruction.
std::string_view ptxName(MatrixElement element);
std::optional<MatrixElement> matrixElementNamed(std::string_view ptxName);
/// Bits in a register or in memory.
int64_t bitsOf(MatrixElement element);

/// An instruction that adds the products of rows of x and columns of y to sums. Several threads execute it
/// together, and hold the sums.
struct MatrixInstruction {
  /// Threads that execute it: one, a warp, or a warpgroup.
  int64_t threads;
  /// Rows of x.
  int64_t rows;
  /// Columns of y are a multiple of `columns`, up to `mostColumns`. A warp loads at least `loadedColumns`.
  int64_t columns, mostColumns, loadedColumns;
  /// Bits of k that one instruction multiplies; 0: one element of any size.
  int64_t kBits;

  /// Elements of k of one instruction.
  constexpr int64_t k(int64_t elementBits) const { return kBits == 0 ? 1 : kBits / elementBits; }
  /// The sums in registers, in their order.
  ThreadLayout sums(int64_t ofColumns) const;
  /// x in registers, as a matrix [rows][k]; adjacent elements of k share a register of 32 bits.
  ThreadLayout x(int64_t elementBits) const;
  /// y in registers, as a matrix [columns][k]. `wgmma` has it in shared memory only.
  ThreadLayout y(int64_t elementBits) const;
};

/// A multiplication and an addition of each thread, on a block of 4 x 4 elements.
inline constexpr MatrixInstruction fmaInstruction{
    .threads = 1, .rows = 4, .columns = 4, .mostColumns = 4, .loadedColumns = 4, .kBits = 0};
/// `mma.sync.m16n8` of a warp.
inline constexpr MatrixInstruction mmaInstruction{
    .threads = 32, .rows = 16, .columns = 8, .mostColumns = 8, .loadedColumns = 16, .kBits = 256};
/// `wgmma.mma_async.m64` of a warpgroup.
inline constexpr MatrixInstruction wgmmaInstruction{
    .threads = 128, .rows = 64, .columns = 8, .mostColumns = 256, .loadedColumns = 8, .kBits = 256};

/// Operand x or y of `mma.sync` in registers: [outer][k], where `outer` are rows of x or columns of y.
ThreadLayout warpOperandLayout(int64_t outer, int64_t k, int64_t elementBits);
/// The sums of `mma.sync`.
ThreadLayout warpSumsLayout(int64_t rows, int64_t columns);

} // namespace proa
