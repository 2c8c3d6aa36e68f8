#include "lib/runtime/cuda/DeviceConvolution.h"

#include "lib/runtime/cuda/CudaQueue.h"
#include "lib/runtime/cuda/Dnn.h"
#include "lib/runtime/kernels/conv/ConvGeometry.h"

#include "dialects/pd/ops/conv/Conv.kernels.inc"
#include "dialects/rt/Rt.kernels.inc"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace proa::cuda {

int64_t resultDim(const Convolution &c, size_t axis) {
  int64_t reach = c.dilations[axis] * (c.filter[2 + axis] - 1) + 1;
  return (c.image[2 + axis] + 2 * c.paddings[axis] - reach) / c.strides[axis] + 1;
}

namespace {

using runtime::ConvConfig;
using runtime::ConvGeometry;
using runtime::failure;
using runtime::KernelRequest;
using runtime::OperandType;
using runtime::PostOp;
using runtime::View;
using Direction = Convolution::Direction;

/// A step of any of the kinds: its attributes, and what it computes.
struct Task {
  ConvConfig config;
  Direction direction = Direction::Forward;
  std::vector<int64_t> kernel; ///< FilterGradient: the spatial dims of the filter
};

template <class Attributes>
Result<Task> taskOf(const runtime::Step &step, const KernelRequest &request, size_t spatial,
                    Direction direction) {
  auto attributes = runtime::readStored<Attributes>(step.attributes);
  if (!attributes)
    return attributes.diagnostics();
  Result<ConvConfig> config =
      ConvConfig::create(*attributes, request, spatial, direction == Direction::ImageGradient);
  if (!config)
    return config.diagnostics();
  Task task{std::move(*config), direction, {}};
  if constexpr (requires { attributes->kernelSize; }) {
    task.kernel = attributes->kernelSize;
    if (task.kernel.size() != spatial)
      return failure("attribute 'kernel_size' has {} numbers for {} spatial axes", task.kernel.size(),
                     spatial);
  }
  return task;
}

Result<Task> readTask(const runtime::Step &step, const KernelRequest &request) {
  using namespace runtime;
  struct Row {
    const char *kernel;
    Result<Task> (*read)(const Step &, const KernelRequest &, size_t, Direction);
    size_t spatial;
    Direction direction;
  };
  static constexpr Row rows[] = {
      {"conv2d", taskOf<Conv2dAttributes>, 2, Direction::Forward},
      {"fused_conv2d", taskOf<FusedConv2dAttributes>, 2, Direction::Forward},
      {"conv3d", taskOf<Conv3dAttributes>, 3, Direction::Forward},
      {"conv2d_transpose", taskOf<Conv2dTransposeAttributes>, 2, Direction::ImageGradient},
      {"conv3d_transpose", taskOf<Conv3dTransposeAttributes>, 3, Direction::ImageGradient},
      {"conv2d_weight_gradient", taskOf<Conv2dWeightGradientAttributes>, 2, Direction::FilterGradient},
      {"conv3d_weight_gradient", taskOf<Conv3dWeightGradientAttributes>, 3, Direction::FilterGradient}};
  for (const Row &row : rows)
    if (step.symbol == row.kernel)
      return row.read(step, request, row.spatial, row.direction);
  return failure("'{}' is not a convolution", step.symbol);
}

/// The post-ops as the library computes them: indices into ConvConfig::postOps.
struct ConvEpilogue {
  std::optional<size_t> bias, addend;
  bool hasRelu = false;
};

Result<ConvEpilogue> epilogueOf(const ConvConfig &config) {
  ConvEpilogue epilogue;
  for (size_t i = 0; i < config.postOps.size(); ++i) {
    const PostOp &op = config.postOps[i];
    bool isRelu = !op.hasOperand() && runtime::rowActivation(op) == runtime::RowActivation::Relu;
    if (op.kind == PostOp::Kind::Bias && !epilogue.bias && !epilogue.hasRelu)
      epilogue.bias = i;
    else if (op.kind == PostOp::Kind::Add && !epilogue.addend && !epilogue.hasRelu)
      epilogue.addend = i;
    else if (isRelu && !epilogue.hasRelu)
      epilogue.hasRelu = true;
    else
      return failure("cuDNN has no convolution with these post-ops");
  }
  return epilogue;
}

using DimsOf = std::vector<std::vector<int64_t>>;

DimsOf dimsOf(std::span<const View> views) {
  DimsOf dims;
  for (const View &view : views)
    dims.emplace_back(view.dims.begin(), view.dims.end());
  return dims;
}

class DeviceConvolution final : public runtime::DeviceLibraryKernel {
public:
  DeviceConvolution(Task task, const ConvEpilogue &epilogue, bool allowsTf32)
      : task(std::move(task)), epilogue(epilogue), allowsTf32(allowsTf32) {}

  Result<DimsOf> outputDims(std::span<const View> inputs, runtime::Communicator *) const override {
    DimsOf dims = dimsOf(inputs);
    Result<ConvGeometry> geometry = geometryOf(dims);
    if (!geometry)
      return geometry.diagnostics();
    return DimsOf{task.direction == Direction::FilterGradient ? filterOf(dims) : geometry->outDims};
  }

  Result<void> run(const runtime::DeviceCall &call) const override {
    auto &queue = static_cast<CudaQueue &>(call.queue);
    const View &out = call.outputs[0];
    if (out.size() == 0)
      return {};
    if (call.inputs[0].size() == 0 || call.inputs[1].size() == 0)
      return queue.fillZero(out.data, static_cast<size_t>(out.size()) * sizeOf(out.dtype));
    Result<Convolution> convolution = convolutionOf(out.dtype, dimsOf(call.inputs));
    if (!convolution)
      return convolution.diagnostics();
    auto address = [](const View &view) { return reinterpret_cast<DeviceAddress>(view.data); };
    ConvolutionAddresses at;
    switch (task.direction) {
    case Direction::Forward:
      at = {.image = address(call.inputs[0]), .filter = address(call.inputs[1]), .result = address(out)};
      break;
    case Direction::ImageGradient:
      at = {.image = address(out), .filter = address(call.inputs[1]), .result = address(call.inputs[0])};
      break;
    case Direction::FilterGradient:
      at = {.image = address(call.inputs[0]), .filter = address(out), .result = address(call.inputs[1])};
      break;
    }
    if (epilogue.bias)
      at.bias = address(call.inputs[task.config.postOps[*epilogue.bias].input]);
    if (epilogue.addend)
      at.addend = address(call.inputs[task.config.postOps[*epilogue.addend].input]);
    return queue.convolve(*convolution, at);
  }

  /// Error: a convolution of these dims that the library does not compute.
  Result<Convolution> convolutionOf(DType dtype, const DimsOf &inputs) const {
    Result<ConvGeometry> g = geometryOf(inputs);
    if (!g)
      return g.diagnostics();
    bool isTransposed = task.direction == Direction::ImageGradient;
    if (task.config.inputLast != task.config.channelLast)
      return failure(
          "cuDNN's convolutions read and write one order: expected 'input_format' as 'data_format'");
    Convolution c;
    c.direction = task.direction;
    c.dtype = dtype;
    c.channelsLast = task.config.channelLast;
    c.image = isTransposed ? g->output.dims : g->input.dims;
    c.result = isTransposed ? g->input.dims : g->output.dims;
    c.filter = task.direction == Direction::FilterGradient ? filterOf(inputs) : inputs[1];
    c.paddings = g->before;
    c.strides = g->strides;
    c.dilations = g->dilations;
    c.groups = g->groups;
    c.hasBias = epilogue.bias.has_value();
    c.hasAddend = epilogue.addend.has_value();
    c.hasRelu = epilogue.hasRelu;
    c.allowsTf32 = allowsTf32;
    // Windows begin at -before. Padding after the image changes only how many there are.
    for (size_t axis = 0; axis < c.strides.size(); ++axis)
      if (resultDim(c, axis) != c.result[2 + axis])
        return failure("cuDNN has no paddings that differ on the two sides of an axis ({} and {})",
                       g->before[axis], g->after[axis]);
    for (const auto *dims : {&c.image, &c.filter, &c.result})
      if (elementCount(*dims).value_or(INT64_MAX) > std::numeric_limits<int32_t>::max())
        return failure("cuDNN has no convolutions of more than 2^31 elements");
    if (epilogue.addend && inputs[task.config.postOps[*epilogue.addend].input] != g->outDims)
      return failure("cuDNN has no addition that broadcasts");
    return c;
  }

private:
  Task task;
  ConvEpilogue epilogue;
  bool allowsTf32;

  std::vector<int64_t> filterOf(const DimsOf &inputs) const {
    size_t channels = task.config.channelLast ? inputs[0].size() - 1 : 1;
    std::vector<int64_t> filter{inputs[1][channels], inputs[0][channels] / task.config.groups};
    filter.insert(filter.end(), task.kernel.begin(), task.kernel.end());
    return filter;
  }

  Result<ConvGeometry> geometryOf(const DimsOf &inputs) const {
    size_t rank = task.config.spatial + 2;
    if (task.direction != Direction::FilterGradient) {
      DimsOf operands(task.config.postOps.size());
      for (size_t i = 0; i < operands.size(); ++i)
        if (task.config.postOps[i].hasOperand())
          operands[i] = inputs[task.config.postOps[i].input];
      return ConvGeometry::compute(task.config, inputs[0], inputs[1], operands);
    }
    if (inputs[0].size() != rank || inputs[1].size() != rank)
      return failure("expected two tensors of rank {}, found [{}] and [{}]", rank, fmt::join(inputs[0], ", "),
                     fmt::join(inputs[1], ", "));
    Result<ConvGeometry> geometry = ConvGeometry::compute(task.config, inputs[0], filterOf(inputs), {});
    if (geometry && geometry->outDims != inputs[1])
      return failure("expected a cotangent of dims [{}], found [{}]", fmt::join(geometry->outDims, ", "),
                     fmt::join(inputs[1], ", "));
    return geometry;
  }
};

/// Error: dims that are not known yet, with paddings that may differ.
Result<void> checkDynamic(const ConvConfig &config) {
  size_t axes = config.spatial;
  bool isExplicit = config.paddingAlgorithm == runtime::PaddingAlgorithm::Explicit;
  for (size_t axis = 0; axis < axes && isExplicit && config.paddings.size() == 2 * axes; ++axis)
    isExplicit = config.paddings[2 * axis] == config.paddings[2 * axis + 1];
  if (isExplicit || config.paddingAlgorithm == runtime::PaddingAlgorithm::Valid)
    return {};
  return failure("cuDNN has no paddings that differ on the two sides of an axis");
}

} // namespace

Result<std::shared_ptr<runtime::DeviceLibraryKernel>> createDeviceConvolution(const runtime::Step &step,
                                                                              const KernelRequest &request) {
  Result<Task> task = readTask(step, request);
  if (!task)
    return task.diagnostics();
  Result<ConvEpilogue> epilogue = epilogueOf(task->config);
  if (!epilogue)
    return epilogue.diagnostics();
  DType dtype = request.outputs[0].dtype;
  if (dtype != DType::Float16 && dtype != DType::BFloat16 && dtype != DType::Float32 &&
      dtype != DType::Float64)
    return failure("cuDNN has no convolutions of {}", nameOf(dtype));
  Result<void> fits = request.isStatic() ? Result<void>() : checkDynamic(task->config);
  auto kernel = std::make_shared<DeviceConvolution>(std::move(*task), *epilogue, step.launch.allowsTf32);
  if (request.isStatic()) {
    DimsOf inputs;
    for (const OperandType &type : request.inputs)
      inputs.push_back(type.dims);
    if (Result<Convolution> convolution = kernel->convolutionOf(dtype, inputs); !convolution)
      fits = convolution.diagnostics();
  }
  if (!fits)
    return fits.diagnostics();
  return std::shared_ptr<runtime::DeviceLibraryKernel>(std::move(kernel));
}

} // namespace proa::cuda
