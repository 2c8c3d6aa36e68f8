#include "lib/runtime/kernels/matmul/MatmulGeometry.h"

#include "lib/runtime/kernels/common/Checks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace proa::runtime {

Result<MatmulConfig> MatmulConfig::create(const MatmulAttributes &op, const KernelRequest &request) {
  MatmulConfig config;
  config.transposeX = op.transposeX;
  config.transposeY = op.transposeY;
  if (Result<void> done = config.addPostOps({}, request); !done)
    return done.diagnostics();
  return config;
}

Result<MatmulConfig> MatmulConfig::create(const FusedMatmulAttributes &op, const KernelRequest &request) {
  MatmulConfig config;
  config.transposeX = op.transposeX;
  config.transposeY = op.transposeY;
  config.permutationX = op.xPermutation;
  config.permutationY = op.yPermutation;
  config.permutationOut = op.outPermutation;
  config.alpha = static_cast<float>(op.alpha);
  if (Result<void> done = config.addPostOps(op.postOps, request); !done)
    return done.diagnostics();
  return config;
}

Result<void> MatmulConfig::addPostOps(std::span<const PostOpAttribute> attributes,
                                      const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(2, 1);
  if (!checks.ok())
    return checks.diagnostics();
  Result<std::vector<PostOp>> ops = resolvePostOps(attributes, request);
  if (!ops)
    return ops.diagnostics();
  postOps = std::move(*ops);
  return expectOneDType(request, "x, y and the result");
}

namespace {

bool isPermutation(std::span<const int64_t> permutation, size_t rank) {
  std::vector<bool> seen(rank, false);
  for (int64_t axis : permutation) {
    if (axis < 0 || axis >= static_cast<int64_t>(rank) || seen[static_cast<size_t>(axis)])
      return false;
    seen[static_cast<size_t>(axis)] = true;
  }
  return permutation.size() == rank;
}

/// The operand as [batch..., rows, columns] of the matmul, before broadcasting.
Result<StridedOperand> orient(std::span<const int64_t> dims, const std::vector<int64_t> &permutation,
                              bool transpose, bool isLeft) {
  StridedOperand out{{dims.begin(), dims.end()}, rowMajorStrides(dims)};
  if (!permutation.empty()) {
    if (!isPermutation(permutation, dims.size()))
      return failure("[{}] is not a permutation of {} axes", fmt::join(permutation, ", "), dims.size());
    StridedOperand stored = out;
    for (size_t i = 0; i < dims.size(); ++i) {
      out.dims[i] = stored.dims[static_cast<size_t>(permutation[i])];
      out.strides[i] = stored.strides[static_cast<size_t>(permutation[i])];
    }
  }
  size_t rank = dims.size();
  if (rank == 0)
    return failure("a scalar has no matmul");
  if (rank == 1) {
    size_t position = isLeft ? 0 : 1;
    out.dims.insert(out.dims.begin() + static_cast<ptrdiff_t>(position), 1);
    out.strides.insert(out.strides.begin() + static_cast<ptrdiff_t>(position), isLeft ? dims[0] : 1);
  } else if (transpose) {
    std::swap(out.dims[rank - 1], out.dims[rank - 2]);
    std::swap(out.strides[rank - 1], out.strides[rank - 2]);
  }
  return out;
}

void padBatch(StridedOperand &operand, size_t rank) {
  size_t missing = rank - operand.dims.size();
  operand.dims.insert(operand.dims.begin(), missing, 1);
  operand.strides.insert(operand.strides.begin(), missing, 0);
}

/// Two axes that a tensor can treat as one: it broadcasts over both, or they are evenly spaced. A single row
/// is spaced as one likes.
bool evenlySpaced(const StridedOperand &operand, size_t axis, bool single) {
  if (single || (operand.dims[axis] == 1 && operand.dims[axis + 1] == 1))
    return true;
  return operand.dims[axis] != 1 && operand.dims[axis + 1] != 1 &&
         operand.strides[axis] == operand.dims[axis + 1] * operand.strides[axis + 1];
}

void mergeInto(StridedOperand &operand, size_t axis, bool single) {
  if (single)
    operand.strides[axis + 1] = operand.strides[axis];
  operand.dims[axis + 1] *= operand.dims[axis];
  operand.dims.erase(operand.dims.begin() + static_cast<ptrdiff_t>(axis));
  operand.strides.erase(operand.strides.begin() + static_cast<ptrdiff_t>(axis));
}

void dropAxis(StridedOperand &operand, size_t axis) {
  operand.dims.erase(operand.dims.begin() + static_cast<ptrdiff_t>(axis));
  operand.strides.erase(operand.strides.begin() + static_cast<ptrdiff_t>(axis));
}

} // namespace

/// Whether batch axis `axis` can be joined with the one after it (another batch axis, or the rows if y has no
/// batch).
bool MatmulGeometry::mergeable(size_t axis) const {
  bool withRows = axis + 3 == rank(), single = out.dims[axis + 1] == 1;
  if (withRows ? y.dims[axis] != 1 : !evenlySpaced(y, axis, false))
    return false;
  if (!evenlySpaced(x, axis, single) || !evenlySpaced(out, axis, single))
    return false;
  for (const StridedOperand &operand : operands)
    if (!operand.dims.empty() && !evenlySpaced(operand, axis, single))
      return false;
  return true;
}

void MatmulGeometry::mergeAxes() {
  auto forAll = [&](auto apply) {
    apply(x);
    apply(out);
    for (StridedOperand &operand : operands)
      if (!operand.dims.empty())
        apply(operand);
  };
  for (size_t axis = rank() - 2; axis-- > 0;) {
    if (out.dims[axis] == 1) {
      forAll([&](StridedOperand &operand) { dropAxis(operand, axis); });
      dropAxis(y, axis);
    }
  }
  for (size_t axis = rank() - 2; axis-- > 0;) {
    if (!mergeable(axis))
      continue;
    bool withRows = axis + 3 == rank(), single = out.dims[axis + 1] == 1;
    forAll([&](StridedOperand &operand) { mergeInto(operand, axis, single); });
    if (withRows)
      dropAxis(y, axis);
    else
      mergeInto(y, axis, false);
  }
}

/// The axes of a matmul of this rank that its result has, in the order of storage: a vector has no rows, or
/// no columns.
static Result<std::vector<size_t>> storedAxes(size_t rank, bool isXVector, bool isYVector,
                                              std::span<const int64_t> permutation) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < rank; ++axis)
    if (!(axis == rank - 2 && isXVector) && !(axis == rank - 1 && isYVector))
      axes.push_back(axis);
  if (permutation.empty())
    return axes;
  if (!isPermutation(permutation, axes.size()))
    return failure("[{}] is not a permutation of {} axes", fmt::join(permutation, ", "), axes.size());
  std::vector<size_t> permuted;
  for (int64_t i : permutation)
    permuted.push_back(axes[static_cast<size_t>(i)]);
  return permuted;
}

Result<MatmulGeometry> MatmulGeometry::compute(const MatmulConfig &attributes, std::span<const int64_t> xDims,
                                               std::span<const int64_t> yDims,
                                               std::span<const std::vector<int64_t>> operandDims) {
  Result<StridedOperand> left = orient(xDims, attributes.permutationX, attributes.transposeX, true);
  Result<StridedOperand> right = orient(yDims, attributes.permutationY, attributes.transposeY, false);
  for (const Result<StridedOperand> *side : {&left, &right})
    if (!*side)
      return side->diagnostics();
  MatmulGeometry g{{}, std::move(*left), std::move(*right), {}, {}};
  size_t rank = std::max(g.x.dims.size(), g.y.dims.size());
  padBatch(g.x, rank);
  padBatch(g.y, rank);
  bool fits = g.x.dims[rank - 1] == g.y.dims[rank - 2];
  std::vector<int64_t> matmulDims;
  for (size_t i = 0; i + 2 < rank; ++i) {
    int64_t a = g.x.dims[i], b = g.y.dims[i];
    fits = fits && (a == b || a == 1 || b == 1);
    matmulDims.push_back(a == 1 ? b : a);
  }
  if (!fits)
    return failure("cannot multiply dims [{}] by [{}]{}{}", fmt::join(xDims, ", "), fmt::join(yDims, ", "),
                   attributes.transposeX ? ", the first transposed" : "",
                   attributes.transposeY ? ", the second transposed" : "");
  matmulDims.push_back(g.x.dims[rank - 2]);
  matmulDims.push_back(g.y.dims[rank - 1]);
  Result<std::vector<size_t>> stored =
      storedAxes(rank, xDims.size() == 1, yDims.size() == 1, attributes.permutationOut);
  if (!stored)
    return stored.diagnostics();
  for (size_t axis : *stored)
    g.outDims.push_back(matmulDims[axis]);
  auto alongMatmul = [&](const StridedOperand &operand, bool isOut) {
    StridedOperand along{isOut ? matmulDims : std::vector<int64_t>(rank, 1), std::vector<int64_t>(rank, 0)};
    for (size_t i = 0; i < stored->size(); ++i) {
      along.dims[(*stored)[i]] = operand.dims[i];
      along.strides[(*stored)[i]] = operand.strides[i];
    }
    return along;
  };
  g.out = alongMatmul({g.outDims, rowMajorStrides(g.outDims)}, true);
  for (size_t i = 0; i < operandDims.size(); ++i) {
    if (!attributes.postOps[i].hasOperand()) {
      g.operands.emplace_back();
      continue;
    }
    if (attributes.postOps[i].kind == PostOp::Kind::Bias) {
      if (operandDims[i].size() != 1 || operandDims[i][0] != matmulDims[rank - 1])
        return failure("expected a bias of dims [{}], found [{}]", matmulDims[rank - 1],
                       fmt::join(operandDims[i], ", "));
      StridedOperand bias{std::vector<int64_t>(rank, 1), std::vector<int64_t>(rank, 0)};
      bias.dims[rank - 1] = matmulDims[rank - 1];
      bias.strides[rank - 1] = matmulDims[rank - 1] == 1 ? 0 : 1;
      g.operands.push_back(std::move(bias));
      continue;
    }
    Result<StridedOperand> operand = broadcastOperand(operandDims[i], g.outDims);
    if (!operand)
      return operand.diagnostics();
    g.operands.push_back(alongMatmul(*operand, false));
  }
  g.mergeAxes();
  return g;
}

} // namespace proa::runtime
