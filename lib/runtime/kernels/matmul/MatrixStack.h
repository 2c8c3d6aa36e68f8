/// Stacks of matrices, and their broadcast.
#pragma once

#include "proa/Result.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace proa::runtime {

/// The last two dims of a tensor as matrices; those before them count the matrices.
struct MatrixStack {
  int64_t count = 1, rows = 0, columns = 0;
  std::vector<int64_t> batch;

  explicit MatrixStack(std::span<const int64_t> dims);
  int64_t size() const { return rows * columns; }
  /// The dims of results: the batch, then these.
  std::vector<int64_t> dimsWith(std::initializer_list<int64_t> last) const;
};

/// Which matrix of an operand belongs to matrix i of a stack that operands are broadcast to.
class BroadcastStack {
public:
  BroadcastStack(const std::vector<int64_t> &operand, const std::vector<int64_t> &result);
  int64_t operator()(int64_t i) const { return offsets.empty() ? i : offsets[static_cast<size_t>(i)]; }

private:
  std::vector<int64_t> offsets; ///< empty: the same one
};

/// The batch dims that two stacks broadcast to, as in NumPy.
Result<std::vector<int64_t>> broadcastBatches(const std::vector<int64_t> &x, const std::vector<int64_t> &y);

/// The operands of systems of equations with a common stack; x is square, y has as many rows.
struct LinearSystem {
  MatrixStack x, y;
  std::vector<int64_t> batch;
  int64_t count = 1;

  static Result<LinearSystem> of(std::span<const int64_t> xDims, std::span<const int64_t> yDims);
  /// The dims of the solution.
  std::vector<int64_t> outDims() const;
};

/// Whether the right side of "solve" holds vectors: it has rank 1, or x's dims but the last.
bool holdsVectors(std::span<const int64_t> x, std::span<const int64_t> y);

} // namespace proa::runtime
