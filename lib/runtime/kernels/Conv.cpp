/// The library kernels for convolutions; ConvGeometry.h says what they compute.
#include "lib/runtime/kernels/Conv.h"

#include "lib/runtime/kernels/DepthwiseConv.h"
#include "lib/runtime/kernels/PlannedKernel.h"
#include "lib/runtime/kernels/StridedCopy.h"
#include "lib/runtime/kernels/WinogradConv.h"

#include "dialects/pd/ops/nn/Conv.kernels.inc"
#include "dialects/rt/Rt.kernels.inc"

namespace proa::runtime {
namespace {

/// A session's plan for one set of dims. Without any of the implementations below, BLAS computes it.
struct ConvEntry {
  ConvGeometry geometry;
  bool planned = false;
  std::unique_ptr<DepthwiseConv> depthwise; ///< holds the filter if that is constant
  std::unique_ptr<WinogradConv> winograd;
  std::shared_ptr<const ConvPlan> plan;
  std::unique_ptr<Execution> execution;
  std::shared_ptr<const PackedTensor> filter; ///< a constant filter, packed; null: packed in each run
};

class Conv final : public PlannedKernel<ConvConfig, ConvGeometry, ConvEntry> {
public:
  using PlannedKernel::PlannedKernel;

private:
  void plan(ConvEntry &entry, const Call &call, const View &out) const override;
  Result<void> compute(ConvEntry &entry, Call &call, const View &out) const override;
  Result<void> convolve(Call &call, const ConvEntry &entry, const View &out) const;
};

bool isEmpty(const ConvGeometry &geometry) {
  for (const auto *dims : {&geometry.input.dims, &geometry.output.dims})
    for (int64_t dim : *dims)
      if (dim == 0)
        return true;
  return false;
}

void Conv::plan(ConvEntry &entry, const Call &call, const View &out) const {
  bool known = out.dtype == DType::Float32 || out.dtype == DType::BFloat16;
  if (!known || isEmpty(entry.geometry))
    return;
  if (DepthwiseConv::supports(attributes, entry.geometry, inputs)) {
    entry.depthwise = std::make_unique<DepthwiseConv>(attributes, entry.geometry, call.input(1).as<float>());
    return;
  }
  entry.winograd =
      WinogradConv::create(attributes, entry.geometry, inputs, call.input(1).as<float>(), constants);
  if (entry.winograd)
    return;
  bool inPlace = addedInPlace(entry.geometry, entry.geometry.output, call, out).has_value();
  entry.plan = ConvPlan::create(out.dtype, attributes, entry.geometry, inputs, inPlace);
  if (!entry.plan)
    return;
  entry.execution = entry.plan->execution();
  if (constants.isConstant() && entry.plan->wantedFilter() != entry.plan->plainFilter())
    entry.filter = constants.get(entry.plan->plainFilter(), entry.plan->wantedFilter());
}

Result<void> Conv::compute(ConvEntry &entry, Call &call, const View &out) const {
  if (entry.winograd) {
    entry.winograd->run(call, out.as<float>());
    return {};
  }
  size_t fused = entry.plan ? entry.plan->fusedCount() : entry.depthwise ? entry.depthwise->fusedCount() : 0;
  PostOpOperands operands(attributes.postOps, call, fused, out);
  if (entry.depthwise) {
    std::optional<size_t> bias = entry.depthwise->bias();
    entry.depthwise->run(call.input(0).as<float>(), bias ? call.input(*bias).as<float>() : nullptr,
                         out.as<float>());
    entry.planned = constants.isConstant();
  } else if (entry.plan) {
    if (Result<void> done = convolve(call, entry, out); !done)
      return done;
  } else if (Result<void> done = blasConv(out.dtype, entry.geometry, attributes.transposed,
                                          call.input(0).data, call.input(1).data, out.data);
             !done) {
    return done;
  }
  return applyPostOps(out, entry.geometry.output, attributes.postOps, entry.geometry.operands, operands);
}

Result<void> Conv::convolve(Call &call, const ConvEntry &entry, const View &out) const {
  const ConvPlan &plan = *entry.plan;
  ScratchPieces pieces;
  pieces.add(entry.execution->scratchBytes());
  auto pieceFor = [&](const ConvPlan::Port &port) {
    return port.copied ? pieces.add(port.desc.get_size()) : 0;
  };
  size_t inputPiece = pieceFor(plan.input()), outputPiece = pieceFor(plan.output());
  std::vector<size_t> extraPieces;
  for (const ConvPlan::Port &port : plan.extras())
    extraPieces.push_back(pieceFor(port));
  bool packsFilter = !entry.filter && plan.wantedFilter() != plan.plainFilter();
  size_t filterPiece = packsFilter ? pieces.add(plan.wantedFilter().get_size()) : 0;
  auto *scratch = pieces.bytes() == 0 ? nullptr : static_cast<std::byte *>(call.scratch(pieces.bytes()));
  Execution &execution = *entry.execution;
  execution.set(0, plan.input().provide(call.input(0), scratch + inputPiece));
  void *filter = entry.filter ? entry.filter->data() : call.input(1).data;
  if (packsFilter) {
    dnnl::memory from(plan.plainFilter(), dnnlEngine(), filter);
    dnnl::memory to(plan.wantedFilter(), dnnlEngine(), scratch + filterPiece);
    dnnl::reorder(from, to).execute(dnnlStream(), from, to);
    filter = scratch + filterPiece;
  }
  execution.set(1, filter);
  execution.set(2, plan.output().copied ? scratch + outputPiece : out.data);
  for (size_t i = 0; i < plan.extras().size(); ++i)
    execution.set(3 + i,
                  plan.extras()[i].provide(call.input(plan.extras()[i].input), scratch + extraPieces[i]));
  execution.run(scratch);
  if (plan.output().copied)
    stridedCopy(sizeOf(out.dtype), plan.output().stored.dims, scratch + outputPiece, plan.output().planned,
                out.data, plan.output().stored.strides);
  return {};
}

template <class Op>
Result<std::unique_ptr<LibraryKernel>> makeConv(const Op &op, const KernelRequest &request, size_t spatial,
                                                bool transposed) {
  return makePlanned<Conv>(ConvConfig::create(op, request, spatial, transposed), request);
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeConv2d(const Conv2dAttributes &op, const KernelRequest &request) {
  return makeConv(op, request, 2, false);
}
Result<std::unique_ptr<LibraryKernel>> makeFusedConv2d(const FusedConv2dAttributes &op,
                                                       const KernelRequest &request) {
  return makeConv(op, request, 2, false);
}
Result<std::unique_ptr<LibraryKernel>> makeConv3d(const Conv3dAttributes &op, const KernelRequest &request) {
  return makeConv(op, request, 3, false);
}
Result<std::unique_ptr<LibraryKernel>> makeConv2dTranspose(const Conv2dTransposeAttributes &op,
                                                           const KernelRequest &request) {
  return makeConv(op, request, 2, true);
}
Result<std::unique_ptr<LibraryKernel>> makeConv3dTranspose(const Conv3dTransposeAttributes &op,
                                                           const KernelRequest &request) {
  return makeConv(op, request, 3, true);
}

} // namespace proa::runtime
