#include "lib/runtime/kernels/matmul/Matmul.h"

#include "lib/runtime/host/ThreadPool.h"

namespace proa::runtime {
namespace {

using dnnl::memory;

/// Strides that oneDNN accepts: strides of axes of size 1 are free, but it checks them.
memory::desc describeStrided(const StridedOperand &operand, memory::data_type type) {
  memory::dims dims(operand.dims.begin(), operand.dims.end()),
      strides(operand.strides.begin(), operand.strides.end());
  for (size_t axis = dims.size(); axis-- > 0;)
    if (dims[axis] == 1)
      strides[axis] = axis + 1 < dims.size() ? strides[axis + 1] * dims[axis + 1] : 1;
  return {dims, type, strides};
}

} // namespace

memory::desc MatmulPlan::weightsOf(DType dtype, const MatmulGeometry &geometry) {
  return describeStrided(geometry.y, *dnnlType(dtype));
}

std::shared_ptr<const MatmulPlan> MatmulPlan::create(ProductTypes types, const MatmulConfig &attributes,
                                                     MatmulGeometry geometry,
                                                     std::span<const OperandType> inputs,
                                                     const Options &options) {
  auto plan = std::make_shared<MatmulPlan>();
  double operations = 2.0 * static_cast<double>(geometry.inner());
  for (int64_t dim : geometry.out.dims)
    operations *= static_cast<double>(dim);
  plan->small = isSmallWork(operations);
  SingleThreadScope scope(plan->small);
  plan->shape = std::move(geometry);
  plan->xDesc = describeStrided(plan->shape.x, *dnnlType(types.x));
  plan->yPlain = describeStrided(plan->shape.y, *dnnlType(types.y));
  plan->outDesc = describeStrided(plan->shape.out, *dnnlType(types.out));
  memory::dims yDims(plan->shape.y.dims.begin(), plan->shape.y.dims.end());
  plan->yDesc = plan->yPlain;
  if (options.packable)
    plan->yDesc = memory::desc(yDims, *dnnlType(types.y), memory::format_tag::any);
  if (options.weights)
    plan->yDesc = *options.weights;
  // oneDNN's fast code does not support every post-op with every broadcast.
  if (planWithFusion(attributes.postOps, [&](size_t count) {
        return plan->build(attributes, inputs, count, options.inPlace) && !plan->isSlow();
      }))
    return plan;
  return plan->build(attributes, inputs, 0, false) ? plan : nullptr;
}

/// Whether the axes of the result have another order in memory: oneDNN 2.6.3 crashes when a post-op
/// broadcasts to such a result.
bool MatmulPlan::isPermuted() const {
  for (size_t axis = 1; axis < shape.rank(); ++axis)
    if (shape.out.strides[axis - 1] < shape.out.strides[axis])
      return true;
  return false;
}

/// Creates the primitive with the first `count` post-ops; false if oneDNN has none.
bool MatmulPlan::build(const MatmulConfig &attributes, std::span<const OperandType> inputs, size_t count,
                       bool inPlace) {
  dnnl::primitive_attr primitiveAttributes = userScratchpad();
  dnnl::post_ops list;
  extra.clear();
  operandInputs.clear();
  fused = count;
  std::optional<size_t> sum =
      inPlace ? inPlaceCandidate(attributes.postOps, shape.operands, shape.out, inputs) : std::nullopt;
  memory::desc bias;
  if (attributes.alpha != 1)
    primitiveAttributes.set_output_scales(0, {attributes.alpha});
  auto addOperand = [&](size_t i, memory::data_type dtype) {
    const PostOp &op = attributes.postOps[i];
    operandInputs.push_back(op.input);
    memory::desc desc = describeStrided(shape.operands[i], dtype);
    // oneDNN scales its own bias too, so with alpha the bias is an addition.
    if (i == 0 && op.kind == PostOp::Kind::Bias && attributes.alpha == 1) {
      bias = desc;
      extra.emplace_back(DNNL_ARG_BIAS, desc);
      return true;
    }
    if (shape.operands[i].dims != shape.out.dims && isPermuted())
      return false;
    extra.emplace_back(appendBinary(list, op, desc), desc);
    return true;
  };
  if (!appendPostOps(list, attributes.postOps, count, sum, inputs, addOperand))
    return false;
  primitiveAttributes.set_post_ops(list);
  try {
    bool hasBias = bias.dims().size() != 0;
    dnnl::matmul::desc operation =
        hasBias ? dnnl::matmul::desc(xDesc, yDesc, bias, outDesc) : dnnl::matmul::desc(xDesc, yDesc, outDesc);
    description = dnnl::matmul::primitive_desc(operation, primitiveAttributes, dnnlEngine());
    primitive = dnnl::matmul(description);
  } catch (const dnnl::error &) {
    return false;
  }
  return true;
}

std::unique_ptr<Execution> MatmulPlan::execution() const {
  auto out = std::make_unique<Execution>(primitive, description.scratchpad_desc(), small);
  out->add(DNNL_ARG_SRC, xDesc);
  out->add(DNNL_ARG_WEIGHTS, description.weights_desc());
  out->add(DNNL_ARG_DST, outDesc);
  for (const auto &[argument, desc] : extra)
    out->add(argument, desc);
  return out;
}

} // namespace proa::runtime
