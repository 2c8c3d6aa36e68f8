/// Names of the attributes of kernels and of their calls.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace proa {

/// On a function, UnitAttr: the function is a kernel. Passes that lower kernels ignore other functions.
inline constexpr llvm::StringLiteral kernelAttribute = "proa.kernel";
/// On a function, UnitAttr: a kernel that consists of one op of pd (DeviceKernelOpInterface), which a pass
/// for the GPU lowers. Passes that lower kernels ignore it.
inline constexpr llvm::StringLiteral wholeKernelAttribute = "proa.whole_kernel";
/// On a call of a kernel, StringAttr: the ops that the kernel computes, as in "exp+sum+divide". Profiles show
/// it.
inline constexpr llvm::StringLiteral kernelLabelAttribute = "proa.label";
/// On a call of a kernel, ArrayAttr of locations: those of the kernel's ops, constants aside, in order. The
/// kernel's own ops have the locations of its first caller. Only on request (pd-form-kernels).
inline constexpr llvm::StringLiteral opLocationsAttribute = "proa.op_locations";
/// On a kernel, DenseI64ArrayAttr: the tile size of each row dimension, outermost first.
inline constexpr llvm::StringLiteral rowTilesAttribute = "proa.row_tiles";
/// On a kernel, ArrayAttr of one DenseI64ArrayAttr for each result: the index of the row dimension that each
/// dimension is, or -1.
inline constexpr llvm::StringLiteral rowDimsAttribute = "proa.row_dims";
/// On a kernel, I64: the number of rows, or kDynamic.
inline constexpr llvm::StringLiteral rowsAttribute = "proa.rows";
/// On a kernel, F64: the estimated time of all rows on one thread, in nanoseconds.
inline constexpr llvm::StringLiteral workAttribute = "proa.work";

/// On a kernel, ArrayAttr: for each check of indices or sizes [argument of the numbers or -1, argument with
/// the bound or -1, axis of that, bound if no argument has it, kind (CheckedNumber)]. The kernel has an
/// argument for the words of the checks (lib/runtime/KernelServices.h): the last one, or before the range of
/// rows.
inline constexpr llvm::StringLiteral indexChecksAttribute = "proa.index_checks";

/// On a kernel, ArrayAttr: for each pair of dims that must be equal, and that only a run knows, [argument,
/// its axis, other argument, its axis, -1] or [argument, its axis, -1, 0, size].
inline constexpr llvm::StringLiteral dimChecksAttribute = "proa.dim_checks";

/// On a kernel for the GPU, I64: the number of threads of a block.
inline constexpr llvm::StringLiteral threadsAttribute = "proa.threads";
/// On a kernel for the GPU, I64: bytes of dynamic shared memory, more than the static shared memory that a
/// block may have. The variable `@NAME_shared` names it.
inline constexpr llvm::StringLiteral sharedAttribute = "proa.shared";
/// On a kernel for the GPU, I64: the largest number of blocks for each multiprocessor that a launch has. Each
/// block then computes several rows. None: a launch has a block for each row.
inline constexpr llvm::StringLiteral residentBlocksAttribute = "proa.resident_blocks";
/// On a function on memory, UnitAttr: a kernel for the GPU whose body is the code of one thread.
/// `proa-map-to-threads` replaces it by `proa.kernel`; passes before ignore the function.
inline constexpr llvm::StringLiteral threadCodeAttribute = "proa.thread_code";
/// On a kernel of an op of pd::ThreadOpInterface, StringAttr: how blocks compute it. On such an op: overrides
/// the choice.
inline constexpr llvm::StringLiteral strategyAttribute = "proa.strategy";
/// On a kernel for the GPU without contractions, I64: the number of blocks that share the reductions of a
/// row. If the number of rows is dynamic, they share them only if there are fewer rows than that.
inline constexpr llvm::StringLiteral partsAttribute = "proa.parts";
/// On a kernel for the GPU, ArrayAttr of one DenseI64ArrayAttr for each buffer of scratch memory that it gets
/// after its results: dims of a tensor of bytes, kDynamic where the shape function computes them.
inline constexpr llvm::StringLiteral scratchAttribute = "proa.scratch";
/// On a kernel for the GPU, UnitAttr: after the scratch memory it gets counters (runtime::kernelCounters of
/// 32 bits), which are 0 before and after.
inline constexpr llvm::StringLiteral countersAttribute = "proa.counters";
/// On a linalg op of a kernel for the GPU, I64: consecutive elements that a thread computes in one step.
inline constexpr llvm::StringLiteral vectorAttribute = "proa.vector";
/// On a reduction of a kernel for the GPU, I64: threads that compute one element of the result together.
inline constexpr llvm::StringLiteral groupAttribute = "proa.group";
/// On a reduction of a kernel for the GPU, ArrayAttr: for each result the constant that it starts with, or
/// unit where it starts with the content of its memory.
inline constexpr llvm::StringLiteral startsFilledAttribute = "proa.starts_filled";
/// On a reduction whose results are selected together (the greatest element and its index), ArrayAttr of a
/// constant for each result: combined with them, other results stay.
inline constexpr llvm::StringLiteral neutralAttribute = "proa.neutral";
/// On a kernel, UnitAttr: products of float32 numbers may be computed of operands in TF32, which have 10 bits
/// of mantissa (ModelOptions::allowsTf32).
inline constexpr llvm::StringLiteral tf32Attribute = "proa.tf32";
/// On an elementwise op of a kernel for the GPU, UnitAttr: it reads the result of a contraction, whose code
/// contains it.
inline constexpr llvm::StringLiteral epilogueAttribute = "proa.epilogue";
/// On an elementwise op of a kernel for the GPU, UnitAttr: it computes an operand of a contraction, whose
/// code contains it (Prologue.h).
inline constexpr llvm::StringLiteral prologueAttribute = "proa.prologue";
/// On a kernel, StringAttr: why it has no form on the GPU and runs on the host.
inline constexpr llvm::StringLiteral hostAttribute = "proa.host";

} // namespace proa
