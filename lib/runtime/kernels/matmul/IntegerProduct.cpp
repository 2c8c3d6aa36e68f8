/// The library kernels "integer_matmul" and "integer_conv2d": exact sums of products of 8-bit integers, by
/// oneDNN where the processor has VNNI, else by BLAS in a float type that holds each sum.
#include "lib/runtime/kernels/common/PlannedKernel.h"
#include "lib/runtime/kernels/conv/Conv.h"
#include "lib/runtime/kernels/matmul/Matmul.h"

#include "dialects/pd/ops/conv/IntegerConv.kernels.inc"
#include "dialects/pd/ops/linalg/IntegerMatmul.kernels.inc"

#include <algorithm>
#include <cstring>

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

/// The float type in which a sum of `count` products of bytes is exact.
DType exactType(int64_t count) { return count <= (1 << 24) / (255 * 255) ? DType::Float32 : DType::Float64; }

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
  DType dtype = exactType(count);
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

using IntegerMatmulEntry = IntegerEntry<MatmulGeometry, MatmulPlan>;

class IntegerMatmul final : public PlannedKernel<MatmulConfig, MatmulGeometry, IntegerMatmulEntry> {
public:
  using PlannedKernel::PlannedKernel;

private:
  void plan(IntegerMatmulEntry &entry, const Call &call, const View &out) const override;
  Result<void> compute(IntegerMatmulEntry &entry, Call &call, const View &out) const override;
};

bool hasProducts(const MatmulGeometry &geometry) {
  return !anyIsZero(geometry.out.dims) && geometry.inner() != 0;
}

void IntegerMatmul::plan(IntegerMatmulEntry &entry, const Call &call, const View &out) const {
  if (!sumsBytesExactly() || !hasProducts(entry.geometry))
    return;
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

using ConvEntry = IntegerEntry<ConvGeometry, ConvPlan>;

class IntegerConv final : public PlannedKernel<ConvConfig, ConvGeometry, ConvEntry> {
public:
  using PlannedKernel::PlannedKernel;

private:
  void plan(ConvEntry &entry, const Call &call, const View &out) const override;
  Result<void> compute(ConvEntry &entry, Call &call, const View &out) const override;
};

bool hasProducts(const ConvGeometry &geometry) {
  return !anyIsZero(geometry.input.dims) && !anyIsZero(geometry.output.dims);
}

void IntegerConv::plan(ConvEntry &entry, const Call &call, const View &out) const {
  if (!sumsBytesExactly() || !hasProducts(entry.geometry))
    return;
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
  if (entry.plan) {
    entry.plan->run(call, *entry.execution, entry.weights.get(), out);
    return {};
  }
  int64_t count = geometry.inputChannels() / geometry.groups;
  for (int64_t size : geometry.kernel)
    count *= size;
  return multiplyInFloats(call, out, count, [&](DType dtype, const void *x, const void *y, void *sums) {
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
