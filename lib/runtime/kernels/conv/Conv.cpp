/// The library kernels for convolutions; ConvGeometry.h says what they compute.
#include "lib/runtime/kernels/conv/Conv.h"

#include "lib/runtime/kernels/common/DescribedKernel.h"
#include "lib/runtime/kernels/common/PlannedKernel.h"
#include "lib/runtime/kernels/conv/ColumnConv.h"
#include "lib/runtime/kernels/conv/ConvChoice.h"
#include "lib/runtime/kernels/conv/GroupedConv.h"
#include "lib/runtime/kernels/conv/IndirectConv.h"
#include "lib/runtime/kernels/conv/PixelConv.h"
#include "lib/runtime/kernels/conv/PlaneConv.h"
#include "lib/runtime/kernels/conv/WinogradConv.h"

#include "dialects/pd/ops/conv/Conv.kernels.inc"
#include "dialects/rt/Rt.kernels.inc"

#include <algorithm>

namespace proa::runtime {
namespace {

/// A session's plan for one set of dims. Without any of the implementations below, BLAS computes it.
struct ConvEntry {
  ConvGeometry geometry;
  bool planned = false;
  std::unique_ptr<GroupedConv> grouped; ///< holds the filter if that is constant
  std::unique_ptr<WinogradConv> winograd;
  std::unique_ptr<IndirectConv> indirect;
  std::unique_ptr<PlaneConv> planes; ///< holds the filter if that is constant
  std::unique_ptr<PixelConv> pixels;
  bool hasColumns = false; ///< ColumnConv computes it
  std::shared_ptr<const ConvPlan> plan;
  std::unique_ptr<Execution> execution;
  std::shared_ptr<const PackedTensor> filter; ///< a constant filter, packed; null: packed in each run
};

class Conv final : public PlannedKernel<ConvConfig, ConvGeometry, ConvEntry>, public DescribedKernel {
public:
  Conv(ConvConfig config, const KernelRequest &request)
      : PlannedKernel(std::move(config), request), machine(ConvMachine::of(request)) {}
  std::string describeChoice() const override;

private:
  struct Choice {
    ConvChoice kernels;
    std::shared_ptr<const ConvPlan> plan; ///< of oneDNN, if that is chosen
  };
  Choice choose(const ConvGeometry &geometry, DType dtype, bool isConstant, bool inPlace) const;
  void plan(ConvEntry &entry, const Call &call, const View &out) const override;
  Result<void> compute(ConvEntry &entry, Call &call, const View &out) const override;

  const ConvMachine machine;
};

/// Whether oneDNN convolves the type.
bool isPlanned(DType dtype) { return dtype == DType::Float32 || dtype == DType::BFloat16; }

bool isEmpty(const ConvGeometry &geometry) {
  for (const auto *dims : {&geometry.input.dims, &geometry.output.dims})
    for (int64_t dim : *dims)
      if (dim == 0)
        return true;
  return false;
}

Conv::Choice Conv::choose(const ConvGeometry &geometry, DType dtype, bool isConstant, bool inPlace) const {
  ConvProblem problem{attributes, geometry, inputs, isConstant};
  Choice choice{chooseConv(problem, machine), nullptr};
  if (choice.kernels.method() != ConvMethod::Library)
    return choice;
  bool loops = dtype == DType::Float32 && !attributes.transposed && prefersLoop(geometry, machine.cpu);
  choice.plan = ConvPlan::create(dtype, attributes, geometry, inputs, inPlace, loops);
  if (choice.plan && !choice.plan->isGemm())
    return choice;
  choice.kernels = chooseConv(problem, machine, choice.plan ? LibraryForm::Windows : LibraryForm::None);
  if (choice.kernels.method() != ConvMethod::Library)
    choice.plan = nullptr;
  return choice;
}

void Conv::plan(ConvEntry &entry, const Call &call, const View &out) const {
  if (!isPlanned(out.dtype) || isEmpty(entry.geometry))
    return;
  bool inPlace = addedInPlace(entry.geometry, entry.geometry.output, call, out).has_value();
  Choice choice = choose(entry.geometry, out.dtype, constants.isConstant(), inPlace);
  ConvProblem problem{attributes, entry.geometry, inputs, constants.isConstant()};
  const auto *filter = call.input(1).as<float>();
  switch (choice.kernels.method()) {
  case ConvMethod::Grouped:
    entry.grouped = GroupedConv::create(problem, filter);
    return;
  case ConvMethod::Winograd2:
  case ConvMethod::Winograd4:
    entry.winograd = WinogradConv::create(problem, choice.kernels.method() == ConvMethod::Winograd2 ? 2 : 4,
                                          filter, constants);
    return;
  case ConvMethod::Indirect:
    entry.indirect = IndirectConv::create(problem, filter, constants);
    return;
  case ConvMethod::Planes:
    entry.planes = PlaneConv::create(problem, choice.kernels.estimates.front().nanoseconds, filter);
    return;
  case ConvMethod::Pixels:
    entry.pixels =
        PixelConv::create(problem, choice.kernels.estimates.front().nanoseconds, filter, constants);
    return;
  case ConvMethod::Columns:
    entry.hasColumns = true;
    return;
  case ConvMethod::Blas:
    return;
  case ConvMethod::Library:
    break;
  }
  entry.plan = choice.plan;
  entry.execution = entry.plan->execution();
  if (constants.isConstant() && entry.plan->wantedFilter() != entry.plan->plainFilter())
    entry.filter = constants.get(entry.plan->plainFilter(), entry.plan->wantedFilter());
}

std::string Conv::describeChoice() const {
  std::vector<std::vector<int64_t>> operands;
  for (const PostOp &op : attributes.postOps)
    operands.push_back(op.hasOperand() ? inputs[op.input].dims : std::vector<int64_t>());
  if (!std::ranges::all_of(inputs, &OperandType::isStatic))
    return "";
  Result<ConvGeometry> geometry = ConvGeometry::compute(attributes, inputs[0].dims, inputs[1].dims, operands);
  if (!geometry || isEmpty(*geometry))
    return "";
  DType dtype = inputs[0].dtype;
  if (!isPlanned(dtype))
    return fmt::format("a convolution is computed by BLAS: oneDNN has no {}", proa::nameOf(dtype));
  Choice choice = choose(*geometry, dtype, inputs[1].constant, false);
  std::string text = "a convolution is computed by " + choice.kernels.text();
  return choice.plan ? fmt::format("{}; oneDNN's kernel is {}", text, choice.plan->implementation()) : text;
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
  size_t fused = entry.plan      ? entry.plan->fusedCount()
                 : entry.grouped ? entry.grouped->fusedCount()
                 : entry.planes  ? entry.planes->fusedCount()
                 : entry.pixels  ? entry.pixels->fusedCount()
                                 : 0;
  PostOpOperands operands(attributes.postOps, call, fused, out);
  if (entry.grouped || entry.planes) {
    if (entry.grouped)
      entry.grouped->run(call, out.as<float>());
    else
      entry.planes->run(call, out.as<float>());
    entry.planned = constants.isConstant();
  } else if (entry.pixels) {
    entry.pixels->run(call, out.as<float>());
  } else if (entry.hasColumns) {
    ColumnConv::run(entry.geometry, call.input(0).as<float>(), call.input(1).as<float>(), out.as<float>());
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
