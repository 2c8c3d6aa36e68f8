#include "dialects/pd/reduce/Reduce.h"
#include "dialects/pd/Evaluate.h"
#include "dialects/pd/Families.h"
#include "dialects/pd/TensorBuilder.h"

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

LogicalResult inferReduction(std::optional<Location> location, RankedTensorType type, llvm::ArrayRef<int64_t> axes,
                             bool keepdim, Type elementType, Results &results) {
  for (int64_t axis : axes)
    if (type.getRank() > 0 && failed(normalizeAxis(location, axis, type.getRank())))
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

using Combine = HostScalar (HostScalarBuilder::*)(HostScalar, HostScalar);

/// Reduces `x` into `out`, whose dims are x's with the reduced ones left out or 1.
LogicalResult reduce(const Tensor &x, Tensor &out, llvm::ArrayRef<int64_t> axes, HostScalar neutral, Combine combine) {
  HostScalarBuilder builder(out.dtype());
  llvm::SmallVector<int64_t> reduced = reducedAxes(axes, static_cast<int64_t>(x.dims().size()));
  llvm::SmallVector<HostScalar> totals(out.size(), neutral);
  forEachIndex(x.dims(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      if (!llvm::is_contained(reduced, static_cast<int64_t>(d)))
        at = at * x.dims()[d] + index[d];
    totals[at] = (builder.*combine)(totals[at], builder.cast(loadScalar(x, position)));
  });
  for (int64_t i = 0; i < out.size(); ++i)
    storeScalar(out, i, totals[i]);
  return success();
}

HostScalar number(DType dtype, double value) { return HostScalarBuilder(dtype).cast(HostScalar::of(value)); }

HostScalar extreme(DType dtype, bool greatest) {
  double infinity = std::numeric_limits<double>::infinity();
  return number(dtype, greatest ? infinity : -infinity);
}

} // namespace

LogicalResult SumOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return reduce(operands[0], results[0], getAxis(), number(results[0].dtype(), 0), &HostScalarBuilder::add);
}

LogicalResult ProdOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return reduce(operands[0], results[0], getAxis(), number(results[0].dtype(), 1), &HostScalarBuilder::multiply);
}

LogicalResult MaxOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return reduce(operands[0], results[0], getAxis(), extreme(results[0].dtype(), false), &HostScalarBuilder::maximum);
}

LogicalResult MinOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return reduce(operands[0], results[0], getAxis(), extreme(results[0].dtype(), true), &HostScalarBuilder::minimum);
}

LogicalResult AllOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return reduce(operands[0], results[0], getAxis(), HostScalar::of(true), &HostScalarBuilder::multiply);
}

LogicalResult AnyOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return reduce(operands[0], results[0], getAxis(), HostScalar::of(false), &HostScalarBuilder::add);
}

void registerReduceOps(PdDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/reduce/Reduce.cpp.inc"
      >();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/reduce/Reduce.cpp.inc"
#include "dialects/pd/reduce/Reduce.scalar.inc"
#include "dialects/pd/reduce/Reduce.methods.inc"
