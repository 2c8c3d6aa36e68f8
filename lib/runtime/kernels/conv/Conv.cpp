/// The library kernels for convolutions; ConvGeometry.h says what they compute.
#include "lib/runtime/kernels/conv/Conv.h"

#include "lib/runtime/kernels/common/PlannedKernel.h"
#include "lib/runtime/kernels/conv/GroupedConv.h"
#include "lib/runtime/kernels/conv/IndirectConv.h"
#include "lib/runtime/kernels/conv/WinogradConv.h"

#include "dialects/pd/ops/conv/Conv.kernels.inc"
#include "dialects/rt/Rt.kernels.inc"

namespace proa::runtime {
namespace {

/// A session's plan for one set of dims. Without any of the implementations below, BLAS computes it.
struct ConvEntry {
  ConvGeometry geometry;
  bool planned = false;
  std::unique_ptr<GroupedConv> grouped; ///< holds the filter if that is constant
  std::unique_ptr<WinogradConv> winograd;
  std::unique_ptr<IndirectConv> indirect;
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
  entry.grouped = GroupedConv::create(attributes, entry.geometry, inputs, call.input(1).as<float>());
  if (entry.grouped)
    return;
  entry.winograd =
      WinogradConv::create(attributes, entry.geometry, inputs, call.input(1).as<float>(), constants);
  if (entry.winograd)
    return;
  auto planIndirect = [&](bool writesWindows) {
    entry.indirect = IndirectConv::create(attributes, entry.geometry, inputs, call.input(1).as<float>(),
                                          constants, writesWindows);
    return entry.indirect != nullptr;
  };
  if (planIndirect(false))
    return;
  bool inPlace = addedInPlace(entry.geometry, entry.geometry.output, call, out).has_value();
  entry.plan = ConvPlan::create(out.dtype, attributes, entry.geometry, inputs, inPlace);
  if (!entry.plan)
    return;
  if (entry.plan->isGemm() && planIndirect(true)) {
    entry.plan = nullptr;
    return;
  }
  entry.execution = entry.plan->execution();
  if (constants.isConstant() && entry.plan->wantedFilter() != entry.plan->plainFilter())
    entry.filter = constants.get(entry.plan->plainFilter(), entry.plan->wantedFilter());
}

Result<void> Conv::compute(ConvEntry &entry, Call &call, const View &out) const {
  if (entry.winograd) {
    entry.winograd->run(call, out.as<float>());
    return {};
  }
  if (entry.indirect) {
    entry.indirect->run(call, out.as<float>());
    return {};
  }
  size_t fused = entry.plan ? entry.plan->fusedCount() : entry.grouped ? entry.grouped->fusedCount() : 0;
  PostOpOperands operands(attributes.postOps, call, fused, out);
  if (entry.grouped) {
    entry.grouped->run(call, out.as<float>());
    entry.planned = constants.isConstant();
  } else if (entry.plan) {
    entry.plan->run(call, *entry.execution, entry.filter.get(), out);
  } else if (Result<void> done = blasConv(out.dtype, entry.geometry, attributes.transposed,
                                          call.input(0).data, call.input(1).data, out.data);
             !done) {
    return done;
  }
  return applyPostOps(out, entry.geometry.output, attributes.postOps, entry.geometry.operands, operands);
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
