#include "passes/lower-gpu/attention/AttentionDims.h"

#include "dialects/pd/ops/attention/FusedAttentionFormula.h"
#include "dialects/proa/Proa.h"
#include "passes/lower-gpu/attention/AttentionTile.h"

using namespace mlir;

namespace proa {

namespace {

/// A dim of an operand.
struct OperandDim {
  Value operand;
  int64_t axis;

  int64_t size() const { return cast<RankedTensorType>(operand.getType()).getDimSize(axis); }
  bool isDynamic() const { return ShapedType::isDynamic(size()); }
  int64_t argument() const { return cast<BlockArgument>(operand).getArgNumber(); }
};

/// Collects the checks of a kernel.
class DimChecks {
public:
  explicit DimChecks(MLIRContext *context) : context(context) {}

  /// `dim` is `other`, or 1 if `mayBeOne`. Types have compared static dims.
  void expectSame(OperandDim dim, OperandDim other, bool mayBeOne = false) {
    if (!dim.isDynamic() && !mayBeOne)
      std::swap(dim, other);
    if (!dim.isDynamic())
      return;
    if (other.isDynamic())
      checks.push_back(
          DimCheckAttr::get(context, dim.argument(), dim.axis, other.argument(), other.axis, {}, mayBeOne));
    else
      checks.push_back(DimCheckAttr::get(context, dim.argument(), dim.axis, {}, {}, other.size(), mayBeOne));
  }

  SmallVector<Attribute> checks;

private:
  MLIRContext *context;
};

} // namespace

void addAttentionDimChecks(func::FuncOp kernel, pd::FusedAttentionOpInterface op) {
  SmallVector<int64_t> ofQ = pd::attentionDims(op.getQPermutation()),
                       ofK = pd::attentionDims(op.getKPermutation()),
                       ofV = pd::attentionDims(op.getVPermutation());
  OperandDim batch{op.getQ(), ofQ[batchDim]}, keys{op.getK(), ofK[rowDim]};
  DimChecks dims(kernel.getContext());
  dims.expectSame({op.getK(), ofK[batchDim]}, batch);
  dims.expectSame({op.getV(), ofV[batchDim]}, batch);
  dims.expectSame({op.getV(), ofV[rowDim]}, keys);
  if (Value lengths = op.getKeyLengths())
    dims.expectSame({lengths, 0}, batch);
  if (Value gradient = op.getOutGrad()) {
    SmallVector<int64_t> ofOut = pd::attentionDims(op.getOutPermutation());
    dims.expectSame({gradient, ofOut[batchDim]}, batch);
    dims.expectSame({gradient, ofOut[rowDim]}, {op.getQ(), ofQ[rowDim]});
  }
  OperandDim scores[] = {batch, {op.getQ(), ofQ[headDim]}, {op.getQ(), ofQ[rowDim]}, keys};
  for (Value mask : {op.getMask(), op.getKeyMask()})
    for (int64_t axis = 0; mask && axis < 4; ++axis)
      if (OperandDim own{mask, axis}; own.size() != 1)
        dims.expectSame(own, scores[axis], /*mayBeOne=*/own.isDynamic());
  if (!dims.checks.empty())
    kernel->setAttr(dimChecksAttribute, ArrayAttr::get(kernel.getContext(), dims.checks));
}

} // namespace proa
