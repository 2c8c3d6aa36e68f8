/// The library kernel "matmul"; MatmulGeometry.h says what it computes.
#include "lib/runtime/library/Matmul.h"

#include "lib/runtime/library/Attributes.h"
#include "lib/runtime/library/Families.h"
#include "lib/runtime/library/StridedCopy.h"

#include <map>

namespace proa::runtime {
namespace {

/// What a session keeps: for each set of dims a plan and its memory objects, null where oneDNN has nothing.
struct MatmulState final : KernelState {
  struct Entry {
    MatmulGeometry geometry;
    std::shared_ptr<const MatmulPlan> plan;
    std::unique_ptr<Execution> execution;
    bool packed = false;
  };
  std::map<std::vector<int64_t>, Entry> byDims;
  std::vector<int64_t> key;
  std::vector<View> operands;
};

/// Plans for more sets of dims than this are made anew.
constexpr size_t maximalPlans = 64;

bool isOneDnnMatmulType(DType dtype) { return dtype == DType::Float32 || dtype == DType::BFloat16; }

class Matmul final : public LibraryKernel {
public:
  Matmul(MatmulAttributes attributes, const KernelRequest &request)
      : attributes(std::move(attributes)), inputs(request.inputs.begin(), request.inputs.end()),
        isStatic(request.isStatic()) {}

  Result<void> prepareStatic();
  Result<void> bind(std::span<const View> views) override;
  Result<void> run(Call &call) const override;

private:
  Result<MatmulGeometry> geometryOf(std::span<const std::vector<int64_t>> dims) const;
  Result<void> addEntry(MatmulState &state, Call &call) const;
  std::shared_ptr<const MatmulPlan> planFor(const MatmulGeometry &geometry, bool &packedWeights) const;
  Result<void> runPlain(const MatmulState::Entry &entry, const MatmulState &state, const Call &call,
                        const View &out) const;

  MatmulAttributes attributes;
  std::vector<OperandType> inputs;
  bool isStatic;
  std::shared_ptr<const MatmulPlan> staticPlan;
  MatmulGeometry staticGeometry;
  PackedTensor packed; ///< y as oneDNN wants it, when y is constant
};

Result<MatmulGeometry> Matmul::geometryOf(std::span<const std::vector<int64_t>> dims) const {
  std::vector<std::vector<int64_t>> operandDims;
  for (const PostOp &op : attributes.postOps)
    operandDims.push_back(op.hasOperand() ? dims[op.input] : std::vector<int64_t>());
  return MatmulGeometry::compute(attributes, dims[0], dims[1], operandDims);
}

bool isEmpty(const MatmulGeometry &geometry) {
  for (int64_t dim : geometry.out.dims)
    if (dim == 0)
      return true;
  return geometry.inner() == 0;
}

Result<void> Matmul::prepareStatic() {
  if (!isStatic)
    return {};
  std::vector<std::vector<int64_t>> dims;
  for (const OperandType &input : inputs)
    dims.push_back(input.dims);
  Result<MatmulGeometry> geometry = geometryOf(dims);
  if (!geometry)
    return geometry.problems();
  staticGeometry = *geometry;
  if (isOneDnnMatmulType(inputs[0].dtype) && !isEmpty(staticGeometry))
    staticPlan =
        MatmulPlan::create(inputs[0].dtype, attributes, *geometry, inputs, nullptr, inputs[1].constant);
  return {};
}

/// Packs a constant y. With dynamic dims of x the layout is chosen for a typical number of rows, and plans
/// for other numbers take that layout if they are fast with it.
Result<void> Matmul::bind(std::span<const View> views) {
  packed = PackedTensor();
  if (!inputs[1].constant || !isOneDnnMatmulType(inputs[0].dtype))
    return {};
  std::shared_ptr<const MatmulPlan> plan = staticPlan;
  if (!plan && !isStatic && views[1].rank() == 2 && views[1].size() != 0) {
    MatmulAttributes product = attributes;
    product.postOps.clear();
    product.permutationX.clear();
    product.permutationOut.clear();
    product.transposeX = false;
    size_t innerAxis =
        attributes.transposeY != (attributes.permutationY == std::vector<int64_t>{1, 0}) ? 1 : 0;
    constexpr int64_t typicalRows = 64;
    std::vector<int64_t> rows{typicalRows, views[1].dims[innerAxis]};
    Result<MatmulGeometry> geometry = MatmulGeometry::compute(product, rows, views[1].dims, {});
    if (!geometry)
      return geometry.problems();
    plan = MatmulPlan::create(inputs[0].dtype, product, *geometry, inputs, nullptr, true);
  }
  if (plan && plan->wantedWeights() != plan->plainWeights())
    packed = PackedTensor(plan->plainWeights(), views[1].data, plan->wantedWeights());
  return {};
}

std::shared_ptr<const MatmulPlan> Matmul::planFor(const MatmulGeometry &geometry, bool &packedWeights) const {
  packedWeights = false;
  if (!isOneDnnMatmulType(inputs[0].dtype) || isEmpty(geometry))
    return nullptr;
  if (packed && geometry.rank() == 2) {
    dnnl::memory::desc layout = packed.desc();
    auto plan = MatmulPlan::create(inputs[0].dtype, attributes, geometry, inputs, &layout, false);
    if (plan && !plan->isSlow()) {
      packedWeights = true;
      return plan;
    }
  }
  return MatmulPlan::create(inputs[0].dtype, attributes, geometry, inputs, nullptr, false);
}

Result<void> Matmul::addEntry(MatmulState &state, Call &call) const {
  MatmulState::Entry entry;
  if (isStatic) {
    entry.geometry = staticGeometry;
    entry.plan = staticPlan;
    entry.packed = static_cast<bool>(packed);
  } else {
    std::vector<std::vector<int64_t>> dims;
    for (size_t i = 0; i < inputs.size(); ++i)
      dims.emplace_back(call.input(i).dims.begin(), call.input(i).dims.end());
    Result<MatmulGeometry> geometry = geometryOf(dims);
    if (!geometry)
      return geometry.problems();
    entry.geometry = *geometry;
    entry.plan = planFor(*geometry, entry.packed);
  }
  if (entry.plan)
    entry.execution = entry.plan->execution();
  if (state.byDims.size() >= maximalPlans)
    state.byDims.clear();
  state.byDims.emplace(state.key, std::move(entry));
  return {};
}

Result<void> Matmul::runPlain(const MatmulState::Entry &entry, const MatmulState &state, const Call &call,
                              const View &out) const {
  if (Result<void> done = plainMatmul(out.dtype, entry.geometry, attributes.alpha, call.input(0).data,
                                      call.input(1).data, out.data);
      !done)
    return done;
  return applyPostOps(out, entry.geometry.out, attributes.postOps, entry.geometry.operands, state.operands);
}

Result<void> Matmul::run(Call &call) const {
  if (!call.state())
    call.state() = std::make_unique<MatmulState>();
  auto &state = static_cast<MatmulState &>(*call.state());
  if (!isStatic) {
    state.key.clear();
    for (size_t i = 0; i < inputs.size(); ++i) {
      state.key.push_back(-1);
      state.key.insert(state.key.end(), call.input(i).dims.begin(), call.input(i).dims.end());
    }
  }
  auto found = state.byDims.find(state.key);
  if (found == state.byDims.end()) {
    if (Result<void> done = addEntry(state, call); !done)
      return done;
    found = state.byDims.find(state.key);
  }
  MatmulState::Entry &entry = found->second;
  Result<View> out = call.output(0, entry.geometry.outDims);
  if (!out)
    return out.problems();
  if (!entry.plan || entry.plan->fusedCount() < attributes.postOps.size()) {
    state.operands.resize(attributes.postOps.size());
    for (size_t i = 0; i < attributes.postOps.size(); ++i)
      state.operands[i] =
          attributes.postOps[i].hasOperand() ? call.input(attributes.postOps[i].input) : View();
  }
  if (!entry.plan)
    return runPlain(entry, state, call, *out);
  Execution &execution = *entry.execution;
  execution.set(0, call.input(0).data);
  execution.set(1, entry.packed ? packed.data() : call.input(1).data);
  execution.set(2, out->data);
  size_t fused = entry.plan->fusedCount(), slot = 3;
  for (size_t i = 0; i < fused; ++i)
    if (attributes.postOps[i].hasOperand())
      execution.set(slot++, call.input(attributes.postOps[i].input).data);
  execution.run(execution.scratchBytes() == 0 ? nullptr : call.scratch(execution.scratchBytes()));
  return applyPostOps(*out, entry.geometry.out, std::span(attributes.postOps).subspan(fused),
                      std::span(entry.geometry.operands).subspan(fused),
                      fused < attributes.postOps.size() ? std::span<const View>(state.operands).subspan(fused)
                                                        : std::span<const View>());
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeMatmul(const KernelRequest &request) {
  Result<MatmulAttributes> attributes = MatmulAttributes::parse(request);
  if (!attributes)
    return attributes.problems();
  auto kernel = std::make_unique<Matmul>(std::move(*attributes), request);
  if (Result<void> done = kernel->prepareStatic(); !done)
    return done.problems();
  return std::unique_ptr<LibraryKernel>(std::move(kernel));
}

} // namespace proa::runtime
