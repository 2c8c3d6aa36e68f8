/// Arithmetic on quantized tensors of ONNX.
#pragma once

#include "translator/import/onnx/NodeImporter.h"

namespace proa::import {

/// The numbers from `first` to below `end`.
llvm::SmallVector<int64_t> dimsBetween(int64_t first, int64_t end);
/// x rounded, halves to even.
pd::Expression roundEven(NodeImporter &node, pd::Expression x);
/// The numbers of a tensor of any type in f32.
pd::Expression single(NodeImporter &node, mlir::Value value);
/// x quantized to uint8 by the range of its elements, as numbers in f32, and the scale and zero point for it.
struct RangeQuantized {
  pd::Expression codes, scale, zeroPoint;
};
RangeQuantized quantizedByRange(NodeImporter &node, pd::Expression x);
/// The quotient of a number and its scale as an integer of the type: rounded, plus the zero point (null: 0),
/// limited.
pd::Expression quantized(NodeImporter &node, pd::Expression quotient, mlir::Value zeroPoint,
                         onnx::DataType to);
/// Exact sums of products, times a scale, as integers of the type of an input, their zero point.
pd::Expression requantized(NodeImporter &node, pd::Expression sums, pd::Expression scale,
                           llvm::StringRef zeroPoint);
/// The float type in which a sum of `count` products of two bytes is exact.
mlir::Type exactSumType(NodeImporter &node, int64_t count);
/// An integer less its zero point (null: 0), in a float type.
pd::Expression centered(NodeImporter &node, mlir::Value value, mlir::Value zeroPoint, mlir::Type type);

/// (x - zero point) * scale in f32; the zero point may be null.
pd::Expression dequantized(NodeImporter &node, mlir::Value x, mlir::Value scale, mlir::Value zeroPoint);
/// x quantized by the inputs `scale` and `zeroPoint`, in the type of the latter or, without it, of `like`.
pd::Expression quantizedAs(NodeImporter &node, pd::Expression x, llvm::StringRef scale,
                           llvm::StringRef zeroPoint, mlir::Value like);

} // namespace proa::import
