#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/reduce/NormOps.h"
#include "dialects/pd/ops/reduce/ProductOfOthersOps.h"
#include "dialects/pd/ops/reduce/ReduceAsOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include <limits>

using namespace mlir;

namespace proa::pd {

llvm::SmallVector<int64_t> reducedAxes(llvm::ArrayRef<int64_t> axes, int64_t rank) {
  llvm::SmallVector<int64_t> out;
  for (int64_t d = 0; d < rank; ++d)
    if (axes.empty() || llvm::is_contained(axes, d) || llvm::is_contained(axes, d - rank))
      out.push_back(d);
  return out;
}

LogicalResult inferReduction(std::optional<Location> location, RankedTensorType type,
                             llvm::ArrayRef<int64_t> axes, bool keepdim, Type elementType, Results &results) {
  for (int64_t axis : axes)
    if (type.getRank() > 0 && failed(normalizeAxis(location, axis, type.getRank(), "C1")))
      return failure();
  llvm::SmallVector<int64_t> reduced = reducedAxes(axes, type.getRank());
  llvm::SmallVector<int64_t> shape;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!llvm::is_contained(reduced, d))
      shape.push_back(type.getDimSize(d));
    else if (keepdim)
      shape.push_back(1);
  }
  results.push_back(RankedTensorType::get(shape, elementType));
  return success();
}

namespace {

template <class Int> HostScalar bound(bool isUpper) {
  using Limits = std::numeric_limits<Int>;
  Int limit = isUpper ? Limits::max() : Limits::min();
  if constexpr (std::is_same_v<Int, uint64_t>)
    return HostScalar::of(limit);
  else
    return HostScalar::of(static_cast<int64_t>(limit));
}

/// The largest or the smallest value of a dtype.
HostScalar boundOf(DType dtype, bool isUpper) {
  double infinity = std::numeric_limits<double>::infinity();
  switch (dtype) {
  case DType::Int8:
    return bound<int8_t>(isUpper);
  case DType::Int16:
    return bound<int16_t>(isUpper);
  case DType::Int32:
    return bound<int32_t>(isUpper);
  case DType::Int64:
    return bound<int64_t>(isUpper);
  case DType::UInt8:
    return bound<uint8_t>(isUpper);
  case DType::UInt16:
    return bound<uint16_t>(isUpper);
  case DType::UInt32:
    return bound<uint32_t>(isUpper);
  case DType::UInt64:
    return bound<uint64_t>(isUpper);
  default:
    return HostScalarBuilder(dtype).cast(HostScalar::of(isUpper ? infinity : -infinity));
  }
}

HostScalar neutralElement(ReductionKind kind, DType dtype) {
  HostScalarBuilder b(dtype);
  switch (kind) {
  case ReductionKind::Sum:
    return b.cast(HostScalar::of(0.0));
  case ReductionKind::Product:
    return b.cast(HostScalar::of(1.0));
  case ReductionKind::Maximum:
    return boundOf(dtype, /*isUpper=*/false);
  case ReductionKind::Minimum:
    return boundOf(dtype, /*isUpper=*/true);
  case ReductionKind::And:
    return HostScalar::of(true);
  case ReductionKind::Or:
    return HostScalar::of(false);
  }
  return {};
}

HostScalar combine(ReductionOpInterface op, HostScalarBuilder &b, HostScalar x, HostScalar y) {
  switch (op.getReductionKind()) {
  case ReductionKind::Sum:
    return b.add(x, y);
  case ReductionKind::Product:
    return b.multiply(x, y);
  case ReductionKind::Maximum:
    return op.propagatesNan() ? b.maximum(x, y) : b.fmax(x, y);
  case ReductionKind::Minimum:
    return op.propagatesNan() ? b.minimum(x, y) : b.fmin(x, y);
  case ReductionKind::And:
    return b.bitAnd(x, y);
  case ReductionKind::Or:
    return b.bitOr(x, y);
  }
  return {};
}

LogicalResult evaluateReduction(ReductionOpInterface op, const Tensor &x, Tensor &out) {
  HostScalarBuilder builder(out.dtype());
  bool isExtreme =
      op.getReductionKind() == ReductionKind::Maximum || op.getReductionKind() == ReductionKind::Minimum;
  if (isExtreme && x.size() == 0 && out.size() > 0)
    return failure(); // an empty set has no maximum
  llvm::SmallVector<int64_t> reduced = op.getReducedDims();
  llvm::SmallVector<HostScalar> totals(out.size(), neutralElement(op.getReductionKind(), out.dtype()));
  forEachIndex(x.dims(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      if (!llvm::is_contained(reduced, static_cast<int64_t>(d)))
        at = at * x.dims()[d] + index[d];
    totals[at] = combine(op, builder, totals[at], builder.cast(loadScalar(x, position)));
  });
  for (int64_t i = 0; i < out.size(); ++i)
    storeScalar(out, i, totals[i]);
  return success();
}

} // namespace

LogicalResult SumOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateReduction(*this, operands[0], results[0]);
}

LogicalResult ProdOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateReduction(*this, operands[0], results[0]);
}

LogicalResult MaxOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateReduction(*this, operands[0], results[0]);
}
LogicalResult AmaxOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateReduction(*this, operands[0], results[0]);
}

LogicalResult MinOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateReduction(*this, operands[0], results[0]);
}
LogicalResult AminOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateReduction(*this, operands[0], results[0]);
}

LogicalResult AllOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateReduction(*this, operands[0], results[0]);
}

LogicalResult AnyOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateReduction(*this, operands[0], results[0]);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/reduce/Reduce.cpp.inc"
#include "dialects/pd/ops/reduce/Reduce.methods.inc"
#include "dialects/pd/ops/reduce/Reduce.scalar.inc"
