#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/Positions.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/Shape.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {
namespace {

LogicalResult checkVector(std::optional<Location> location, Value index) {
  int64_t rank = tensorType(index).getRank();
  return rank == 1 ? success()
                   : inferenceError(location, "C2: index must be a vector, found rank " + llvm::Twine(rank));
}

} // namespace

//===-- gather ------------------------------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX()), index = tensorType(adaptor.getIndex());
  auto entry =
      constantOr(location, "axis", adaptor.getAxisTensor(), static_cast<int64_t>(adaptor.getAxis()), "C2");
  auto axis =
      failed(entry) ? FailureOr<int64_t>(failure()) : normalizeAxis(location, *entry, type.getRank(), "C1");
  if (failed(axis))
    return failure();
  llvm::SmallVector<int64_t> shape(type.getShape().take_front(*axis));
  shape.append(index.getShape().begin(), index.getShape().end());
  shape.append(type.getShape().begin() + *axis + 1, type.getShape().end());
  results.push_back(type.clone(shape));
  return success();
}

LogicalResult GatherOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  const Tensor &x = operands[0], &index = operands[1];
  auto rank = static_cast<int64_t>(x.dims().size());
  auto entry = constantOr(getAxisTensor(), static_cast<int64_t>(getAxis()));
  auto axis = failed(entry) ? FailureOr<int64_t>(failure()) : normalizeAxis(*entry, rank);
  if (failed(axis))
    return failure();
  int64_t inner = 1, dimSize = x.dims()[*axis];
  for (int64_t d = *axis + 1; d < rank; ++d)
    inner *= x.dims()[d];
  for (int64_t i = 0; i < results[0].size(); ++i) {
    auto at = positionIn(loadScalar(index, i / inner % index.size()).integer, dimSize);
    if (!at)
      return failure();
    int64_t outer = i / inner / index.size();
    storeScalar(results[0], i, loadScalar(x, (outer * dimSize + *at) * inner + i % inner));
  }
  return success();
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

LogicalResult GatherOp::canonicalize(GatherOp op, PatternRewriter &rewriter) {
  return absorbOperand(rewriter, op, op.getAxisTensorMutable(), [&](auto axis) { op.setAxis(axis.front()); });
}

//===-- gather_nd ---------------------------------------------------------------------------------------===//

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto depth = addressedDims(location, type, tensorType(adaptor.getIndex()));
  if (failed(depth))
    return failure();
  llvm::SmallVector<int64_t> shape(tensorType(adaptor.getIndex()).getShape().drop_back());
  shape.append(type.getShape().begin() + *depth, type.getShape().end());
  results.push_back(type.clone(shape));
  return success();
}

LogicalResult GatherNdOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  const Tensor &x = operands[0], &index = operands[1];
  RowPositions rows(x.dims(), index);
  for (int64_t i = 0; i < results[0].size(); ++i) {
    auto row = rows.offset(i / rows.inner());
    if (!row)
      return failure();
    storeScalar(results[0], i, loadScalar(x, *row + i % rows.inner()));
  }
  return success();
}

//===-- take_along_axis ---------------------------------------------------------------------------------===//

LogicalResult TakeAlongAxisOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto shape = dimsAlongAxis(location, adaptor.getAxis(), type, tensorType(adaptor.getIndices()));
  if (failed(shape))
    return failure();
  results.push_back(type.clone(*shape));
  return success();
}

LogicalResult TakeAlongAxisOp::evaluate(llvm::ArrayRef<Tensor> operands,
                                        llvm::MutableArrayRef<Tensor> results) {
  const Tensor &x = operands[0], &indices = operands[1];
  auto axis = normalizeAxis(getAxis(), static_cast<int64_t>(x.dims().size()));
  bool inside = succeeded(axis);
  forEachIndex(results[0].dims(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    auto at =
        positionIn(loadScalar(indices, broadcastOffset(indices.dims(), index)).integer, x.dims()[*axis]);
    inside &= at.has_value();
    llvm::SmallVector<int64_t> source(index);
    source[*axis] = at.value_or(0);
    if (inside)
      storeScalar(results[0], position, loadScalar(x, broadcastOffset(x.dims(), source)));
  });
  return success(inside);
}

//===-- Composites --------------------------------------------------------------------------------------===//

LogicalResult IndexSelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                              Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto axis = normalizeAxis(location, adaptor.getAxis(), type.getRank(), "C1");
  if (failed(axis) || failed(checkVector(location, adaptor.getIndex())))
    return failure();
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[*axis] = tensorType(adaptor.getIndex()).getDimSize(0);
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> IndexSelectOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{e.create<GatherOp>(getX(), getIndex(), Value(), getAxis())};
}

LogicalResult IndexSampleOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                              Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX()), index = tensorType(adaptor.getIndex());
  if (type.getRank() != 2 || index.getRank() != 2)
    return inferenceError(location, "C1: x and index must be matrices, found ranks " +
                                        llvm::Twine(type.getRank()) + " and " + llvm::Twine(index.getRank()));
  results.push_back(type.clone(index.getShape()));
  return success();
}

FailureOr<SmallVector<Value>> IndexSampleOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{e.create<TakeAlongAxisOp>(getX(), getIndex(), uint64_t(1))};
}

LogicalResult MultiplexOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            llvm::SmallVectorImpl<Type> &results) {
  if (adaptor.getInputs().empty())
    return inferenceError(location, "C1: there must be at least one tensor in inputs");
  auto element = commonElementType(location, adaptor.getInputs(), "C2");
  auto shape = failed(element) ? FailureOr<llvm::SmallVector<int64_t>>(failure())
                               : broadcastShapes(location, adaptor.getInputs().getTypes(), "C3");
  if (failed(shape))
    return failure();
  results.push_back(RankedTensorType::get(*shape, *element));
  return success();
}

FailureOr<SmallVector<Value>> MultiplexOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  int64_t rank = tensorType(getOut()).getRank();
  llvm::SmallVector<DimSize> column(rank, DimSize(1));
  column[0] = DimSize(e.wrap(getIndex()), 0);
  Expression index = reshapeTo(e.wrap(getIndex()), column), out = e.wrap(getInputs().front());
  for (auto [i, input] : llvm::enumerate(getInputs().drop_front())) {
    Expression value = e.constant(double(i + 1), index.type().getElementType());
    out = e.select(e.wrap(e.create<EqualOp>(index, value)), e.wrap(input), out);
  }
  return SmallVector<Value>{out};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/index/Gather.cpp.inc"
#include "dialects/pd/ops/index/Gather.methods.inc"
