#include "dialects/rt/Fusable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/nn/ConvOps.h"
#include "dialects/rt/Rt.h"

using namespace mlir;

#include "dialects/rt/Fusable.cpp.inc"

namespace proa::rt {
namespace {

/// The reason why the result's element type is not fused; null for f32 and bf16.
const char *elementTypeLimit(Value result) {
  Type element = pd::tensorType(result).getElementType();
  bool isFast = element.isF32() || element.isBF16();
  return isFast ? nullptr
                : "its element type is neither f32 nor bf16, which the runtime computes by plain loops";
}

struct FusableMatmul : FusableOpInterface::ExternalModel<FusableMatmul, pd::MatmulOp> {
  FusionLimits getFusionLimits(Operation *op) const {
    FusionLimits limits;
    limits.permutes = true;
    Value result = op->getResult(0);
    limits.all = elementTypeLimit(result);
    int64_t rank = pd::tensorType(result).getRank();
    if (rank < 2)
      limits.all = "its result is not a matrix";
    limits.channelDim = rank - 1;
    return limits;
  }

  Value createFused(Operation *op, OpBuilder &builder, const FusedParts &parts) const {
    auto matmul = cast<pd::MatmulOp>(op);
    return MatmulOp::create(builder, parts.location, parts.type, parts.x, parts.y, parts.extras,
                            matmul.getTransposeX(), matmul.getTransposeY(), llvm::APFloat(parts.alpha),
                            parts.postOps, parts.xPermutation, parts.yPermutation, parts.outPermutation);
  }
};

struct FusableConv2d : FusableOpInterface::ExternalModel<FusableConv2d, pd::Conv2dOp> {
  FusionLimits getFusionLimits(Operation *op) const {
    auto conv = cast<pd::Conv2dOp>(op);
    FusionLimits limits;
    limits.all = elementTypeLimit(conv.getOut());
    if (conv.getPaddingAlgorithm() != pd::PaddingAlgorithm::Explicit || conv.getPaddings().size() != 4)
      limits.all = "its paddings are not four constants";
    limits.channelDim = conv.getDataFormat() == pd::DataFormat::NHWC ? 3 : 1;
    limits.factor = "the runtime's convolution does not scale its result";
    bool isDepthwise = conv.getGroups() != 1;
    // oneDNN 2.6.3 gave wrong sums for a depthwise convolution with a residual (8 channels, 7x7 filter).
    if (isDepthwise)
      limits.residual = "the runtime's convolution with groups does not add a residual";
    // The runtime computes dilated depthwise convolutions by its own loops (DepthwiseConv.h).
    if (isDepthwise && llvm::any_of(conv.getDilations(), [](int64_t dilation) { return dilation != 1; }))
      limits.activation = "the runtime's dilated convolution with groups adds a bias only";
    return limits;
  }

  Value createFused(Operation *op, OpBuilder &builder, const FusedParts &parts) const {
    auto conv = cast<pd::Conv2dOp>(op);
    return Conv2dOp::create(builder, parts.location, parts.type, parts.x, parts.y, parts.extras,
                            conv.getStrides(), conv.getPaddings(), conv.getDilations(), conv.getGroups(),
                            conv.getDataFormat(), parts.postOps);
  }
};

} // namespace

void attachFusableInterfaces(MLIRContext &context) {
  pd::MatmulOp::attachInterface<FusableMatmul>(context);
  pd::Conv2dOp::attachInterface<FusableConv2d>(context);
}

} // namespace proa::rt
