/// rt.matmul: multiply-adds, and how pd.matmul becomes this op.
#include "dialects/rt/Rt.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/rt/Fusable.h"

using namespace mlir;

namespace proa::rt {
namespace {

struct FusableMatmul : FusableOpInterface::ExternalModel<FusableMatmul, pd::MatmulOp> {
  FusionLimits getFusionLimits(Operation *op) const {
    FusionLimits limits;
    limits.permutes = true;
    limits.deviceActivations = {PostOpKind::Relu, PostOpKind::GeluTanh};
    Value result = op->getResult(0);
    limits.all = elementTypeLimit(result);
    int64_t rank = pd::tensorType(result).getRank();
    if (rank < 2)
      limits.all = "its result is not a matrix";
    limits.channelDim = rank - 1;
    return limits;
  }

  Value createFused(Operation *op, OpBuilder &builder, const FusedOperands &fused) const {
    auto matmul = cast<pd::MatmulOp>(op);
    return MatmulOp::create(builder, fused.location, fused.type, fused.x, fused.y, fused.extras,
                            matmul.getTransposeX(), matmul.getTransposeY(), llvm::APFloat(fused.alpha),
                            fused.postOps, fused.xPermutation, fused.yPermutation, fused.outPermutation);
  }
};

} // namespace

void MatmulOp::attachFusable(MLIRContext &context) { pd::MatmulOp::attachInterface<FusableMatmul>(context); }

/// One for each element of the result and of the summed dimension.
std::optional<int64_t> MatmulOp::getMultiplyAdds() {
  ArrayRef<int64_t> x = pd::tensorType(getX()).getShape(), permutation = getXPermutation();
  size_t summed = x.size() - (x.size() > 1 && getTransposeX() ? 2 : 1);
  SmallVector<int64_t> dims(pd::tensorType(getOut()).getShape());
  dims.push_back(x[permutation.empty() ? summed : static_cast<size_t>(permutation[summed])]);
  return pd::productOfDims(dims);
}

} // namespace proa::rt
