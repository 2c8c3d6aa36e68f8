/// Shapes and data movement.
#pragma once

#include "dialects/pd/autodiff/Broadcasting.h"
#include "dialects/pd/ir/ElementInterface.h"
#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/creation/Creation.h"

namespace proa::pd {

/// The result dims of a reshape by the rules of pd.reshape; kDynamic if unknown.
mlir::FailureOr<llvm::SmallVector<int64_t>> reshapedDims(std::optional<mlir::Location> location,
                                                         llvm::ArrayRef<int64_t> from,
                                                         llvm::ArrayRef<int64_t> shape);
mlir::FailureOr<llvm::SmallVector<int64_t>> expandedDims(std::optional<mlir::Location> location,
                                                         llvm::ArrayRef<int64_t> from,
                                                         llvm::ArrayRef<int64_t> shape);

template <class Adaptor>
mlir::FailureOr<llvm::SmallVector<int64_t>> shapeOperand(std::optional<mlir::Location> location,
                                                         Adaptor adaptor, llvm::StringRef constraint) {
  if (adaptor.getShapeTensor())
    return dimsFromTensor(location, adaptor.getShapeTensor(), constraint);
  return llvm::SmallVector<int64_t>(adaptor.getShape());
}

template <class Adaptor>
mlir::LogicalResult inferReshape(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto shape = shapeOperand(location, adaptor, "C4");
  if (failed(shape))
    return mlir::failure();
  auto dims = reshapedDims(location, tensorType(adaptor.getX()).getShape(), *shape);
  if (failed(dims))
    return mlir::failure();
  results.push_back(mlir::RankedTensorType::get(*dims, tensorType(adaptor.getX()).getElementType()));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferExpand(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto shape = shapeOperand(location, adaptor, "C3");
  if (failed(shape))
    return mlir::failure();
  auto dims = expandedDims(location, tensorType(adaptor.getX()).getShape(), *shape);
  if (failed(dims))
    return mlir::failure();
  results.push_back(mlir::RankedTensorType::get(*dims, tensorType(adaptor.getX()).getElementType()));
  return mlir::success();
}

mlir::LogicalResult inferTransposeOf(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                                     llvm::ArrayRef<int64_t> permutation, Results &results);

template <class Adaptor>
mlir::LogicalResult inferTranspose(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  return inferTransposeOf(location, tensorType(adaptor.getX()), adaptor.getPerm(), results);
}

template <class Adaptor>
mlir::LogicalResult inferDim(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(normalizeAxis(location, adaptor.getIndex(), type.getRank(), "C1")))
    return mlir::failure();
  results.push_back(mlir::RankedTensorType::get({}, mlir::IntegerType::get(type.getContext(), 64)));
  return mlir::success();
}

/// Inference of tril and triu: x must have matrices.
template <class Adaptor>
mlir::LogicalResult inferTriangle(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (tensorType(adaptor.getX()).getRank() < 2)
    return inferenceError(location, "C1: x must have rank 2 or more, found rank " +
                                        llvm::Twine(tensorType(adaptor.getX()).getRank()));
  results.push_back(adaptor.getX().getType());
  return mlir::success();
}

/// The integer of an operand that must be constant, or the attribute's value without an operand. Emits an
/// error, which cites `constraint`, if the operand is not constant.
mlir::FailureOr<int64_t> constantOr(std::optional<mlir::Location> location, llvm::StringRef name,
                                    mlir::Value operand, int64_t attribute, llvm::StringRef constraint);
/// As above for a list of integers.
mlir::FailureOr<llvm::SmallVector<int64_t>> constantOr(std::optional<mlir::Location> location,
                                                       llvm::StringRef name, mlir::Value operand,
                                                       llvm::ArrayRef<int64_t> attribute,
                                                       llvm::StringRef constraint);
/// As above, without an error.
mlir::FailureOr<int64_t> constantOr(mlir::Value operand, int64_t attribute);
mlir::FailureOr<llvm::SmallVector<int64_t>> constantOr(mlir::Value operand,
                                                       llvm::ArrayRef<int64_t> attribute);

/// The elements of a dimension in a slice: `count` of them, the first at `first`.
struct SliceRange {
  int64_t first = 0;
  int64_t count = 0;
};
/// Bounds of a slice of x; tensors override the attributes.
struct SliceOperands {
  mlir::RankedTensorType x;
  llvm::ArrayRef<int64_t> axes, starts, ends, strides;
  mlir::Value startsTensor, endsTensor, stridesTensor;
};
/// The dims of the slice; an error if the operands violate C1, C2 or C3 of pd.slice.
mlir::FailureOr<llvm::SmallVector<int64_t>> slicedDims(std::optional<mlir::Location> location,
                                                       const SliceOperands &operands);
/// By the rules of pd.slice; stride is not 0.
SliceRange sliceRange(int64_t start, int64_t end, int64_t stride, int64_t dimSize);

} // namespace proa::pd
