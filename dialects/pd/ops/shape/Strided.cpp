#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/Shape.h"
#include "dialects/pd/ops/shape/StridedOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

int64_t bytesOf(Type element) {
  if (auto complexType = dyn_cast<ComplexType>(element))
    return 2 * bytesOf(complexType.getElementType());
  return std::max<int64_t>(element.getIntOrFloatBitWidth() / 8, 1);
}

} // namespace

//===-- as_strided --------------------------------------------------------------------------------------===//

LogicalResult AsStridedOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  llvm::ArrayRef<int64_t> dims = adaptor.getDims(), stride = adaptor.getStride();
  if (dims.size() != stride.size() || llvm::any_of(dims, [](int64_t dimSize) { return dimSize < 0; }))
    return inferenceError(location,
                          "C1: dims and stride must have one entry for each dimension of the result, "
                          "and dims not below 0");
  int64_t bytes = bytesOf(type.getElementType()), offset = adaptor.getOffset();
  if (offset < 0 || offset % bytes != 0)
    return inferenceError(location, "C2: offset is " + llvm::Twine(offset) + ", expected a multiple of " +
                                        llvm::Twine(bytes));
  int64_t first = offset / bytes, last = first;
  for (auto [dimSize, step] : llvm::zip(dims, stride))
    (step < 0 ? first : last) += step * std::max<int64_t>(dimSize - 1, 0);
  bool isEmpty = llvm::is_contained(dims, 0);
  if (!isEmpty && (first < 0 || (type.hasStaticShape() && last >= type.getNumElements())))
    return inferenceError(location, "C3: the result has elements " + llvm::Twine(first) + " to " +
                                        llvm::Twine(last) + " of x, which has " +
                                        (type.hasStaticShape() ? llvm::Twine(type.getNumElements())
                                                               : llvm::Twine("no negative ones")));
  results.push_back(type.clone(dims));
  return success();
}

FailureOr<SmallVector<Value>> AsStridedOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  Type i64 = builder.getI64Type();
  auto rank = static_cast<int64_t>(getDims().size());
  auto offset = static_cast<int64_t>(getOffset()) / bytesOf(x.type().getElementType());
  Expression position = e.constant(static_cast<double>(offset), i64);
  for (int64_t d = 0; d < rank; ++d) {
    llvm::SmallVector<int64_t> along(rank, 1);
    along[d] = getDims()[d];
    position = position + e.reshape(iota(e, getDims()[d], i64), along) * static_cast<double>(getStride()[d]);
  }
  return SmallVector<Value>{e.create<GatherOp>(e.reshape(x, {-1}), position, Value(), uint64_t(0))};
}

//===-- tensor_unfold -----------------------------------------------------------------------------------===//

LogicalResult TensorUnfoldOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                               Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto axis = normalizeAxis(location, adaptor.getAxis(), type.getRank(), "C1");
  if (failed(axis))
    return failure();
  int64_t dimSize = type.getDimSize(*axis), size = adaptor.getSize(), step = adaptor.getStep();
  if (step <= 0 || size < 0 || (dimSize != unknown && size > dimSize))
    return inferenceError(location,
                          "C2: expected a positive step and a size from 0 to the dim of axis, found " +
                              llvm::Twine(step) + " and " + llvm::Twine(size));
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[*axis] = dimSize == unknown ? unknown : (dimSize - size) / step + 1;
  shape.push_back(size);
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> TensorUnfoldOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  auto axis = normalizeAxis(getAxis(), x.rank());
  if (failed(axis))
    return notifyDecompositionFailure(builder, *this, "its axis is out of range");
  auto size = static_cast<int64_t>(getSize()), step = static_cast<int64_t>(getStep());
  Type i64 = builder.getI64Type();
  DimSize windows = add(e, divide(e, add(e, DimSize(x, *axis), -size), step), 1);
  Expression first = reshapeTo(iota(e, windows, i64), {windows, DimSize(1)}) * static_cast<double>(step);
  Expression gathered =
      e.wrap(e.create<GatherOp>(x, first + iota(e, size, i64), Value(), static_cast<uint64_t>(*axis)));
  llvm::SmallVector<int64_t> order;
  for (int64_t d = 0; d < gathered.rank(); ++d)
    if (d != *axis + 1)
      order.push_back(d);
  order.push_back(*axis + 1);
  return SmallVector<Value>{e.transpose(gathered, order)};
}

//===-- view_dtype --------------------------------------------------------------------------------------===//

LogicalResult ViewDtypeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  int64_t from = bytesOf(type.getElementType()), to = bytesOf(adaptor.getDtype());
  llvm::SmallVector<int64_t> shape(type.getShape());
  bool fits = from == to || (!shape.empty() && (shape.back() == unknown || shape.back() * from % to == 0));
  if (!fits)
    return inferenceError(location, "C1: the last dimension of x must hold a multiple of " + llvm::Twine(to) +
                                        " bytes");
  if (from != to && shape.back() != unknown)
    shape.back() = shape.back() * from / to;
  results.push_back(RankedTensorType::get(shape, adaptor.getDtype()));
  return success();
}

FailureOr<SmallVector<Value>> ViewDtypeOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  Type from = tensorType(getX()).getElementType(), to = getDtype();
  auto isComponentOf = [](Type component, Type whole) {
    auto complexType = dyn_cast<ComplexType>(whole);
    return complexType && complexType.getElementType() == component;
  };
  if (!cotangents[0] || !(from == to || isComponentOf(from, to) || isComponentOf(to, from)))
    return SmallVector<Value>{Value()};
  return SmallVector<Value>{
      ViewDtypeOp::create(builder, getLoc(), cotangents[0], TypeAttr::get(from)).getResult()};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/shape/Strided.cpp.inc"
#include "dialects/pd/ops/shape/Strided.methods.inc"
