/// The base class of kernels with post-ops that plan once for each set of dims: matmul and convolution.
#pragma once

#include "lib/runtime/kernels/common/EntriesByDims.h"
#include "lib/runtime/kernels/common/PostOps.h"

namespace proa::runtime {

/// A kernel whose input 1 may be a constant that plans pack (weights, a filter).
///
/// - Config: has the member postOps.
/// - Geometry: has the members outDims and operands (layouts of the post-ops' operands),
///   and a static function
///   compute(config, dims of input 0, dims of input 1, dims of the post-ops' operands) that returns
///   Result<Geometry>.
/// - Entry: state of a session for one set of dims; has the members geometry and planned.
template <class Config, class Geometry, class Entry> class PlannedKernel : public LibraryKernel {
public:
  PlannedKernel(Config config, const KernelRequest &request)
      : attributes(std::move(config)), inputs(request.inputs.begin(), request.inputs.end()),
        isStatic(request.isStatic()) {}

  /// Error: static dims that do not fit, so that they are reported when the program is loaded.
  Result<void> check() const {
    if (!isStatic)
      return {};
    std::vector<std::vector<int64_t>> dims;
    for (const OperandType &input : inputs)
      dims.push_back(input.dims);
    Result<Geometry> geometry = geometryOf(dims);
    return geometry ? Result<void>() : geometry.diagnostics();
  }

  Result<void> bind(std::span<const View> views, WeightStore &packed) override {
    constants.reset(views[1].data, packed);
    return {};
  }

  Result<void> run(Call &call) const override {
    Result<Entry *> entry = entryFor(call);
    if (!entry)
      return entry.diagnostics();
    Result<View> out = call.output(0, (*entry)->geometry.outDims);
    if (!out)
      return out.diagnostics();
    if (!(*entry)->planned)
      plan(**entry, call, *out);
    (*entry)->planned = true;
    return compute(**entry, call, *out);
  }

protected:
  /// Chooses the implementation for the dims of an entry.
  virtual void plan(Entry &entry, const Call &call, const View &out) const = 0;
  virtual Result<void> compute(Entry &entry, Call &call, const View &out) const = 0;

  /// The post-op whose operand has the memory of the result, so that it is added in place. The arena decides
  /// this once for all runs. `layout` is the layout of the result.
  std::optional<size_t> addedInPlace(const Geometry &geometry, const StridedOperand &layout, const Call &call,
                                     const View &out) const {
    std::optional<size_t> candidate = inPlaceCandidate(attributes.postOps, geometry.operands, layout, inputs);
    bool sharesMemory = candidate && call.input(attributes.postOps[*candidate].input).data == out.data;
    return sharesMemory ? candidate : std::nullopt;
  }

  Config attributes;
  std::vector<OperandType> inputs;
  PackedCache constants; ///< packed forms of input 1

private:
  /// The entry for the dims of this call.
  Result<Entry *> entryFor(Call &call) const {
    auto &entries = EntriesByDims<Entry>::of(call);
    entries.use(constants.generation());
    if (Entry *only = isStatic ? entries.first() : nullptr)
      return only;
    return entries.find(call, inputs.size(), [&]() -> Result<Entry> {
      std::vector<std::vector<int64_t>> dims;
      for (size_t i = 0; i < inputs.size(); ++i)
        dims.emplace_back(call.input(i).dims.begin(), call.input(i).dims.end());
      Result<Geometry> geometry = geometryOf(dims);
      if (!geometry)
        return geometry.diagnostics();
      Entry entry;
      entry.geometry = std::move(*geometry);
      return entry;
    });
  }

  Result<Geometry> geometryOf(std::span<const std::vector<int64_t>> dims) const {
    std::vector<std::vector<int64_t>> operandDims;
    for (const PostOp &op : attributes.postOps)
      operandDims.push_back(op.hasOperand() ? dims[op.input] : std::vector<int64_t>());
    return Geometry::compute(attributes, dims[0], dims[1], operandDims);
  }

  bool isStatic;
};

/// Creates a planned kernel from its parsed attributes.
template <class Kernel, class Config>
Result<std::unique_ptr<LibraryKernel>> makePlanned(Result<Config> attributes, const KernelRequest &request) {
  if (!attributes)
    return attributes.diagnostics();
  auto kernel = std::make_unique<Kernel>(std::move(*attributes), request);
  if (Result<void> valid = kernel->check(); !valid)
    return valid.diagnostics();
  return std::unique_ptr<LibraryKernel>(std::move(kernel));
}

} // namespace proa::runtime
