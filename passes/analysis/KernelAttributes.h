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

} // namespace proa
