/// Post-ops on rows of float32 results, channels last, while they are in cache: for kernels of our own, which
/// oneDNN cannot fuse anything into.
#pragma once

#include "lib/runtime/kernels/common/PostOps.h"

#include <limits>

namespace proa::runtime {

class RowPostOps {
public:
  /// All of `ops`, or nothing where an activation has no vectorized form or an operand is neither a vector
  /// over the channels nor a tensor in the same places as the result. `result` and `layouts` are as for
  /// applyPostOps.
  static std::optional<RowPostOps> create(std::span<const PostOp> ops, const StridedOperand &result,
                                          std::span<const StridedOperand> layouts,
                                          std::span<const OperandType> inputs);

  /// The operands of a call, one for each op; null for activations.
  std::vector<const float *> operands(const Call &call) const;

  /// Applies the ops to `values`, all channels of some neighbouring places that begin at element `offset` of
  /// the result.
  void apply(float *values, int64_t positions, int64_t offset, std::span<const float *const> operands) const;

  /// The same on `count` channels of one place from channel `first` on; the first of them is element `offset`
  /// of the result.
  void applyChannels(float *values, int64_t first, int64_t count, int64_t offset,
                     std::span<const float *const> operands) const;

  /// Neighbouring channels of neighbouring places.
  struct Block {
    int64_t stride; ///< between the elements of two places
    int64_t rows;   ///< places
    int64_t first, count;
  };
  /// The same on a block that begins at element `offset` of the result.
  void applyBlock(float *result, int64_t offset, const Block &block,
                  std::span<const float *const> operands) const;
  bool empty() const { return ops.empty(); }

private:
  std::vector<PostOp> ops;
  int64_t channels = 0;
};

/// How many leading ops kernels of our own apply to rows of sums: a bias, then activations.
size_t leadingRowOps(std::span<const PostOp> ops);

/// The bounds that a first activation, after the bias, gives results: kernels apply them in registers.
struct RowBounds {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  size_t ops = 0; ///< leading ops that are the bias or these bounds

  RowBounds() = default;
  explicit RowBounds(std::span<const PostOp> ops);
};

/// The activation of `count` numbers in place.
void activateRow(RowActivation kind, float *values, int64_t count, float alpha, float beta);

} // namespace proa::runtime
