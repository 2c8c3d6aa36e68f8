/// Names of the attributes of kernels and of their calls.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace proa {

/// On a function, UnitAttr: the function is a kernel. Passes that lower kernels ignore other functions.
inline constexpr llvm::StringLiteral kernelAttribute = "proa.kernel";
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

/// On a kernel for the GPU, I64: the number of threads of a block.
inline constexpr llvm::StringLiteral threadsAttribute = "proa.threads";
/// On a linalg op of a kernel for the GPU, I64: consecutive elements that a thread computes in one step.
inline constexpr llvm::StringLiteral vectorAttribute = "proa.vector";
/// On a reduction of a kernel for the GPU, I64: threads that compute one element of the result together.
inline constexpr llvm::StringLiteral groupAttribute = "proa.group";
/// On a reduction of a kernel for the GPU, ArrayAttr: for each result the constant that it starts with, or
/// unit where it starts with the content of its memory.
inline constexpr llvm::StringLiteral startsFilledAttribute = "proa.starts_filled";
/// On a linalg op, DenseI64ArrayAttr: the tile size of each loop. A row of the kernel is one tile of the
/// parallel loops.
inline constexpr llvm::StringLiteral loopTilesAttribute = "proa.loop_tiles";
/// On a contraction of a kernel for the GPU, StringAttr: "fma" (each thread multiplies and adds) or "mma"
/// (the warps use tensor cores).
inline constexpr llvm::StringLiteral contractionAttribute = "proa.contraction";
/// On a contraction of a kernel for the GPU, DenseI64ArrayAttr: rows and columns of the tile that a thread
/// computes; with "mma", a warp.
inline constexpr llvm::StringLiteral partAttribute = "proa.part";
/// On a contraction of a kernel for the GPU, I64: parts of the operands in shared memory at once. With 2, the
/// next part is copied asynchronously while one is multiplied. Default: 1.
inline constexpr llvm::StringLiteral stagesAttribute = "proa.stages";
/// On an elementwise op of a kernel for the GPU, UnitAttr: it reads the result of a contraction, whose code
/// contains it.
inline constexpr llvm::StringLiteral epilogueAttribute = "proa.epilogue";
/// On a kernel, StringAttr: why it has no form on the GPU and runs on the host.
inline constexpr llvm::StringLiteral hostAttribute = "proa.host";

} // namespace proa
