/// Names of the attributes that the passes from tensors to code read and write on a kernel's function.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace proa {

/// Unit: the function is a kernel. Other functions are left alone.
inline constexpr llvm::StringLiteral kernelAttribute = "proa.kernel";
/// DenseI64ArrayAttr: tile size of each row dimension, outermost first.
inline constexpr llvm::StringLiteral rowTilesAttribute = "proa.row_tiles";
/// ArrayAttr of DenseI64ArrayAttr, one for each result: index of the row dimension that each dimension is, or
/// -1.
inline constexpr llvm::StringLiteral rowDimsAttribute = "proa.row_dims";
/// I64: number of rows, or kDynamic.
inline constexpr llvm::StringLiteral extentAttribute = "proa.extent";
/// F64: estimated nanoseconds of all rows on one thread.
inline constexpr llvm::StringLiteral workAttribute = "proa.work";

} // namespace proa
