#include "lib/runtime/cuda/DeviceMatmul.h"

#include "lib/runtime/cuda/Blas.h"
#include "lib/runtime/cuda/CudaQueue.h"
#include "lib/runtime/kernels/matmul/MatmulGeometry.h"

#include <algorithm>
#include <optional>

namespace proa::cuda {
namespace {

using runtime::failure;
using runtime::KernelRequest;
using runtime::MatmulConfig;
using runtime::MatmulGeometry;
using runtime::OperandType;
using runtime::PostOp;
using runtime::RowActivation;
using runtime::StridedOperand;
using runtime::View;

Result<MatmulConfig> configOf(const runtime::Step &step, const KernelRequest &request) {
  if (step.symbol == "matmul") {
    auto attributes = runtime::readStored<runtime::MatmulAttributes>(step.attributes);
    return attributes ? MatmulConfig::create(*attributes, request)
                      : Result<MatmulConfig>(attributes.diagnostics());
  }
  if (step.symbol == "fused_matmul") {
    auto attributes = runtime::readStored<runtime::FusedMatmulAttributes>(step.attributes);
    return attributes ? MatmulConfig::create(*attributes, request)
                      : Result<MatmulConfig>(attributes.diagnostics());
  }
  return failure("'{}' is not a matmul", step.symbol);
}

/// The post-ops as the library computes them: indices into MatmulConfig::postOps.
struct MatmulEpilogue {
  std::optional<size_t> bias, addend;
  LibraryMatmul::Activation activation = LibraryMatmul::Activation::None;
};

/// Nothing where the library does not have the combination.
std::optional<MatmulEpilogue> epilogueOf(const MatmulConfig &config) {
  MatmulEpilogue epilogue;
  for (size_t i = 0; i < config.postOps.size(); ++i) {
    const PostOp &op = config.postOps[i];
    if (epilogue.activation != LibraryMatmul::Activation::None)
      return std::nullopt; // the activation is the last step of the library
    RowActivation activation = op.hasOperand() ? RowActivation::None : runtime::rowActivation(op);
    if (op.kind == PostOp::Kind::Bias && !epilogue.bias)
      epilogue.bias = i;
    else if (op.kind == PostOp::Kind::Add && !epilogue.addend)
      epilogue.addend = i;
    else if (activation == RowActivation::Relu)
      epilogue.activation = LibraryMatmul::Activation::Relu;
    else if (activation == RowActivation::GeluTanh)
      epilogue.activation = LibraryMatmul::Activation::GeluTanh;
    else
      return std::nullopt;
  }
  return epilogue;
}

/// Whether the last stored axis is one of the matrix: only these may have elements that are not adjacent.
bool keepsMatrixAxis(const std::vector<int64_t> &permutation) {
  if (permutation.empty())
    return true;
  auto last = static_cast<int64_t>(permutation.size()) - 1;
  return permutation.back() == last || (last > 0 && permutation[static_cast<size_t>(last) - 1] == last);
}

/// The layout of an operand whose axis `fast` must be adjacent, or `slow` if it may be transposed. `rows`
/// is the size of axis `fast`. Nothing where neither is.
std::optional<MatrixLayout> layoutOf(const StridedOperand &operand, size_t fast, size_t slow,
                                     bool mayBeTransposed) {
  int64_t rows = operand.dims[fast], columns = operand.dims[slow];
  MatrixLayout layout;
  if (rows == 1 || operand.strides[fast] == 1) {
    layout.leading = std::max<int64_t>(columns == 1 ? rows : operand.strides[slow], 1);
    return layout;
  }
  if (!mayBeTransposed || (columns != 1 && operand.strides[slow] != 1))
    return std::nullopt;
  layout.isTransposed = true;
  layout.leading = std::max<int64_t>(operand.strides[fast], columns);
  return layout;
}

/// The library's matmuls that compute a step: one for each index of the batch axes but one, which is the
/// batch of each.
///
/// Memory by columns is memory by rows of the transposed matrix, so the library computes out^T = y^T x^T.
class Schedule {
public:
  Schedule(const MatmulGeometry &geometry, const MatmulEpilogue &epilogue)
      : geometry(geometry), epilogue(epilogue), row(geometry.rank() - 2), column(geometry.rank() - 1) {
    for (size_t axis = 0; axis < row; ++axis)
      if (!batchAxis || geometry.out.dims[axis] > geometry.out.dims[*batchAxis])
        batchAxis = axis;
  }

  Result<LibraryMatmul> matmul(DType dtype, double alpha) const {
    LibraryMatmul matmul;
    matmul.dtype = dtype;
    matmul.alpha = alpha;
    matmul.m = geometry.columns();
    matmul.n = geometry.rows();
    matmul.k = geometry.inner();
    matmul.activation = epilogue.activation;
    matmul.hasBias = epilogue.bias.has_value();
    matmul.hasAddend = epilogue.addend.has_value();
    matmul.batch = batchAxis ? geometry.out.dims[*batchAxis] : 1;
    // y is [K, N], x is [M, K], the result is [M, N].
    std::optional<MatrixLayout> a = layoutOf(geometry.y, column, row, true),
                                b = layoutOf(geometry.x, column, row, true),
                                d = layoutOf(geometry.out, column, row, false), c = d;
    if (epilogue.addend)
      c = layoutOf(addend(), column, row, false);
    if (!a || !b || !c || !d)
      return failure("the device does not support a matrix whose rows and columns are both apart in memory");
    if (epilogue.addend && addend().dims != geometry.out.dims)
      return failure("the device does not support an addition that broadcasts");
    matmul.a = withBatch(*a, geometry.y);
    matmul.b = withBatch(*b, geometry.x);
    matmul.d = withBatch(*d, geometry.out);
    if (epilogue.addend)
      matmul.c = withBatch(*c, addend());
    return matmul;
  }

  /// Calls `visit` with the offsets of y, x, addend and result, in elements, for each matmul.
  template <class Visit> Result<void> forEach(Visit visit) const {
    std::vector<int64_t> index(row, 0);
    for (;;) {
      int64_t addendOffset = epilogue.addend ? offset(addend(), index) : 0;
      if (Result<void> done = visit(offset(geometry.y, index), offset(geometry.x, index), addendOffset,
                                    offset(geometry.out, index));
          !done)
        return done;
      size_t axis = row;
      while (axis-- > 0) {
        if (axis != batchAxis && ++index[axis] < geometry.out.dims[axis])
          break;
        index[axis] = 0;
      }
      if (axis == SIZE_MAX)
        return {};
    }
  }

private:
  const MatmulGeometry &geometry;
  const MatmulEpilogue &epilogue;
  size_t row, column;
  std::optional<size_t> batchAxis; ///< the longest one

  const StridedOperand &addend() const { return geometry.operands[*epilogue.addend]; }

  static int64_t stride(const StridedOperand &operand, size_t axis) {
    return operand.dims[axis] == 1 ? 0 : operand.strides[axis];
  }

  MatrixLayout withBatch(MatrixLayout layout, const StridedOperand &operand) const {
    layout.batchStride = batchAxis ? stride(operand, *batchAxis) : 0;
    return layout;
  }

  static int64_t offset(const StridedOperand &operand, const std::vector<int64_t> &index) {
    int64_t sum = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      sum += index[axis] * stride(operand, axis);
    return sum;
  }
};

class DeviceMatmul final : public runtime::DeviceLibraryKernel {
public:
  DeviceMatmul(MatmulConfig config, MatmulEpilogue epilogue, bool allowsTf32)
      : config(std::move(config)), epilogue(epilogue), allowsTf32(allowsTf32) {}

  Result<std::vector<std::vector<int64_t>>> outputDims(std::span<const View> inputs,
                                                       runtime::Communicator *) const override {
    Result<MatmulGeometry> geometry = geometryOf(inputs);
    if (!geometry)
      return geometry.diagnostics();
    return std::vector<std::vector<int64_t>>{geometry->outDims};
  }

  Result<void> run(const runtime::DeviceCall &call) const override {
    std::span<const View> inputs = call.inputs;
    const View &output = call.outputs[0];
    Result<MatmulGeometry> geometry = geometryOf(inputs);
    if (!geometry)
      return geometry.diagnostics();
    if (output.size() == 0)
      return {};
    if (geometry->inner() == 0)
      return failure("the device does not support a matmul with an inner dim of 0");
    Schedule schedule(*geometry, epilogue);
    Result<LibraryMatmul> matmul = schedule.matmul(output.dtype, config.alpha);
    if (!matmul)
      return matmul.diagnostics();
    matmul->allowsTf32 = allowsTf32;
    auto address = [&](const View &view, int64_t offset) {
      return reinterpret_cast<DeviceAddress>(view.data) +
             static_cast<DeviceAddress>(offset) * sizeOf(output.dtype);
    };
    auto &stream = static_cast<CudaQueue &>(call.queue);
    return schedule.forEach([&](int64_t y, int64_t x, int64_t c, int64_t out) {
      MatrixAddresses addresses;
      addresses.a = address(inputs[1], y);
      addresses.b = address(inputs[0], x);
      addresses.d = address(output, out);
      if (epilogue.addend)
        addresses.c = address(inputs[config.postOps[*epilogue.addend].input], c);
      if (epilogue.bias)
        addresses.bias = address(inputs[config.postOps[*epilogue.bias].input], 0);
      return stream.multiply(*matmul, addresses);
    });
  }

private:
  MatmulConfig config;
  MatmulEpilogue epilogue;
  bool allowsTf32;

  Result<MatmulGeometry> geometryOf(std::span<const View> inputs) const {
    std::vector<std::vector<int64_t>> operands(config.postOps.size());
    for (size_t i = 0; i < config.postOps.size(); ++i)
      if (config.postOps[i].hasOperand()) {
        std::span<const int64_t> dims = inputs[config.postOps[i].input].dims;
        operands[i].assign(dims.begin(), dims.end());
      }
    return MatmulGeometry::compute(config, inputs[0].dims, inputs[1].dims, operands);
  }
};

bool isSupported(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::BFloat16 || dtype == DType::Float32 ||
         dtype == DType::Float64;
}

/// The epilogue of a step that the library computes; nothing for others.
std::optional<MatmulEpilogue> supportedEpilogue(const MatmulConfig &config, const KernelRequest &request) {
  std::optional<MatmulEpilogue> epilogue = epilogueOf(config);
  const OperandType &out = request.outputs[0];
  if (!epilogue || !isSupported(out.dtype) || !keepsMatrixAxis(config.permutationX) ||
      !keepsMatrixAxis(config.permutationY))
    return std::nullopt;
  // The columns of the result must be adjacent.
  const std::vector<int64_t> &stored = config.permutationOut;
  if (!stored.empty() && stored.back() != static_cast<int64_t>(stored.size()) - 1)
    return std::nullopt;
  if (epilogue->addend && request.inputs[config.postOps[*epilogue->addend].input].dims != out.dims)
    return std::nullopt;
  return epilogue;
}

} // namespace

Result<std::shared_ptr<runtime::DeviceLibraryKernel>> createDeviceMatmul(const runtime::Step &step,
                                                                         const KernelRequest &request) {
  Result<MatmulConfig> config = configOf(step, request);
  if (!config)
    return config.diagnostics();
  std::optional<MatmulEpilogue> epilogue = supportedEpilogue(*config, request);
  if (!epilogue)
    return failure("cuBLASLt does not support the types or the post-ops of the matmul");
  return std::shared_ptr<runtime::DeviceLibraryKernel>(
      std::make_shared<DeviceMatmul>(std::move(*config), *epilogue, step.launch.allowsTf32));
}

} // namespace proa::cuda
