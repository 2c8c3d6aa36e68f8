#include "lib/check/TensorShards.h"

#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/HostScalar.h"

#include <cstring>
#include <functional>

namespace proa::check {
namespace {

/// Calls `f` with the linear index in a tensor of these dims of each held element, in row-major order.
void forEachHeld(const std::vector<int64_t> &dims, const Held &held, const std::function<void(size_t)> &f) {
  std::function<void(size_t, size_t)> visit = [&](size_t dim, size_t offset) {
    if (dim == dims.size())
      return f(offset);
    for (int64_t index : held[dim])
      visit(dim + 1, offset * static_cast<size_t>(dims[dim]) + static_cast<size_t>(index));
  };
  visit(0, 0);
}

} // namespace

Held heldBy(const spmd::Mesh &mesh, const spmd::Placement &placement, spmd::Dims dims, int64_t position) {
  Held held(dims.size());
  for (size_t dim = 0; dim < dims.size(); ++dim)
    for (spmd::Range range : spmd::localRanges(mesh, placement.dims[dim], dims[dim], position))
      for (int64_t index = range.begin; index < range.end; ++index)
        held[dim].push_back(index);
  return held;
}

std::vector<int64_t> dimsOf(const Held &held) {
  std::vector<int64_t> dims;
  for (const std::vector<int64_t> &indices : held)
    dims.push_back(static_cast<int64_t>(indices.size()));
  return dims;
}

Tensor shardOf(const Tensor &whole, const Held &held) {
  Tensor shard(whole.dtype(), dimsOf(held));
  size_t bytes = sizeOf(whole.dtype());
  const char *from = static_cast<const char *>(whole.data());
  char *to = static_cast<char *>(shard.data());
  forEachHeld(whole.dims(), held, [&](size_t index) {
    std::memcpy(to, from + index * bytes, bytes);
    to += bytes;
  });
  return shard;
}

void copyInto(Tensor &whole, const Tensor &shard, const Held &held) {
  size_t bytes = sizeOf(whole.dtype());
  const char *from = static_cast<const char *>(shard.data());
  char *to = static_cast<char *>(whole.data());
  forEachHeld(whole.dims(), held, [&](size_t index) {
    std::memcpy(to + index * bytes, from, bytes);
    from += bytes;
  });
}

Joined::Joined(DType dtype, std::vector<int64_t> dims)
    : whole(dtype, std::move(dims)), filled(static_cast<size_t>(whole.size())) {}

bool Joined::add(const Tensor &shard, const Held &held) {
  size_t bytes = sizeOf(whole.dtype());
  const char *from = static_cast<const char *>(shard.data());
  char *to = static_cast<char *>(whole.data());
  bool agrees = true;
  forEachHeld(whole.dims(), held, [&](size_t index) {
    if (filled[index])
      agrees &= std::memcmp(to + index * bytes, from, bytes) == 0;
    else
      std::memcpy(to + index * bytes, from, bytes);
    filled[index] = true;
    from += bytes;
  });
  return agrees;
}

bool Joined::isComplete() const { return std::find(filled.begin(), filled.end(), false) == filled.end(); }

static pd::HostScalar combined(const pd::HostScalar &a, const pd::HostScalar &b, DType dtype,
                               spmd::Reduction reduction) {
  pd::HostScalarBuilder builder(dtype);
  switch (reduction) {
  case spmd::Reduction::Sum:
  case spmd::Reduction::Avg:
    return builder.add(a, b);
  case spmd::Reduction::Prod:
    return builder.multiply(a, b);
  case spmd::Reduction::Max:
    return builder.maximum(a, b);
  case spmd::Reduction::Min:
    return builder.minimum(a, b);
  case spmd::Reduction::All:
    return pd::HostScalar::of(a.integer != 0 && b.integer != 0);
  case spmd::Reduction::Any:
    return pd::HostScalar::of(a.integer != 0 || b.integer != 0);
  }
  return a;
}

Tensor combined(const Tensor &a, const Tensor &b, spmd::Reduction reduction) {
  Tensor out(a.dtype(), a.dims());
  for (int64_t i = 0; i < out.size(); ++i)
    pd::storeScalar(out, i, combined(pd::loadScalar(a, i), pd::loadScalar(b, i), a.dtype(), reduction));
  return out;
}

} // namespace proa::check
