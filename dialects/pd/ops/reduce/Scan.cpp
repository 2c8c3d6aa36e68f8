#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/Shape.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace proa::pd {
namespace {

LogicalResult inferScan(std::optional<Location> location, RankedTensorType type, int64_t axis, bool flatten,
                        llvm::SmallVectorImpl<Type> &results) {
  if (flatten) {
    results.push_back(type.clone({type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic}));
    return success();
  }
  if (failed(normalizeAxis(location, axis, std::max<int64_t>(type.getRank(), 1), "C1")))
    return failure();
  results.push_back(type);
  return success();
}

using Step = llvm::function_ref<HostScalar(HostScalarBuilder &, const HostScalar &, const HostScalar &)>;

/// Calls `line(at)` for each line of a tensor along an axis, with the indices of its elements in order.
void forEachLine(const std::vector<int64_t> &dims, int64_t axis, bool reverse,
                 llvm::function_ref<void(llvm::ArrayRef<int64_t>)> line) {
  int64_t dimSize = dims.empty() ? 1 : dims[axis], inner = 1, lines = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    lines *= static_cast<int64_t>(d) == axis ? 1 : dims[d];
    inner *= static_cast<int64_t>(d) > axis ? dims[d] : 1;
  }
  llvm::SmallVector<int64_t> at(dimSize);
  for (int64_t i = 0; i < lines; ++i) {
    for (int64_t k = 0; k < dimSize; ++k)
      at[reverse ? dimSize - 1 - k : k] = (i / inner * dimSize + k) * inner + i % inner;
    line(at);
  }
}

template <class Op>
LogicalResult evaluateScan(Op op, int64_t entry, const Tensor &x, Tensor &out, const HostScalar &neutral,
                           Step step) {
  int64_t rank = op.getFlatten() ? 1 : static_cast<int64_t>(out.dims().size());
  auto axis = normalizeAxis(op.getFlatten() ? 0 : entry, std::max<int64_t>(rank, 1));
  if (failed(axis))
    return failure();
  HostScalarBuilder b(out.dtype());
  forEachLine(out.dims(), *axis, op.getReverse(), [&](llvm::ArrayRef<int64_t> line) {
    HostScalar total = b.cast(neutral);
    for (int64_t at : line) {
      HostScalar before = total;
      total = step(b, total, loadScalar(x, at));
      storeScalar(out, at, op.getExclusive() ? before : total);
    }
  });
  return success();
}

template <class Op>
LogicalResult evaluateExtremes(Op op, const Tensor &x, Tensor &out, Tensor &indices, bool greatest) {
  auto axis = normalizeAxis(op.getAxis(), std::max<int64_t>(static_cast<int64_t>(x.dims().size()), 1));
  if (failed(axis))
    return failure();
  auto isNan = [](const HostScalar &v) { return !v.isInteger() && std::isnan(v.real()); };
  auto wins = [&](const HostScalar &v, const HostScalar &best) {
    if (isNan(v) || isNan(best))
      return isNan(v);
    if (v.isInteger())
      return greatest ? !v.isLessInteger(best) : !best.isLessInteger(v);
    return greatest ? v.real() >= best.real() : v.real() <= best.real();
  };
  forEachLine(x.dims(), *axis, false, [&](llvm::ArrayRef<int64_t> line) {
    int64_t best = 0;
    for (auto [i, at] : llvm::enumerate(line)) {
      if (wins(loadScalar(x, at), loadScalar(x, line[best])))
        best = static_cast<int64_t>(i);
      storeScalar(out, at, loadScalar(x, line[best]));
      storeScalar(indices, at, HostScalar::of(best));
    }
  });
  return success();
}

} // namespace

LogicalResult inferExtremes(std::optional<Location> location, RankedTensorType type, int64_t axis,
                            std::optional<Type> dtype, Results &results) {
  if (failed(inferScan(location, type, axis, false, results)))
    return failure();
  results.push_back(type.clone(dtype.value_or(IntegerType::get(type.getContext(), 64))));
  return success();
}

//===-- cumsum, cumprod, logcumsumexp -------------------------------------------------------------------===//

LogicalResult CumsumOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         llvm::SmallVectorImpl<Type> &results) {
  auto axis =
      constantOr(location, "axis", adaptor.getAxisTensor(), static_cast<int64_t>(adaptor.getAxis()), "C3");
  return failed(axis) ? failure()
                      : inferScan(location, tensorType(adaptor.getX()), *axis, adaptor.getFlatten(), results);
}

LogicalResult CumsumOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  auto axis = constantOr(getAxisTensor(), static_cast<int64_t>(getAxis()));
  if (failed(axis))
    return failure();
  return evaluateScan(
      *this, *axis, operands[0], results[0], HostScalar::of(0.0),
      [](HostScalarBuilder &b, const HostScalar &total, const HostScalar &x) { return b.add(total, x); });
}

OpFoldResult CumsumOp::fold(FoldAdaptor adaptor) {
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

LogicalResult CumsumOp::canonicalize(CumsumOp op, PatternRewriter &rewriter) {
  return absorbOperand(rewriter, op, op.getAxisTensorMutable(), [&](auto axis) { op.setAxis(axis.front()); });
}

LogicalResult CumprodOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          llvm::SmallVectorImpl<Type> &results) {
  return inferScan(location, tensorType(adaptor.getX()), adaptor.getAxis(), adaptor.getFlatten(), results);
}

LogicalResult CumprodOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateScan(*this, getAxis(), operands[0], results[0], HostScalar::of(1.0),
                      [](HostScalarBuilder &b, const HostScalar &total, const HostScalar &x) {
                        return b.multiply(total, x);
                      });
}

OpFoldResult CumprodOp::fold(FoldAdaptor adaptor) {
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

LogicalResult LogcumsumexpOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                               Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  return inferScan(location, tensorType(adaptor.getX()), adaptor.getAxis(), adaptor.getFlatten(), results);
}

LogicalResult LogcumsumexpOp::evaluate(llvm::ArrayRef<Tensor> operands,
                                       llvm::MutableArrayRef<Tensor> results) {
  double none = -std::numeric_limits<double>::infinity();
  return evaluateScan(*this, getAxis(), operands[0], results[0], HostScalar::of(none),
                      [](HostScalarBuilder &, const HostScalar &total, const HostScalar &x) {
                        double a = total.real(), b = x.real(), top = std::max(a, b);
                        return HostScalar::of(
                            std::isinf(top) ? top : top + std::log1p(std::exp(std::min(a, b) - top)));
                      });
}

OpFoldResult LogcumsumexpOp::fold(FoldAdaptor adaptor) {
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

//===-- linear_recurrence -------------------------------------------------------------------------------===//

LogicalResult LinearRecurrenceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                   Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  RankedTensorType x = tensorType(adaptor.getX()), decay = tensorType(adaptor.getDecay());
  if (x.getRank() == 0 || x.getElementType() != decay.getElementType() ||
      failed(verifyCompatibleShape(x.getShape(), decay.getShape()))) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: expected operands of one type and rank 1 or more, found " << x
                                   << " and " << decay;
    return inferenceError(location, text);
  }
  if (failed(normalizeAxis(location, adaptor.getAxis(), x.getRank(), "C2")))
    return failure();
  results.push_back(x);
  return success();
}

LogicalResult LinearRecurrenceOp::evaluate(llvm::ArrayRef<Tensor> operands,
                                           llvm::MutableArrayRef<Tensor> results) {
  Tensor &out = results[0];
  if (operands[0].dims() != operands[1].dims())
    return failure();
  int64_t axis = *normalizeAxis(getAxis(), static_cast<int64_t>(out.dims().size()));
  HostScalarBuilder b(out.dtype());
  forEachLine(out.dims(), axis, getReverse(), [&](llvm::ArrayRef<int64_t> line) {
    std::optional<HostScalar> before;
    for (int64_t at : line) {
      HostScalar x = loadScalar(operands[0], at);
      before = before ? b.add(x, b.multiply(loadScalar(operands[1], at), *before)) : x;
      storeScalar(out, at, *before);
    }
  });
  return success();
}

OpFoldResult LinearRecurrenceOp::fold(FoldAdaptor adaptor) {
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

//===-- cummax, cummin ----------------------------------------------------------------------------------===//

LogicalResult CummaxOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateExtremes(*this, operands[0], results[0], results[1], true);
}
LogicalResult CumminOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateExtremes(*this, operands[0], results[0], results[1], false);
}
LogicalResult CummaxOp::fold(FoldAdaptor adaptor, llvm::SmallVectorImpl<OpFoldResult> &results) {
  return foldAllByEvaluation(getOperation(), adaptor.getOperands(), results);
}
LogicalResult CumminOp::fold(FoldAdaptor adaptor, llvm::SmallVectorImpl<OpFoldResult> &results) {
  return foldAllByEvaluation(getOperation(), adaptor.getOperands(), results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/reduce/Scan.cpp.inc"
#include "dialects/pd/ops/reduce/Scan.methods.inc"
