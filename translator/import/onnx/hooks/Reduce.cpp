//! Hooks of reductions of ONNX.
#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/reduce/NormOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;

namespace proa::import::onnxhooks {
namespace {

/// A reduction along axes, of which there is at least one.
struct Reduced {
  NodeImporter &node;
  Ints axes;
  bool keepsDims;

  template <class Op, class... Args> Expression reduce(Expression x, Args... args) const {
    if (axes.empty())
      return x;
    return node.create<Op>(x, llvm::ArrayRef<int64_t>(axes), keepsDims, args...);
  }
  Expression sum(Expression x) const {
    return reduce<pd::SumOp>(x, TypeAttr::get(x.type().getElementType()));
  }
  /// Whether a static dim of 0 is reduced, which pd.max refuses. The sum is 0.
  bool reducesNothing(Expression x) const {
    return llvm::any_of(axes, [&](int64_t axis) { return x.type().getDimSize(axis) == 0; });
  }
  /// x in a type in which functions of floats are computed.
  Expression asFloat(Expression x) const {
    TensorBuilder &e = node.tensors();
    return isa<FloatType>(x.type().getElementType()) ? x : e.cast(x, e.getBuilder().getF64Type());
  }
};

Expression buildL1(const Reduced &r, Expression x) { return r.sum(r.node.tensors().abs(x)); }

Expression buildL2(const Reduced &r, Expression x) {
  Expression wide = r.asFloat(x);
  return r.node.tensors().sqrt(r.sum(wide * wide));
}

Expression buildLogSum(const Reduced &r, Expression x) { return r.node.tensors().log(r.sum(r.asFloat(x))); }

Expression buildLogSumExp(const Reduced &r, Expression x) { return r.reduce<pd::LogsumexpOp>(r.asFloat(x)); }

Expression buildMean(const Reduced &r, Expression x) { return r.reduce<pd::MeanOp>(r.asFloat(x)); }

Expression buildProd(const Reduced &r, Expression x) { return r.reduce<pd::ProdOp>(x); }

Expression buildSum(const Reduced &r, Expression x) { return r.sum(x); }

Expression buildSumSquare(const Reduced &r, Expression x) { return r.sum(x * x); }

/// The extreme of no elements in the dims of the sum: an infinity, or the last number of an integer type.
Expression extremeOfNothing(const Reduced &r, Expression x, bool isNegative) {
  TensorBuilder &e = r.node.tensors();
  Type element = x.type().getElementType();
  if (isa<FloatType>(element))
    return r.sum(x) + (isNegative ? -1 : 1) * std::numeric_limits<double>::infinity();
  bool isUnsigned = element.isUnsignedInteger();
  unsigned bits = element.getIntOrFloatBitWidth();
  llvm::APInt last =
      isNegative ? llvm::APSInt::getMinValue(bits, isUnsigned) : llvm::APSInt::getMaxValue(bits, isUnsigned);
  int64_t value = isUnsigned ? static_cast<int64_t>(last.getZExtValue()) : last.getSExtValue();
  return r.sum(x) + e.reshape(e.cast(r.node.integers({value}), element), {});
}

Expression buildMax(const Reduced &r, Expression x) {
  if (x.type().getElementType().isInteger(1))
    return r.reduce<pd::AnyOp>(x);
  if (r.reducesNothing(x))
    return extremeOfNothing(r, x, /*isNegative=*/true);
  return r.reduce<pd::MaxOp>(x, /*propagate_nan=*/true);
}

Expression buildMin(const Reduced &r, Expression x) {
  if (x.type().getElementType().isInteger(1))
    return r.reduce<pd::AllOp>(x);
  if (r.reducesNothing(x))
    return extremeOfNothing(r, x, /*isNegative=*/false);
  return r.reduce<pd::MinOp>(x, /*propagate_nan=*/true);
}

using Reduction = Expression (*)(const Reduced &, Expression);

Reduction reductionOf(llvm::StringRef type) {
  static const llvm::StringMap<Reduction> reductions{
      {"ReduceL1", buildL1},         {"ReduceL2", buildL2},
      {"ReduceLogSum", buildLogSum}, {"ReduceLogSumExp", buildLogSumExp},
      {"ReduceMax", buildMax},       {"ReduceMean", buildMean},
      {"ReduceMin", buildMin},       {"ReduceProd", buildProd},
      {"ReduceSum", buildSum},       {"ReduceSumSquare", buildSumSquare}};
  return reductions.lookup(type);
}

} // namespace

void importReduce(NodeImporter &node) {
  Expression data = node.operand("data");
  Ints axes = node.intsAttribute("axes");
  bool keepsAllDims = node.boolAttribute("noop_with_empty_axes");
  bool isElementwise = axes.empty() && keepsAllDims;
  if (axes.empty() && !isElementwise)
    llvm::append_range(axes, llvm::seq<int64_t>(0, data.rank()));
  Reduced reduced{node, axesIn(node, axes, data.rank()), node.boolAttribute("keepdims")};
  TensorBuilder &e = node.tensors();
  Expression result = reductionOf(node.getNode().type)(reduced, e.computed(data));
  node.setOutput("reduced", e.cast(result, data.type().getElementType()));
}

} // namespace proa::import::onnxhooks
