#include "dialects/pd/ops/nn/ClickThrough.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

Values CvmOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), rest = slice(x, 1, 2, toTheEnd);
  if (!getUseCvm())
    return e.results({rest});
  Expression shows = e.log(slice(x, 1, 0, 1) + 1.0), clicks = e.log(slice(x, 1, 1, 2) + 1.0);
  return e.results({concat({shows, clicks - shows, rest}, 1)});
}

FailureOr<llvm::SmallVector<Value>> CvmOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), cotangent = e.computed(cotangents[0]);
  Expression rest = getUseCvm() ? slice(cotangent, 1, 2, toTheEnd) : cotangent;
  auto columns = [&](Expression first) {
    llvm::SmallVector<Value> gradients(getOperation()->getNumOperands());
    gradients[0] = e.gradient(concat({first, rest}, 1), getX());
    return gradients;
  };
  if (getCvm())
    return columns(e.computed(getCvm()));
  Expression first = slice(x, 1, 0, 2);
  if (!getUseCvm())
    return columns(first * 0.0);
  Expression shows = slice(cotangent, 1, 0, 1), clicks = slice(cotangent, 1, 1, 2);
  return columns(concat({shows - clicks, clicks}, 1) / (first + 1.0));
}

FailureOr<llvm::SmallVector<Value>> DataNormOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), scales = e.computed(getScales()), centred = x - e.computed(getMeans());
  llvm::SmallVector<Value> gradients;
  Expression rows = e.countAlong(x, {0});
  Expression count = e.computed(getBatchSize()) * 0.0 + rows;
  auto sum = [&](Expression v) { return e.sum(v, {0}, false); };
  Expression dout = cotangents[0] ? e.computed(cotangents[0]) : x * 0.0;
  Expression dnormalized = getScaleW() ? dout * e.computed(getScaleW()) : dout;
  gradients.push_back(e.gradient(dnormalized * scales, getX()));
  gradients.push_back(e.gradient(count, getBatchSize()));
  gradients.push_back(e.gradient(sum(x), getBatchSum()));
  gradients.push_back(
      e.gradient(sum(centred * centred) + count * getEpsilon().convertToDouble(), getBatchSquareSum()));
  if (getScaleW())
    gradients.push_back(e.gradient(sum(dout * centred * scales), getScaleW()));
  if (getBias())
    gradients.push_back(e.gradient(sum(dout), getBias()));
  return gradients;
}

Values DataNormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression size = e.computed(getBatchSize());
  Expression means = e.computed(getBatchSum()) / size,
             scales = e.sqrt(size / e.computed(getBatchSquareSum()));
  Expression out = (e.computed(getX()) - means) * scales;
  if (getScaleW())
    out = out * e.computed(getScaleW());
  if (getBias())
    out = out + e.computed(getBias());
  return e.results({out, means, scales});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/ClickThrough.cpp.inc"
#include "dialects/pd/ops/nn/ClickThrough.methods.inc"
#include "dialects/pd/ops/nn/ClickThrough.scalar.inc"
