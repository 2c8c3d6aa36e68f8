/// rt.conv2d: multiply-adds, and how pd.conv2d becomes this op.
#include "dialects/rt/Rt.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/rt/Fusable.h"

using namespace mlir;

namespace proa::rt {
namespace {

struct FusableConv2d : FusableOpInterface::ExternalModel<FusableConv2d, pd::Conv2dOp> {
  FusionLimits getFusionLimits(Operation *op) const {
    auto conv = cast<pd::Conv2dOp>(op);
    FusionLimits limits;
    limits.all = elementTypeLimit(conv.getOut());
    if (conv.getPaddingAlgorithm() != pd::PaddingAlgorithm::Explicit || conv.getPaddings().size() != 4)
      limits.all = "its paddings are not four constants";
    limits.deviceActivations = {PostOpKind::Relu};
    limits.channelDim = conv.getDataFormat() == pd::DataFormat::NHWC ? 3 : 1;
    limits.factor = "the runtime's convolution does not scale its result";
    bool isDepthwise = conv.getGroups() != 1;
    // oneDNN 2.6.3 gave wrong sums for a depthwise convolution with a residual (8 channels, 7x7 filter).
    if (isDepthwise)
      limits.residual = "the runtime's convolution with groups does not add a residual";
    // The runtime computes dilated depthwise convolutions by its own loops (GroupedConv.h).
    if (isDepthwise && llvm::any_of(conv.getDilations(), [](int64_t dilation) { return dilation != 1; }))
      limits.activation = "the runtime's dilated convolution with groups adds a bias only";
    return limits;
  }

  Value createFused(Operation *op, OpBuilder &builder, const FusedOperands &fused) const {
    auto conv = cast<pd::Conv2dOp>(op);
    return Conv2dOp::create(builder, fused.location, fused.type, fused.x, fused.y, fused.extras,
                            conv.getStrides(), conv.getPaddings(), conv.getDilations(), conv.getGroups(),
                            conv.getDataFormat(), pd::DataFormat::AnyLayout, fused.postOps);
  }
};

} // namespace

void Conv2dOp::attachFusable(MLIRContext &context) { pd::Conv2dOp::attachInterface<FusableConv2d>(context); }

/// C3 of an image, if the dims are static.
static LogicalResult verifyChannels(Conv2dOp op, const char *name, Value image, pd::DataFormat format,
                                    int64_t expected) {
  int64_t channels = pd::tensorType(image).getDimSize(pd::channelsAreLast(format) ? 3 : 1);
  if (ShapedType::isDynamic(channels) || ShapedType::isDynamic(expected) || channels == expected)
    return success();
  return op.emitOpError() << "C3: the " << name << " has " << channels << " channels in layout "
                          << pd::stringifyDataFormat(format) << ", expected " << expected;
}

LogicalResult Conv2dOp::verify() {
  for (Value tensor : {getInput(), getFilter(), getOut()})
    if (pd::tensorType(tensor).getRank() != 4)
      return emitOpError() << "C2: expected tensors of rank 4, found " << tensor.getType();
  RankedTensorType filter = pd::tensorType(getFilter());
  int64_t inputs = filter.getDimSize(1);
  if (!ShapedType::isDynamic(inputs))
    inputs *= getGroups();
  pd::DataFormat inputFormat =
      getInputFormat() == pd::DataFormat::AnyLayout ? getDataFormat() : getInputFormat();
  return failure(failed(verifyChannels(*this, "input", getInput(), inputFormat, inputs)) ||
                 failed(verifyChannels(*this, "output", getOut(), getDataFormat(), filter.getDimSize(0))));
}

/// One for each element of the result and of the filter of its channel.
std::optional<int64_t> Conv2dOp::getMultiplyAdds() {
  SmallVector<int64_t> dims(pd::tensorType(getOut()).getShape());
  llvm::append_range(dims, pd::tensorType(getFilter()).getShape().drop_front());
  return pd::productOfDims(dims);
}

} // namespace proa::rt
