#include "dialects/pd/ops/loss/HierarchicalSigmoid.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

LogicalResult inferHsigmoidLossOf(std::optional<Location> location, RankedTensorType x, RankedTensorType w,
                                  Value label, Value path, Value code, int64_t classes, Results &results) {
  if (x.getRank() != 2 || w.getRank() != 2)
    return inferenceError(location, "C1: x and w must be matrices, found ranks " + llvm::Twine(x.getRank()) +
                                        " and " + llvm::Twine(w.getRank()));
  auto agree = [](int64_t a, int64_t b) { return a == unknown || b == unknown || a == b; };
  auto labels = tensorType(label);
  int64_t samples = x.getDimSize(0);
  bool fits = agree(x.getDimSize(1), w.getDimSize(1)) &&
              (!path || tensorType(path).getRank() != 2 || agree(samples, tensorType(path).getDimSize(0))) &&
              (!labels.hasStaticShape() || agree(samples, labels.getNumElements()));
  if (!fits)
    return inferenceError(
        location,
        "C1: x must be [N, D], w [nodes, D], path and code [N, length] and label must have N elements");
  if (!path && classes < 2)
    return inferenceError(location, "C2: num_classes must be 2 or more, found " + llvm::Twine(classes));
  bool paths =
      !path || (code && tensorType(path).getRank() == 2 &&
                succeeded(verifyCompatibleShape(tensorType(path).getShape(), tensorType(code).getShape())));
  if (!paths)
    return inferenceError(location, "C3: path and code must be matrices of one shape");
  results.push_back(x.clone({x.getDimSize(0), 1}));
  results.push_back(x.clone({x.getDimSize(0), path ? tensorType(path).getDimSize(1) : pathLength(classes)}));
  return success();
}

namespace {

struct TreePath {
  Expression nodes, bits; ///< [N, length], nodes below 0 after the end
};

TreePath defaultPath(TensorBuilder &e, Value label, int64_t classes) {
  Type i64 = e.getBuilder().getI64Type();
  int64_t length = pathLength(classes);
  llvm::SmallVector<int64_t> powers;
  for (int64_t i = 0; i < length; ++i)
    powers.push_back(int64_t(1) << i);
  auto type = RankedTensorType::get({length}, i64);
  Expression scale =
      e.wrap(e.create<ConstantOp>(type, DenseElementsAttr::get(type, llvm::ArrayRef<int64_t>(powers))));
  Expression leaf = e.reshape(asInts(e.wrap(label)), {-1, 1}) + double(classes), two = e.constant(2, i64);
  Expression shifted = e.wrap(e.create<FloorDivideOp>(leaf, scale));
  return {e.wrap(e.create<FloorDivideOp>(shifted, two)) - 1.0, e.wrap(e.create<RemainderOp>(shifted, two))};
}

} // namespace

Values HsigmoidLossOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), w = e.computed(getW());
  Type element = x.type().getElementType();
  TreePath path = getPath() ? TreePath{asInts(e.wrap(getPath())), asInts(e.wrap(getCode()))}
                            : defaultPath(e, getLabel(), getNumClasses());
  Expression isOnPath = path.nodes >= 0.0, nodes = e.maximum(path.nodes, 0.0);
  Expression v = dropDim(e.sum(insertDim(x, 1) * gatherRows(w, nodes), {2}), 2);
  if (getBias())
    v = v + gatherRows(e.reshape(e.computed(getBias()), {-1}), nodes);
  v = e.minimum(e.maximum(e.select(isOnPath, v, 0.0), -40.0), 40.0);
  Expression softplus = e.log1p(e.exp(v));
  Expression bits = e.select(isOnPath, e.cast(path.bits, element), 0.0);
  return e.results({e.sum(softplus - bits * v, {1}), softplus});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/loss/HierarchicalSigmoid.cpp.inc"
#include "dialects/pd/ops/loss/HierarchicalSigmoid.methods.inc"
#include "dialects/pd/ops/loss/HierarchicalSigmoid.scalar.inc"
