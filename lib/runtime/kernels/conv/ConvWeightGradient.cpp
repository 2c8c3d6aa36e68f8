/// The library kernels "conv2d_weight_gradient" and "conv3d_weight_gradient": the gradient of a convolution
/// by its filter. Inputs: the convolution's input and the cotangent of its result. Attributes: kernel_size,
/// and the attributes of the convolution (ConvGeometry.h).
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/EntriesByDims.h"
#include "lib/runtime/kernels/conv/Conv.h"
#include "lib/runtime/kernels/tensor/StridedCopy.h"

#include "dialects/pd/ops/conv/Conv.kernels.inc"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace proa::runtime {
namespace {

using dnnl::memory;

/// The gradient as oneDNN computes it, for one set of dims.
struct WeightGradientPlan {
  ConvPlan::Port input, outGradient;
  memory::desc plainFilter, wantedFilter;
  std::unique_ptr<Execution> execution;
};

/// oneDNN 2.6 (jit_1x1) copies the elements that strides leave, and reads past the copies of channels that do
/// not fill a vector if these are innermost: the gradient holds what was there. A vector of AVX-512 has 16
/// channels.
bool readsPastCopies(const char *implementation, const ConvGeometry &geometry, bool channelLast) {
  bool isStrided = std::ranges::any_of(geometry.strides, [](int64_t stride) { return stride > 1; });
  return channelLast && isStrided && geometry.inputChannels() / geometry.groups < 16 &&
         std::string_view(implementation).starts_with("jit_1x1");
}

/// Null where oneDNN has nothing but its reference code, or is wrong.
std::unique_ptr<WeightGradientPlan> makePlan(const ConvConfig &attributes, const ConvGeometry &geometry,
                                             memory::data_type type, bool channelLast) {
  auto plan = std::make_unique<WeightGradientPlan>();
  bool small = isSmallConv(geometry, false);
  SingleThreadScope scope(small);
  plan->input = convPort(geometry.input, type, channelLast);
  plan->outGradient = convPort(geometry.output, type, channelLast);
  plan->plainFilter = plainFilterDesc(attributes, geometry, type);
  memory::desc filter(plan->plainFilter.dims(), type, memory::format_tag::any);
  auto [strides, dilations, before, after] = ConvSteps(geometry, false);
  constexpr auto algorithm = dnnl::algorithm::convolution_direct;
  try {
    dnnl::convolution_forward::primitive_desc forward({dnnl::prop_kind::forward_training, algorithm,
                                                       plan->input.desc, filter, plan->outGradient.desc,
                                                       strides, dilations, before, after},
                                                      dnnlEngine());
    dnnl::convolution_backward_weights::primitive_desc description(
        {algorithm, plan->input.desc, filter, plan->outGradient.desc, strides, dilations, before, after},
        userScratchpad(), dnnlEngine(), forward);
    const char *implementation = description.impl_info_str();
    if (isReference(implementation) || readsPastCopies(implementation, geometry, channelLast))
      return nullptr;
    plan->wantedFilter = description.diff_weights_desc();
    plan->execution = std::make_unique<Execution>(dnnl::convolution_backward_weights(description),
                                                  description.scratchpad_desc(), small);
  } catch (const dnnl::error &) {
    return nullptr;
  }
  plan->execution->add(DNNL_ARG_SRC, plan->input.desc);
  plan->execution->add(DNNL_ARG_DIFF_DST, plan->outGradient.desc);
  plan->execution->add(DNNL_ARG_DIFF_WEIGHTS, plan->wantedFilter);
  return plan;
}

struct WeightGradientEntry {
  ConvGeometry geometry;
  std::vector<int64_t> filter;
  std::unique_ptr<WeightGradientPlan> plan; ///< null: BLAS
};

class ConvWeightGradient final : public LibraryKernel {
public:
  ConvWeightGradient(ConvConfig attributes, std::vector<int64_t> kernel)
      : attributes(std::move(attributes)), kernel(std::move(kernel)) {}

  Result<void> run(Call &call) const override {
    auto make = [&] { return makeEntry(call.input(0), call.input(1)); };
    Result<WeightGradientEntry *> found = EntriesByDims<WeightGradientEntry>::of(call).find(call, 2, make);
    if (!found)
      return found.diagnostics();
    const WeightGradientEntry &entry = **found;
    Result<View> out = call.output(0, entry.filter);
    if (!out)
      return out.diagnostics();
    if (entry.plan)
      return compute(call, *entry.plan, *out);
    return blasWeightGradient(out->dtype, entry.geometry, call.input(0).data, call.input(1).data, out->data);
  }

private:
  Result<WeightGradientEntry> makeEntry(const View &input, const View &outGradient) const {
    if (input.rank() != attributes.spatial + 2 || outGradient.rank() != input.rank())
      return failure("expected two tensors of rank {}, found [{}] and [{}]", attributes.spatial + 2,
                     fmt::join(input.dims, ", "), fmt::join(outGradient.dims, ", "));
    size_t channels = attributes.channelLast ? input.rank() - 1 : 1;
    WeightGradientEntry entry;
    entry.filter = {outGradient.dims[channels], input.dims[channels] / attributes.groups};
    entry.filter.insert(entry.filter.end(), kernel.begin(), kernel.end());
    Result<ConvGeometry> geometry = ConvGeometry::compute(attributes, input.dims, entry.filter, {});
    if (!geometry)
      return geometry.diagnostics();
    if (!std::ranges::equal(geometry->outDims, outGradient.dims))
      return failure("expected a cotangent of dims [{}], found [{}]", fmt::join(geometry->outDims, ", "),
                     fmt::join(outGradient.dims, ", "));
    entry.geometry = std::move(*geometry);
    bool known = input.dtype == DType::Float32 || input.dtype == DType::BFloat16;
    if (!known || input.size() == 0 || outGradient.size() == 0)
      return entry;
    for (bool channelLast : {true, false})
      if (!entry.plan)
        entry.plan = makePlan(attributes, entry.geometry, *dnnlType(input.dtype), channelLast);
    return entry;
  }

  static Result<void> compute(Call &call, const WeightGradientPlan &plan, const View &out) {
    ScratchPieces pieces;
    pieces.add(plan.execution->scratchBytes());
    size_t inputPiece = plan.input.copied ? pieces.add(plan.input.desc.get_size()) : 0;
    size_t outPiece = plan.outGradient.copied ? pieces.add(plan.outGradient.desc.get_size()) : 0;
    bool unpacks = plan.wantedFilter != plan.plainFilter;
    size_t filterPiece = unpacks ? pieces.add(plan.wantedFilter.get_size()) : 0;
    auto *scratch = pieces.bytes() == 0 ? nullptr : static_cast<std::byte *>(call.scratch(pieces.bytes()));
    void *filter = unpacks ? scratch + filterPiece : out.data;
    plan.execution->set(0, plan.input.provide(call.input(0), scratch + inputPiece));
    plan.execution->set(1, plan.outGradient.provide(call.input(1), scratch + outPiece));
    plan.execution->set(2, filter);
    plan.execution->run(scratch);
    if (unpacks) {
      memory from(plan.wantedFilter, dnnlEngine(), filter), to(plan.plainFilter, dnnlEngine(), out.data);
      dnnl::reorder(from, to).execute(dnnlStream(), from, to);
    }
    return {};
  }

  ConvConfig attributes;
  std::vector<int64_t> kernel;
};

template <class Op>
Result<std::unique_ptr<LibraryKernel>> makeConvWeightGradient(const Op &op, const KernelRequest &request,
                                                              size_t spatial) {
  Result<ConvConfig> attributes = ConvConfig::create(op, request, spatial, false);
  if (!attributes)
    return attributes.diagnostics();
  Checks checks(request);
  std::vector<int64_t> kernel = op.kernelSize;
  checks.expect(
      kernel.size() == spatial,
      fmt::format("attribute 'kernel_size' has {} numbers for {} spatial axes", kernel.size(), spatial));
  if (!checks.ok())
    return checks.diagnostics();
  return std::unique_ptr<LibraryKernel>(
      std::make_unique<ConvWeightGradient>(std::move(*attributes), std::move(kernel)));
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeConv2dWeightGradient(const Conv2dWeightGradientAttributes &op,
                                                                const KernelRequest &request) {
  return makeConvWeightGradient(op, request, 2);
}
Result<std::unique_ptr<LibraryKernel>> makeConv3dWeightGradient(const Conv3dWeightGradientAttributes &op,
                                                                const KernelRequest &request) {
  return makeConvWeightGradient(op, request, 3);
}

} // namespace proa::runtime
