/// Shapes and axes for hooks of ONNX: numbers where they are known, tensors where a feed decides.
#pragma once

#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/shape/DynamicDims.h"

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;
using pd::TensorBuilder;
using Dims = llvm::SmallVector<DimSize>;
using Ints = llvm::SmallVector<int64_t>;

/// `axis` as an index in [0, rank); ends the hook, with a report, if it is outside of [-rank, rank).
int64_t axisIn(NodeImporter &node, int64_t axis, int64_t rank);
/// The attribute `axis` as an index of a dimension of x.
int64_t axisOf(NodeImporter &node, Expression x, llvm::StringRef attribute = "axis");
/// As above for a list; ends the hook if an axis is listed twice.
Ints axesIn(NodeImporter &node, llvm::ArrayRef<int64_t> axes, int64_t rank);

/// The elements of a 1-D integer input: numbers where they follow from constants and static dims. Ends the
/// hook, with a report, if their number is dynamic.
Dims dimsInput(NodeImporter &node, llvm::StringRef name);
/// All elements of an integer tensor as numbers; nothing if one is computed from a feed.
std::optional<Ints> knownInts(NodeImporter &node, mlir::Value tensor);
/// The dims as numbers; nothing if one is dynamic.
std::optional<Ints> numbersIn(llvm::ArrayRef<DimSize> dims);
/// A list that is an attribute in old versions of an op and an input in new ones: numbers, or a tensor of
/// int64 if they are not known; neither if it is absent.
struct IntList {
  std::optional<Ints> numbers;
  mlir::Value tensor;

  static IntList of(NodeImporter &node, llvm::StringRef name);
  bool isAbsent() const { return !numbers && !tensor; }
  /// Ends the hook, with a report, if the number of elements is dynamic.
  int64_t size(NodeImporter &node) const;
  /// The elements as a tensor.
  Expression asTensor(NodeImporter &node) const;
};

/// A rank-0 int64 tensor of a number of elements.
inline Expression valueOf(TensorBuilder &e, const DimSize &size) { return e.wrap(size.getValue(e)); }
/// The only element of a tensor, as a tensor of rank 0.
inline Expression asScalar(Expression x) { return x.rank() == 0 ? x : x.owner().reshape(x, {}); }
/// A tensor of these dims whose elements are all `value`, of one element.
Expression filled(Expression value, llvm::ArrayRef<DimSize> dims);
/// The indices 0, 1, ... of a dimension of a tensor of this rank, which broadcast to it.
Expression indicesAlong(TensorBuilder &e, const DimSize &size, int64_t axis, int64_t rank);
/// x as a matrix: the dimensions from `axis` on are its columns.
Expression asMatrix(Expression x, int64_t axis);

} // namespace proa::import::onnxhooks
