#include "lib/runtime/kernels/conv/Conv.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/conv/ChannelOrder.h"
#include "lib/runtime/kernels/tensor/StridedCopy.h"

#include <algorithm>

namespace proa::runtime {
namespace {

using dnnl::memory;

memory::dims shifted(std::span<const int64_t> values, int64_t shift) {
  memory::dims out(values.begin(), values.end());
  for (int64_t &value : out)
    value += shift;
  return out;
}

/// oneDNN's padding after an axis must give exactly the output's dim.
memory::dims paddingAfter(const ConvGeometry &g, bool transposed) {
  memory::dims after;
  for (size_t i = 0; i < g.kernel.size(); ++i) {
    int64_t in = g.input.dims[2 + i], out = g.output.dims[2 + i];
    int64_t reach = g.dilations[i] * (g.kernel[i] - 1) + 1;
    int64_t large = transposed ? out : in, small = transposed ? in : out;
    after.push_back((small - 1) * g.strides[i] + reach - large - g.before[i]);
  }
  return after;
}

bool hasStrides(const StridedOperand &stored, std::span<const int64_t> strides) {
  for (size_t axis = 0; axis < stored.dims.size(); ++axis)
    if (stored.dims[axis] != 1 && stored.strides[axis] != strides[axis])
      return false;
  return true;
}

/// Copies the image to channels last.
void interleave(const StridedOperand &image, const float *from, float *to) {
  constexpr int64_t grain = 4096; // pixels
  int64_t channels = image.dims[1], pixels = image.dims[2] * image.dims[3];
  int64_t chunks = (pixels + grain - 1) / grain;
  parallelFor(image.dims[0] * chunks, 4, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      int64_t first = chunk % chunks * grain, offset = chunk / chunks * channels * pixels;
      runVectors<interleaveChannels>(from + offset + first, pixels, channels, std::min(grain, pixels - first),
                                     to + offset + first * channels);
    }
  });
}

} // namespace

bool ConvPlan::interleaves(const StridedOperand &image) {
  return image.dims.size() == 4 && image.dims[1] > 1 && image.dims[1] <= mostInterleaved &&
         isDense(image, false);
}

void *ConvPlan::Port::provide(const View &view, std::byte *scratch) const {
  if (!copied)
    return view.data;
  if (view.dtype == DType::Float32 && interleaves(stored) && planned == convStrides(stored.dims, true)) {
    interleave(stored, view.as<float>(), reinterpret_cast<float *>(scratch));
    return scratch;
  }
  stridedCopy(sizeOf(view.dtype), stored.dims, view.data, stored.strides, scratch, planned);
  return scratch;
}

memory::desc plainFilterDesc(const ConvConfig &attributes, const ConvGeometry &g, memory::data_type type) {
  int64_t in = g.inputChannels() / g.groups, out = g.outputChannels() / g.groups;
  std::vector<int64_t> stored{g.groups, attributes.transposed ? in : out, attributes.transposed ? out : in};
  stored.insert(stored.end(), g.kernel.begin(), g.kernel.end());
  std::vector<int64_t> strides = rowMajorStrides(stored);
  if (attributes.transposed) {
    std::swap(stored[1], stored[2]);
    std::swap(strides[1], strides[2]);
  }
  size_t skip = g.groups == 1 ? 1 : 0;
  return {memory::dims(stored.begin() + static_cast<ptrdiff_t>(skip), stored.end()), type,
          memory::dims(strides.begin() + static_cast<ptrdiff_t>(skip), strides.end())};
}

ConvPlan::Port convPort(const StridedOperand &stored, memory::data_type dtype, bool channelLast) {
  ConvPlan::Port port;
  port.stored = stored;
  port.planned = convStrides(stored.dims, channelLast);
  port.desc = memory::desc(memory::dims(stored.dims.begin(), stored.dims.end()), dtype,
                           memory::dims(port.planned.begin(), port.planned.end()));
  port.copied = !hasStrides(stored, port.planned);
  return port;
}

ConvSteps::ConvSteps(const ConvGeometry &geometry, bool transposed)
    : strides(shifted(geometry.strides, 0)), dilations(shifted(geometry.dilations, -1)),
      before(shifted(geometry.before, 0)), after(paddingAfter(geometry, transposed)) {}

bool isSmallConv(const ConvGeometry &geometry, bool transposed) {
  double operations =
      2.0 * static_cast<double>(geometry.inputChannels()) / static_cast<double>(geometry.groups);
  for (const auto &dims : {transposed ? geometry.input.dims : geometry.output.dims, geometry.kernel})
    for (int64_t dim : dims)
      operations *= static_cast<double>(dim);
  return isSmallWork(operations);
}

/// A transposed convolution to few channels is faster by a GEMM, which needs channels first.
static bool prefersChannelLast(const ConvConfig &attributes, const ConvGeometry &geometry) {
  constexpr int64_t few = 8;
  int64_t in = geometry.inputChannels() / geometry.groups, out = geometry.outputChannels() / geometry.groups;
  return !attributes.transposed || out >= few || (in == 1 && out == 1);
}

std::shared_ptr<const ConvPlan> ConvPlan::create(ProductTypes types, const ConvConfig &attributes,
                                                 const ConvGeometry &geometry,
                                                 std::span<const OperandType> inputs, bool inPlace,
                                                 bool prefersLoop) {
  auto plan = std::make_shared<ConvPlan>();
  plan->prefersLoop = prefersLoop;
  plan->small = isSmallConv(geometry, attributes.transposed);
  SingleThreadScope scope(plan->small);
  plan->types = types;
  plan->filterPlain = plainFilterDesc(attributes, geometry, *dnnlType(types.y));
  for (bool channelLast : {prefersChannelLast(attributes, geometry), false}) {
    plan->channelLast = channelLast;
    if (planWithFusion(attributes.postOps, [&](size_t count) {
          return plan->build(attributes, geometry, inputs, count, inPlace) && plan->isUsable();
        }))
      return plan;
  }
  return nullptr;
}

/// oneDNN's reference code is too slow, and its convolution by a GEMM (2.6.3) adds and multiplies tensors at
/// wrong positions.
bool ConvPlan::isUsable() const {
  bool fusesTensor = false;
  for (const Port &port : extraPorts)
    fusesTensor |= port.argument != DNNL_ARG_BIAS;
  return !isReference(name.c_str()) && !(isGemm() && fusesTensor);
}

/// Creates the primitive with the first `count` post-ops; false if oneDNN has none.
bool ConvPlan::build(const ConvConfig &attributes, const ConvGeometry &geometry,
                     std::span<const OperandType> inputs, size_t count, bool inPlace) {
  dnnl::primitive_attr primitiveAttributes = userScratchpad();
  dnnl::post_ops list;
  extraPorts.clear();
  fused = count;
  inputPort = convPort(geometry.input, *dnnlType(types.x), channelLast);
  outputPort = convPort(geometry.output, *dnnlType(types.out), channelLast);
  std::optional<size_t> sum =
      inPlace && !outputPort.copied
          ? inPlaceCandidate(attributes.postOps, geometry.operands, geometry.output, inputs)
          : std::nullopt;
  memory::desc bias;
  auto addOperand = [&](size_t i, memory::data_type dtype) {
    const PostOp &op = attributes.postOps[i];
    Port port = convPort(geometry.operands[i], dtype, channelLast);
    port.input = op.input;
    if (i == 0 && op.kind == PostOp::Kind::Bias) {
      bias = memory::desc({geometry.outputChannels()}, dtype, memory::format_tag::a);
      port.argument = DNNL_ARG_BIAS;
      port.desc = bias;
    } else {
      port.argument = appendBinary(list, op, port.desc);
    }
    extraPorts.push_back(std::move(port));
    return true;
  };
  if (!appendPostOps(list, attributes.postOps, count, sum, inputs, addOperand))
    return false;
  primitiveAttributes.set_post_ops(list);
  try {
    makePrimitive(attributes, geometry, bias, primitiveAttributes);
  } catch (const dnnl::error &) {
    return false;
  }
  return true;
}

/// See ConvChoice.h.
static bool callsGemms(const dnnl::primitive_desc &description) {
  return std::string_view(description.impl_info_str()).starts_with("br");
}
static bool findLoop(dnnl::primitive_desc &description) {
  while (callsGemms(description))
    if (!description.next_impl())
      return false;
  return std::string_view(description.impl_info_str()).starts_with("jit") &&
         std::string_view(description.impl_info_str()).ends_with("avx512_core");
}

void ConvPlan::makePrimitive(const ConvConfig &attributes, const ConvGeometry &g, const memory::desc &bias,
                             const dnnl::primitive_attr &primitiveAttributes) {
  memory::desc filter(filterPlain.dims(), *dnnlType(types.y), memory::format_tag::any);
  auto [strides, dilations, before, after] = ConvSteps(g, attributes.transposed);
  constexpr auto inference = dnnl::prop_kind::forward_inference;
  // A zero bias descriptor means none.
  if (attributes.transposed) {
    dnnl::deconvolution_forward::primitive_desc description({inference, dnnl::algorithm::deconvolution_direct,
                                                             inputPort.desc, filter, bias, outputPort.desc,
                                                             strides, dilations, before, after},
                                                            primitiveAttributes, dnnlEngine());
    filterWanted = description.weights_desc();
    scratchpad = description.scratchpad_desc();
    name = description.impl_info_str();
    primitive = dnnl::deconvolution_forward(description);
  } else {
    dnnl::convolution_forward::desc problem(inference, dnnl::algorithm::convolution_direct, inputPort.desc,
                                            filter, bias, outputPort.desc, strides, dilations, before, after);
    dnnl::convolution_forward::primitive_desc description(problem, primitiveAttributes, dnnlEngine());
    if (prefersLoop && callsGemms(description))
      if (dnnl::convolution_forward::primitive_desc next(problem, primitiveAttributes, dnnlEngine());
          findLoop(next))
        description = next;
    filterWanted = description.weights_desc();
    scratchpad = description.scratchpad_desc();
    name = description.impl_info_str();
    primitive = dnnl::convolution_forward(description);
  }
}

std::unique_ptr<Execution> ConvPlan::execution() const {
  auto out = std::make_unique<Execution>(primitive, scratchpad, small);
  out->add(DNNL_ARG_SRC, inputPort.desc);
  out->add(DNNL_ARG_WEIGHTS, filterWanted);
  out->add(DNNL_ARG_DST, outputPort.desc);
  for (const Port &port : extraPorts)
    out->add(port.argument, port.desc);
  return out;
}

void ConvPlan::run(Call &call, Execution &execution, const PackedTensor *packedFilter,
                   const View &out) const {
  ScratchPieces pieces;
  pieces.add(execution.scratchBytes());
  auto pieceFor = [&](const Port &port) { return port.copied ? pieces.add(port.desc.get_size()) : 0; };
  size_t inputPiece = pieceFor(inputPort), outputPiece = pieceFor(outputPort);
  std::vector<size_t> extraPieces;
  for (const Port &port : extraPorts)
    extraPieces.push_back(pieceFor(port));
  bool packsFilter = !packedFilter && filterWanted != filterPlain;
  size_t filterPiece = packsFilter ? pieces.add(filterWanted.get_size()) : 0;
  auto *scratch = pieces.bytes() == 0 ? nullptr : static_cast<std::byte *>(call.scratch(pieces.bytes()));
  execution.set(0, inputPort.provide(call.input(0), scratch + inputPiece));
  void *filter = packedFilter ? packedFilter->data() : call.input(1).data;
  if (packsFilter) {
    dnnl::memory from(filterPlain, dnnlEngine(), filter);
    dnnl::memory to(filterWanted, dnnlEngine(), scratch + filterPiece);
    dnnl::reorder(from, to).execute(dnnlStream(), from, to);
    filter = scratch + filterPiece;
  }
  execution.set(1, filter);
  execution.set(2, outputPort.copied ? scratch + outputPiece : out.data);
  for (size_t i = 0; i < extraPorts.size(); ++i)
    execution.set(3 + i, extraPorts[i].provide(call.input(extraPorts[i].input), scratch + extraPieces[i]));
  execution.run(scratch);
  if (outputPort.copied)
    stridedCopy(sizeOf(out.dtype), outputPort.stored.dims, scratch + outputPiece, outputPort.planned,
                out.data, outputPort.stored.strides);
}

} // namespace proa::runtime
