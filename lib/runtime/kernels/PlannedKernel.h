/// The skeleton of kernels with post-ops that plan once for each set of dims: matrix products and
/// convolutions.
#pragma once

#include "lib/runtime/kernels/EntriesByDims.h"
#include "lib/runtime/kernels/PostOps.h"

namespace proa::runtime {

/// A kernel whose input 1 may be a constant that plans pack (weights, a filter).
///
/// Config has the member postOps. Geometry has a static function
/// compute(config, dims of input 0, dims of input 1, dims of the post-ops' operands) that returns
/// Result<Geometry>. Entry is what a session keeps for one set of dims; it has a member geometry.
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
    return geometry ? Result<void>() : geometry.problems();
  }

  Result<void> bind(std::span<const View> views) override {
    constants.reset(views[1].data);
    return {};
  }

protected:
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
        return geometry.problems();
      Entry entry;
      entry.geometry = std::move(*geometry);
      return entry;
    });
  }

  Config attributes;
  std::vector<OperandType> inputs;
  PackedCache constants; ///< packed forms of input 1

private:
  Result<Geometry> geometryOf(std::span<const std::vector<int64_t>> dims) const {
    std::vector<std::vector<int64_t>> operandDims;
    for (const PostOp &op : attributes.postOps)
      operandDims.push_back(op.hasOperand() ? dims[op.input] : std::vector<int64_t>());
    return Geometry::compute(attributes, dims[0], dims[1], operandDims);
  }

  bool isStatic;
};

} // namespace proa::runtime
