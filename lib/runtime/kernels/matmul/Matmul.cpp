/// The library kernels "matmul" and "fused_matmul"; MatmulGeometry.h says what they compute.
#include "lib/runtime/kernels/matmul/Matmul.h"

#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/PlannedKernel.h"
#include "lib/runtime/kernels/matmul/PackedGemm.h"

#include "dialects/pd/ops/linalg/Contract.kernels.inc"

namespace proa::runtime {
namespace {

/// A session's plan for one set of dims. Without any of the implementations below, BLAS or plain loops
/// compute it.
struct MatmulEntry {
  MatmulGeometry geometry;
  bool planned = false;
  bool isRow = false; ///< rowMatmul computes it
  std::unique_ptr<PackedGemm> packed;
  std::shared_ptr<const MatmulPlan> plan;
  std::unique_ptr<Execution> execution;
  std::shared_ptr<const PackedTensor> weights; ///< a constant y, packed, or null
};

bool isEmpty(const MatmulGeometry &geometry) {
  for (int64_t dim : geometry.out.dims)
    if (dim == 0)
      return true;
  return geometry.inner() == 0;
}

class Matmul final : public PlannedKernel<MatmulConfig, MatmulGeometry, MatmulEntry> {
public:
  using PlannedKernel::PlannedKernel;

private:
  void plan(MatmulEntry &entry, const Call &call, const View &out) const override;
  Result<void> compute(MatmulEntry &entry, Call &call, const View &out) const override;
  std::unique_ptr<PackedGemm> packedGemm(const MatmulGeometry &geometry, const Call &call,
                                         std::optional<size_t> inPlace) const;
};

void Matmul::plan(MatmulEntry &entry, const Call &call, const View &out) const {
  bool known = out.dtype == DType::Float32 || out.dtype == DType::BFloat16;
  if (!known || isEmpty(entry.geometry))
    return;
  std::optional<size_t> inPlace = addedInPlace(entry.geometry, entry.geometry.out, call, out);
  if (out.dtype == DType::Float32 && prefersPanels())
    entry.packed = packedGemm(entry.geometry, call, inPlace);
  entry.isRow = !entry.packed && isRowMatmul(out.dtype, entry.geometry);
  if (entry.packed || entry.isRow)
    return;
  MatmulPlan::Options options;
  options.inPlace = inPlace.has_value();
  auto create = [&] { return MatmulPlan::create(out.dtype, attributes, entry.geometry, inputs, options); };
  dnnl::memory::desc plain = MatmulPlan::weightsOf(out.dtype, entry.geometry);
  // A layout packed for another number of rows may be fast here too.
  if (constants.isConstant())
    for (const dnnl::memory::desc &layout : constants.layouts(plain)) {
      options.weights = &layout;
      entry.plan = create();
      if (entry.plan && !entry.plan->isSlow())
        break;
      entry.plan = nullptr;
    }
  options.weights = nullptr;
  options.packable = constants.isConstant();
  if (!entry.plan)
    entry.plan = create();
  if (entry.plan && entry.plan->isSlow() && hasBlasMatmul(out.dtype, entry.geometry))
    entry.plan = nullptr;
  if (!entry.plan)
    return;
  entry.execution = entry.plan->execution();
  if (constants.isConstant() && entry.plan->wantedWeights() != plain)
    entry.weights = constants.get(plain, entry.plan->wantedWeights());
}

/// Null unless y is one constant matrix and the columns of x and of the result are adjacent in memory.
std::unique_ptr<PackedGemm> Matmul::packedGemm(const MatmulGeometry &g, const Call &call,
                                               std::optional<size_t> inPlace) const {
  auto hasAdjacentColumns = [](const StridedOperand &operand) {
    return operand.dims[1] == 1 || operand.strides[1] == 1;
  };
  if (!constants.isConstant() || g.rank() != 2 || attributes.alpha != 1 || !hasAdjacentColumns(g.x) ||
      !hasAdjacentColumns(g.out))
    return nullptr;
  PackedGemm::Form form{g.rows(),       g.inner(),        g.columns(),
                        g.x.strides[0], g.out.strides[0], call.input(1).as<float>(),
                        g.y.strides[0], g.y.strides[1]};
  return PackedGemm::create(form, attributes.postOps, g.out, g.operands, inputs, inPlace, constants);
}

Result<void> Matmul::compute(MatmulEntry &entry, Call &call, const View &out) const {
  if (entry.packed) {
    entry.packed->run(call, call.input(0).as<float>(), out.as<float>());
    return {};
  }
  MatmulTensors tensors{call.input(0).data, call.input(1).data, out.data};
  size_t fused = entry.plan ? entry.plan->fusedCount() : 0;
  PostOpOperands operands(attributes.postOps, call, fused, out);
  if (entry.plan) {
    Execution &execution = *entry.execution;
    execution.set(0, call.input(0).data);
    execution.set(1, entry.weights ? entry.weights->data() : call.input(1).data);
    execution.set(2, out.data);
    size_t slot = 3;
    for (size_t input : entry.plan->extraInputs())
      execution.set(slot++, call.input(input).data);
    execution.run(execution.scratchBytes() == 0 ? nullptr : call.scratch(execution.scratchBytes()));
  } else if (entry.isRow) {
    rowMatmul(entry.geometry, attributes.alpha, tensors);
  } else if (hasBlasMatmul(out.dtype, entry.geometry)) {
    blasMatmul(call, out.dtype, entry.geometry, attributes.alpha, tensors);
  } else if (Result<void> done = plainMatmul(out.dtype, entry.geometry, attributes.alpha, tensors); !done) {
    return done;
  }
  return applyPostOps(out, entry.geometry.out, attributes.postOps, entry.geometry.operands, operands);
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeMatmul(const MatmulAttributes &op, const KernelRequest &request) {
  return makePlanned<Matmul>(MatmulConfig::create(op, request), request);
}
Result<std::unique_ptr<LibraryKernel>> makeFusedMatmul(const FusedMatmulAttributes &op,
                                                       const KernelRequest &request) {
  return makePlanned<Matmul>(MatmulConfig::create(op, request), request);
}

} // namespace proa::runtime
