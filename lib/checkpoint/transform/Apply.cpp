#include "lib/checkpoint/transform/Apply.h"

#include "lib/base/support/Numbers.h"
#include "lib/base/tensors/Elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace proa::transform {
namespace {

std::vector<int64_t> stridesOf(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t next = 1;
  for (size_t axis = dims.size(); axis-- > 0; next *= dims[axis])
    strides[axis] = next;
  return strides;
}

/// A loop over elements: the size, and the steps in the memory of the source and of the target, in elements.
struct Loop {
  int64_t size, sourceStep, targetStep;
};

/// Drops loops of one iteration, and merges loops that together walk through contiguous memory.
std::vector<Loop> joined(const std::vector<Loop> &loops) {
  std::vector<Loop> result;
  for (const Loop &loop : loops) {
    if (loop.size == 1)
      continue;
    if (!result.empty() && result.back().sourceStep == loop.size * loop.sourceStep &&
        result.back().targetStep == loop.size * loop.targetStep)
      result.back() = {result.back().size * loop.size, loop.sourceStep, loop.targetStep};
    else
      result.push_back(loop);
  }
  return result;
}

template <size_t bytes> void copyRow(const Loop &loop, const std::byte *source, std::byte *target) {
  for (int64_t i = 0; i < loop.size; ++i)
    std::memcpy(target + i * loop.targetStep * static_cast<int64_t>(bytes),
                source + i * loop.sourceStep * static_cast<int64_t>(bytes), bytes);
}

void copyRow(const Loop &loop, size_t bytes, const std::byte *source, std::byte *target) {
  if (loop.sourceStep == 1 && loop.targetStep == 1) {
    std::memcpy(target, source, static_cast<size_t>(loop.size) * bytes);
    return;
  }
  switch (bytes) {
  case 1:
    return copyRow<1>(loop, source, target);
  case 2:
    return copyRow<2>(loop, source, target);
  case 4:
    return copyRow<4>(loop, source, target);
  case 8:
    return copyRow<8>(loop, source, target);
  default:
    return copyRow<16>(loop, source, target);
  }
}

/// Two loops of which the outer walks through adjacent elements of the source and the inner through elements
/// of the target, in tiles that fit in the cache.
void copyTiles(const Loop &outer, const Loop &inner, size_t bytes, const std::byte *source,
               std::byte *target) {
  constexpr int64_t side = 32;
  auto size = static_cast<int64_t>(bytes);
  for (int64_t i = 0; i < outer.size; i += side)
    for (int64_t j = 0; j < inner.size; j += side)
      for (int64_t k = i; k < std::min(i + side, outer.size); ++k)
        copyRow({std::min(side, inner.size - j), inner.sourceStep, inner.targetStep}, bytes,
                source + (k * outer.sourceStep + j * inner.sourceStep) * size,
                target + (k * outer.targetStep + j * inner.targetStep) * size);
}

void copyLoops(std::span<const Loop> loops, size_t bytes, const std::byte *source, std::byte *target) {
  if (loops.empty()) {
    std::memcpy(target, source, bytes);
    return;
  }
  if (loops.size() == 1)
    return copyRow(loops.front(), bytes, source, target);
  if (loops.size() == 2 && loops[1].sourceStep != 1)
    return copyTiles(loops[0], loops[1], bytes, source, target);
  for (int64_t i = 0; i < loops.front().size; ++i)
    copyLoops(loops.subspan(1), bytes, source + i * loops.front().sourceStep * static_cast<int64_t>(bytes),
              target + i * loops.front().targetStep * static_cast<int64_t>(bytes));
}

/// Moves the loop over adjacent elements of the source next to the innermost one.
std::vector<Loop> inOrder(std::vector<Loop> loops) {
  auto adjacent = std::ranges::find(loops, 1, &Loop::sourceStep);
  if (adjacent != loops.end() && adjacent + 1 != loops.end())
    std::rotate(adjacent, adjacent + 1, loops.end() - 1);
  return loops;
}

/// Copies a transposed box to a box of `target`: offsets are in the tensors.
void copyBox(const Tensor &source, std::span<const int64_t> sourceOffset,
             std::span<const unsigned> permutation, Tensor &target, std::span<const int64_t> targetOffset,
             std::span<const int64_t> size) {
  std::vector<int64_t> sourceStrides = stridesOf(source.dims()), targetStrides = stridesOf(target.dims());
  int64_t sourceStart = 0, targetStart = 0;
  std::vector<Loop> loops;
  for (size_t axis = 0; axis < size.size(); ++axis) {
    if (size[axis] == 0)
      return;
    unsigned sourceAxis = permutation[axis];
    sourceStart += sourceOffset[sourceAxis] * sourceStrides[sourceAxis];
    targetStart += targetOffset[axis] * targetStrides[axis];
    loops.push_back({size[axis], sourceStrides[sourceAxis], targetStrides[axis]});
  }
  size_t bytes = sizeOf(source.dtype());
  copyLoops(inOrder(joined(loops)), bytes, source.as<std::byte>() + sourceStart * static_cast<int64_t>(bytes),
            target.as<std::byte>() + targetStart * static_cast<int64_t>(bytes));
}

/// Stores a value as an element.
template <class T> T elementOf(double value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return T(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

/// Calls `write` with each index; it returns the value as double.
template <class T, class Value> void fillWith(Tensor &tensor, Value value) {
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.as<T>()[i] = elementOf<T>(value(i));
}

template <class Value> void fillFloats(Tensor &tensor, Value value) {
  switch (tensor.dtype()) {
  case DType::Float16:
    return fillWith<Float16>(tensor, value);
  case DType::BFloat16:
    return fillWith<BFloat16>(tensor, value);
  case DType::Float64:
    return fillWith<double>(tensor, value);
  default:
    return fillWith<float>(tensor, value);
  }
}

std::vector<double> doublesOf(const Tensor &tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  visitElements(tensor, [&](const auto *elements) {
    using T = std::remove_cvref_t<decltype(*elements)>;
    if constexpr (!isComplex<T>)
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(widened(elements[i]));
  });
  return values;
}

Tensor castTensor(const Tensor &tensor, DType dtype) {
  Tensor result(dtype, tensor.dims());
  visitElements(tensor, [&](const auto *elements) {
    using T = std::remove_cvref_t<decltype(*elements)>;
    if constexpr (!isComplex<T>)
      fillFloats(result, [&](int64_t i) { return static_cast<double>(widened(elements[i])); });
  });
  return result;
}

/// A tensor whose elements are all `value`.
Tensor filledTensor(DType dtype, const std::vector<int64_t> &dims, double value) {
  Tensor one(dtype, {1});
  bool isFloat = dtype == DType::Float16 || dtype == DType::BFloat16 || dtype == DType::Float32 ||
                 dtype == DType::Float64;
  std::memset(one.data(), 0, one.bytes());
  if (isFloat)
    fillFloats(one, [&](int64_t) { return value; });
  else if (value != 0)
    visitElements(one, [&](const auto *elements) {
      using T = std::remove_cvref_t<decltype(*elements)>;
      if constexpr (std::is_integral_v<T>)
        *one.as<T>() = toInteger<T>(value);
      else if constexpr (std::is_same_v<T, Boolean>)
        one.as<T>()->byte = 1;
    });
  Tensor result(dtype, dims);
  for (int64_t i = 0; i < result.size(); ++i)
    std::memcpy(result.as<std::byte>() + static_cast<size_t>(i) * one.bytes(), one.data(), one.bytes());
  return result;
}

std::vector<int64_t> beginOf(const Box &box) {
  std::vector<int64_t> begin;
  for (const spmd::Range &range : box)
    begin.push_back(range.begin);
  return begin;
}

class BoxComputation {
public:
  BoxComputation(const Mapping &mapping, const Target &target, const BoxReader &read)
      : mapping(mapping), target(target), read(read) {}

  Result<Tensor> compute(const Composition &composition, DType dtype, const Box &box) {
    Tensor result(dtype, checkpoints::dimsOf(box));
    std::vector<Fragment> fragments;
    mapping.fragmentsOf(composition, box, fragments);
    for (const Fragment &fragment : fragments)
      if (Result<void> copied = copy(fragment, box, result); !copied)
        return copied.diagnostics();
    return result;
  }

private:
  Result<void> copy(const Fragment &fragment, const Box &box, Tensor &result) {
    Result<BoxTensor> source = valuesOf(*fragment.source, fragment.sourceBox, result.dtype());
    if (!source)
      return source.diagnostics();
    size_t rank = box.size();
    std::vector<int64_t> sourceOffset = beginOf(fragment.sourceBox),
                         targetOffset = beginOf(fragment.targetBox);
    std::vector<int64_t> size = checkpoints::dimsOf(fragment.targetBox);
    for (size_t axis = 0; axis < rank; ++axis) {
      sourceOffset[axis] -= source->origin.empty() ? 0 : source->origin[axis];
      targetOffset[axis] -= box[axis].begin;
    }
    const std::vector<unsigned> &permutation = fragment.adaptation->permutation;
    if (target.state || fragment.adaptation->casts.empty()) {
      copyBox(source->tensor, sourceOffset, permutation, result, targetOffset, size);
      return {};
    }
    // Cast a dense copy of the box, then copy it to its offset.
    std::vector<unsigned> identity(rank);
    std::iota(identity.begin(), identity.end(), 0u);
    std::vector<int64_t> zero(rank, 0);
    Tensor values(source->tensor.dtype(), size);
    copyBox(source->tensor, sourceOffset, permutation, values, zero, size);
    for (DType dtype : fragment.adaptation->casts)
      values = castTensor(values, dtype);
    copyBox(values, zero, identity, result, targetOffset, size);
    return {};
  }

  /// The dtype of a computed source: of an optimizer state, the dtype of the state.
  DType dtypeOf(const Source &source, DType state) const { return target.state ? state : source.dtype; }

  /// Elements of a source, in its own dtype.
  Result<BoxTensor> valuesOf(const Source &source, const Box &box, DType dtype) {
    if (auto *fill = std::get_if<Source::Fill>(&source.computed)) {
      // Moments of elements that were added are zero; a master weight has the value.
      bool isMoment = target.state && !target.state->isMasterWeight;
      return BoxTensor{
          filledTensor(dtypeOf(source, dtype), checkpoints::dimsOf(box), isMoment ? 0 : fill->value),
          beginOf(box)};
    }
    if (auto *average = std::get_if<Source::Average>(&source.computed))
      return averageOf(*average, dtypeOf(source, dtype), box);
    return read(Mapping::nameOf(source, target), box);
  }

  Result<BoxTensor> averageOf(const Source::Average &average, DType dtype, const Box &box) {
    std::vector<double> sum;
    for (size_t i = 0; i < average.terms.size(); ++i) {
      Result<Tensor> term = compute(*average.terms[i], dtype, box);
      if (!term)
        return term.diagnostics();
      std::vector<double> values = doublesOf(*term);
      sum.resize(values.size(), 0);
      for (size_t k = 0; k < values.size(); ++k)
        sum[k] += average.weights[i] * values[k];
    }
    Tensor result(dtype, checkpoints::dimsOf(box));
    fillFloats(result, [&](int64_t i) { return sum[static_cast<size_t>(i)]; });
    return BoxTensor{std::move(result), beginOf(box)};
  }

  const Mapping &mapping;
  const Target &target;
  const BoxReader &read;
};

} // namespace

Result<Tensor> computeBox(const Mapping &mapping, const Target &target, const Box &box,
                          const BoxReader &read) {
  if (target.composition->size() == 0 && std::ranges::find(target.dims(), 0) == target.dims().end())
    return errorAt(target.name,
                   "is added without a value, expected `shape` and `dtype` in its statement `_ -> NAME`");
  return BoxComputation(mapping, target, read).compute(*target.composition, target.dtype, box);
}

Result<Tensor> computeTarget(const Mapping &mapping, const Target &target, const BoxReader &read) {
  return computeBox(mapping, target, checkpoints::wholeBox(target.dims()), read);
}

} // namespace proa::transform
