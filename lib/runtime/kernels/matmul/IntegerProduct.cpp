/// The library kernels "integer_matmul" and "integer_conv2d": exact sums of products of 8-bit integers, by
/// oneDNN where the processor has VNNI, else in a float type that holds each sum: by panels or BLAS.
#include "lib/runtime/kernels/common/PlannedKernel.h"
#include "lib/runtime/kernels/conv/Conv.h"
#include "lib/runtime/kernels/matmul/Matmul.h"
#include "lib/runtime/kernels/matmul/PanelGemm.h"

#include "dialects/pd/ops/conv/IntegerConv.kernels.inc"
#include "dialects/pd/ops/linalg/IntegerMatmul.kernels.inc"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace proa::runtime {
namespace {

/// A plan of oneDNN for one set of dims; without it BLAS computes the product.
template <class Geometry, class Plan> struct IntegerEntry {
  Geometry geometry;
  bool planned = false;
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Execution> execution;
  std::shared_ptr<const PackedTensor> weights; ///< a constant second factor, packed, or null
};

bool anyIsZero(std::span<const int64_t> dims) { return std::ranges::find(dims, 0) != dims.end(); }

/// Memory for `count` elements of a dtype, which no scratch memory of a kernel that is called shares.
std::vector<std::byte> elements(DType dtype, int64_t count) {
  return std::vector<std::byte>(static_cast<size_t>(count) * sizeOf(dtype));
}

template <class To, class From> void convertAll(const void *from, void *to, int64_t count) {
  std::transform(static_cast<const From *>(from), static_cast<const From *>(from) + count,
                 static_cast<To *>(to), [](From value) { return static_cast<To>(value); });
}

/// Integers up to this number are exact in float32.
constexpr int64_t exactInteger = 1 << 24;

/// The largest absolute value of a byte.
int64_t largestByte(DType type) { return type == DType::UInt8 ? 255 : 128; }

/// How many products of a byte of type `x` and a signed byte have an exact sum in float32.
int64_t exactProducts(DType x) { return exactInteger / (largestByte(x) * 128); }

/// The float type in which a sum of `count` products of bytes is exact.
DType exactType(DType x, int64_t count) {
  return count <= exactProducts(x) ? DType::Float32 : DType::Float64;
}

/// The bytes of a tensor as floats.
std::vector<std::byte> widened(const View &bytes, DType to) {
  std::vector<std::byte> out = elements(to, bytes.size());
  bool isSigned = bytes.dtype == DType::Int8, isFloat = to == DType::Float32;
  auto convert = isSigned ? (isFloat ? convertAll<float, int8_t> : convertAll<double, int8_t>)
                          : (isFloat ? convertAll<float, uint8_t> : convertAll<double, uint8_t>);
  convert(bytes.data, out.data(), bytes.size());
  return out;
}

/// Computes the result in floats by `multiply(dtype, x, y, sums)`.
template <class Multiply>
Result<void> multiplyInFloats(const Call &call, const View &out, int64_t count, Multiply multiply) {
  DType dtype = exactType(call.input(0).dtype, count);
  std::vector<std::byte> x = widened(call.input(0), dtype), y = widened(call.input(1), dtype),
                         sums = elements(dtype, out.size());
  if (Result<void> done = multiply(dtype, x.data(), y.data(), sums.data()); !done)
    return done;
  auto convert = dtype == DType::Float32 ? convertAll<int32_t, float> : convertAll<int32_t, double>;
  convert(sums.data(), out.data, out.size());
  return {};
}

Result<void> fillZeros(const View &out) {
  std::memset(out.data, 0, static_cast<size_t>(out.size()) * sizeOf(out.dtype));
  return {};
}

//===-- Matrices ----------------------------------------------------------------------------------------===//

/// Rows of a constant matrix of bytes as panels of floats; float32 holds a sum along them.
struct FloatPanels {
  int64_t begin = 0; ///< the first row
  PanelLayout layout;
  std::shared_ptr<const PackedTensor> panels;
};

struct IntegerMatmulEntry : IntegerEntry<MatmulGeometry, MatmulPlan> {
  std::vector<FloatPanels> panels; ///< of all rows; empty if oneDNN or BLAS computes the product
};

class IntegerMatmul final : public PlannedKernel<MatmulConfig, MatmulGeometry, IntegerMatmulEntry> {
public:
  using PlannedKernel::PlannedKernel;

private:
  void plan(IntegerMatmulEntry &entry, const Call &call, const View &out) const override;
  Result<void> compute(IntegerMatmulEntry &entry, Call &call, const View &out) const override;
  void planPanels(IntegerMatmulEntry &entry, const Call &call) const;
};

bool hasProducts(const MatmulGeometry &geometry) {
  return !anyIsZero(geometry.out.dims) && geometry.inner() != 0;
}

/// Plans nothing unless y is one constant matrix and the columns of x and of the result are adjacent in
/// memory.
void IntegerMatmul::planPanels(IntegerMatmulEntry &entry, const Call &call) const {
  const MatmulGeometry &g = entry.geometry;
  auto hasAdjacentColumns = [](const StridedOperand &operand) {
    return operand.dims[1] == 1 || operand.strides[1] == 1;
  };
  if (!prefersPanels() || !constants.isConstant() || g.rank() != 2 || !hasAdjacentColumns(g.x) ||
      !hasAdjacentColumns(g.out))
    return;
  dnnl::memory::desc plain({g.inner(), g.columns()}, dnnl::memory::data_type::s8,
                           {g.y.strides[0], g.y.strides[1]});
  std::vector<std::byte> floats;
  int64_t most = exactProducts(call.input(0).dtype);
  for (int64_t begin = 0; begin < g.inner(); begin += most) {
    FloatPanels chunk{begin, {std::min(most, g.inner() - begin), g.columns()}, nullptr};
    dnnl::memory::desc packed({chunk.layout.panels(), chunk.layout.inner, PanelLayout::panelWidth},
                              dnnl::memory::data_type::f32, dnnl::memory::format_tag::abc);
    chunk.panels = constants.get({"panels from row " + std::to_string(begin), plain, packed}, [&] {
      if (floats.empty())
        floats = widened(call.input(1), DType::Float32);
      auto filled = std::make_shared<PackedTensor>(packed);
      chunk.layout.pack(reinterpret_cast<const float *>(floats.data()) + begin * g.y.strides[0],
                        g.y.strides[0], g.y.strides[1], static_cast<float *>(filled->data()));
      return filled;
    });
    entry.panels.push_back(std::move(chunk));
  }
}

/// Sums in int32 what the chunks of a matrix give.
void multiplyChunks(const IntegerMatmulEntry &entry, const Call &call, const View &out) {
  const MatmulGeometry &g = entry.geometry;
  std::vector<std::byte> x = widened(call.input(0), DType::Float32),
                         sums = elements(DType::Float32, out.size());
  auto *floats = reinterpret_cast<float *>(sums.data());
  auto *integers = out.as<uint32_t>(); // sums wrap around
  for (const FloatPanels &chunk : entry.panels) {
    PanelGemm gemm;
    gemm.layout = chunk.layout;
    gemm.panels = static_cast<const float *>(chunk.panels->data());
    gemm.rows = g.rows();
    gemm.x = reinterpret_cast<const float *>(x.data()) + chunk.begin;
    gemm.xStride = g.x.strides[0];
    gemm.out = floats;
    gemm.outStride = g.out.strides[0];
    PanelGemm::Finish finish = [&](const PanelGemm::Block &block) {
      for (int64_t row = block.row; row < block.row + block.rows; ++row) {
        int64_t first = row * gemm.outStride + block.column;
        const float *from = floats + first;
        uint32_t *to = integers + first;
        for (int64_t i = 0; i < block.columns; ++i)
          to[i] = (chunk.begin == 0 ? 0 : to[i]) + static_cast<uint32_t>(static_cast<int32_t>(from[i]));
      }
    };
    gemm.run(&finish);
  }
}

void IntegerMatmul::plan(IntegerMatmulEntry &entry, const Call &call, const View &out) const {
  if (!hasProducts(entry.geometry))
    return;
  if (!sumsBytesExactly())
    return planPanels(entry, call);
  MatmulPlan::Options options;
  options.packable = constants.isConstant();
  ProductTypes types(call.input(0).dtype, call.input(1).dtype, out.dtype);
  entry.plan = MatmulPlan::create(types, attributes, entry.geometry, inputs, options);
  if (entry.plan && entry.plan->isSlow())
    entry.plan = nullptr;
  if (!entry.plan)
    return;
  entry.execution = entry.plan->execution();
  if (constants.isConstant() && entry.plan->wantedWeights() != entry.plan->plainWeights())
    entry.weights = constants.get(entry.plan->plainWeights(), entry.plan->wantedWeights());
}

Result<void> IntegerMatmul::compute(IntegerMatmulEntry &entry, Call &call, const View &out) const {
  if (!hasProducts(entry.geometry))
    return fillZeros(out);
  if (!entry.panels.empty()) {
    multiplyChunks(entry, call, out);
    return {};
  }
  if (!entry.plan)
    return multiplyInFloats(call, out, entry.geometry.inner(),
                            [&](DType dtype, const void *x, const void *y, void *sums) -> Result<void> {
                              if (!hasBlasMatmul(dtype, entry.geometry))
                                return plainMatmul(dtype, entry.geometry, /*alpha=*/1, {x, y, sums});
                              blasMatmul(call, dtype, entry.geometry, /*alpha=*/1, {x, y, sums});
                              return {};
                            });
  Execution &execution = *entry.execution;
  execution.set(0, call.input(0).data);
  execution.set(1, entry.weights ? entry.weights->data() : call.input(1).data);
  execution.set(2, out.data);
  execution.run(execution.scratchBytes() == 0 ? nullptr : call.scratch(execution.scratchBytes()));
  return {};
}

//===-- Images ------------------------------------------------------------------------------------------===//

/// `isInFloats`: oneDNN convolves float32, in which the sums are exact.
struct ConvEntry : IntegerEntry<ConvGeometry, ConvPlan> {
  bool isInFloats = false;
};

/// A call on the image of another call as floats.
class FloatCall final : public Call {
public:
  FloatCall(Call &outer, const View &image) : outer(outer), image(image) {
    views = {&this->image, 1};
    inputs = {&position, 1};
  }
  Result<View> output(size_t i, std::span<const int64_t> dims) override { return outer.output(i, dims); }
  const TensorArray &array(size_t i) const override { return outer.array(i); }
  TensorArray &outputArray(size_t i, std::optional<size_t> j) override { return outer.outputArray(i, j); }
  Result<ArrayElement> share(size_t i) override { return outer.share(i); }
  Result<void> setOutput(size_t i, const ArrayElement &element) override {
    return outer.setOutput(i, element);
  }
  bool outputIsAlias(size_t i) const override { return outer.outputIsAlias(i); }
  void *scratch(size_t bytes) override { return outer.scratch(bytes); }

private:
  Call &outer;
  View image;
  ValueId position = 0;
};

int64_t productsOf(const ConvGeometry &geometry) {
  int64_t count = geometry.inputChannels() / geometry.groups;
  for (int64_t size : geometry.kernel)
    count *= size;
  return count;
}

class IntegerConv final : public PlannedKernel<ConvConfig, ConvGeometry, ConvEntry> {
public:
  using PlannedKernel::PlannedKernel;

private:
  void plan(ConvEntry &entry, const Call &call, const View &out) const override;
  Result<void> compute(ConvEntry &entry, Call &call, const View &out) const override;
  void planFloats(ConvEntry &entry, const Call &call) const;
};

bool hasProducts(const ConvGeometry &geometry) {
  return !anyIsZero(geometry.input.dims) && !anyIsZero(geometry.output.dims);
}

/// The largest sum of the absolute values of the weights of one output channel.
int64_t largestWeightSum(const View &filter) {
  int64_t largest = 0, count = filter.size() / filter.dims[0];
  for (const int8_t *at = filter.as<int8_t>(), *end = at + filter.size(); at != end; at += count)
    largest =
        std::max(largest, std::transform_reduce(at, at + count, int64_t(0), std::plus<>(),
                                                [](int8_t weight) { return std::abs(int64_t(weight)); }));
  return largest;
}

/// Convolves floats where the filter is constant, oneDNN has no exact sums of bytes, and float32 has.
void IntegerConv::planFloats(ConvEntry &entry, const Call &call) const {
  DType type = call.input(0).dtype;
  if (!constants.isConstant() || (exactType(type, productsOf(entry.geometry)) != DType::Float32 &&
                                  largestWeightSum(call.input(1)) * largestByte(type) > exactInteger))
    return;
  entry.plan = ConvPlan::create(DType::Float32, attributes, entry.geometry, inputs, /*inPlace=*/false);
  if (!entry.plan)
    return;
  entry.isInFloats = true;
  entry.execution = entry.plan->execution();
  const dnnl::memory::desc &plain = entry.plan->plainFilter(), &chosen = entry.plan->wantedFilter();
  entry.weights = constants.get({"floats of bytes", plain, chosen}, [&] {
    std::vector<std::byte> floats = widened(call.input(1), DType::Float32);
    return std::make_shared<const PackedTensor>(plain, floats.data(), chosen);
  });
}

void IntegerConv::plan(ConvEntry &entry, const Call &call, const View &out) const {
  if (!hasProducts(entry.geometry))
    return;
  if (!sumsBytesExactly())
    return planFloats(entry, call);
  ProductTypes types(call.input(0).dtype, call.input(1).dtype, out.dtype);
  entry.plan = ConvPlan::create(types, attributes, entry.geometry, inputs, /*inPlace=*/false);
  if (!entry.plan)
    return;
  entry.execution = entry.plan->execution();
  if (constants.isConstant() && entry.plan->wantedFilter() != entry.plan->plainFilter())
    entry.weights = constants.get(entry.plan->plainFilter(), entry.plan->wantedFilter());
}

Result<void> IntegerConv::compute(ConvEntry &entry, Call &call, const View &out) const {
  const ConvGeometry &geometry = entry.geometry;
  if (!hasProducts(geometry))
    return fillZeros(out);
  if (entry.isInFloats) {
    std::vector<std::byte> image = widened(call.input(0), DType::Float32);
    FloatCall inner(call, {DType::Float32, call.input(0).dims, image.data()});
    // The sums take as many bytes as the result.
    entry.plan->run(inner, *entry.execution, entry.weights.get(), {DType::Float32, out.dims, out.data});
    auto *sums = out.as<float>();
    std::transform(sums, sums + out.size(), out.as<int32_t>(),
                   [](float sum) { return static_cast<int32_t>(sum); });
    return {};
  }
  if (entry.plan) {
    entry.plan->run(call, *entry.execution, entry.weights.get(), out);
    return {};
  }
  return multiplyInFloats(call, out, productsOf(geometry),
                          [&](DType dtype, const void *x, const void *y, void *sums) {
                            return blasConv(dtype, geometry, /*transposed=*/false, x, y, sums);
                          });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeIntegerMatmul(const IntegerMatmulAttributes &op,
                                                         const KernelRequest &request) {
  MatmulConfig config;
  config.transposeX = op.transposeX;
  config.transposeY = op.transposeY;
  return makePlanned<IntegerMatmul>(Result<MatmulConfig>(std::move(config)), request);
}
Result<std::unique_ptr<LibraryKernel>> makeIntegerConv2d(const IntegerConv2dAttributes &op,
                                                         const KernelRequest &request) {
  return makePlanned<IntegerConv>(
      ConvConfig::create(op, request, 2, /*transposed=*/false, /*hasOneDType=*/false), request);
}

} // namespace proa::runtime
