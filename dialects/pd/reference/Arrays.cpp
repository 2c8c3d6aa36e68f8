#include "dialects/pd/reference/Arrays.h"

#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/sequence/BeamSearch.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <cstring>

using namespace mlir;

namespace proa::pd {
namespace {

int64_t integerAt(const HostValues &values, Value value) {
  return loadScalar(values.tensors.at(value), 0).integer;
}

/// The element at `index`, which counts from the end if it is negative; null if it was never written.
const Tensor *elementOf(const HostArray &array, int64_t index) {
  index += index < 0 ? static_cast<int64_t>(array.size()) : 0;
  bool isWritten =
      index >= 0 && index < static_cast<int64_t>(array.size()) && array[static_cast<size_t>(index)];
  return isWritten ? &*array[static_cast<size_t>(index)] : nullptr;
}

Tensor sumOf(const Tensor &a, const Tensor &b) {
  Tensor out(a.dtype(), a.dims());
  HostScalarBuilder scalars(a.dtype());
  for (int64_t i = 0; i < a.size(); ++i)
    storeScalar(out, i, scalars.add(loadScalar(a, i), loadScalar(b, i)));
  return out;
}

Tensor zerosLike(const Tensor &x) {
  Tensor out(x.dtype(), x.dims());
  std::memset(out.data(), 0, out.bytes());
  return out;
}

/// Copies the slice of `whole` that starts at `from` along the axis to `part`, or back if `intoWhole`.
void copyAlong(Tensor &whole, Tensor &part, int64_t axis, int64_t from, bool intoWhole) {
  std::vector<int64_t> dims = part.dims();
  llvm::SmallVector<int64_t> strides = rowMajorStrides(whole.dims());
  size_t bytes = sizeOf(whole.dtype());
  forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t offset = from * strides[static_cast<size_t>(axis)];
    for (size_t d = 0; d < index.size(); ++d)
      offset += index[d] * strides[d];
    auto *at = static_cast<char *>(whole.data()) + static_cast<size_t>(offset) * bytes;
    auto *own = static_cast<char *>(part.data()) + static_cast<size_t>(position) * bytes;
    std::memcpy(intoWhole ? at : own, intoWhole ? own : at, bytes);
  });
}

/// The elements of x with other dims.
Tensor withDims(const Tensor &x, std::vector<int64_t> dims) {
  Tensor out(x.dtype(), std::move(dims));
  std::memcpy(out.data(), x.data(), x.bytes());
  return out;
}

std::string joined(ArrayToTensorOp op, HostValues &values) {
  const HostArray &array = values.arrays.at(op.getArray());
  bool isStack = op.getUseStack();
  auto axis = static_cast<int64_t>(op.getAxis());
  std::vector<Tensor> parts;
  Tensor sizes(DType::Int32, {static_cast<int64_t>(array.size())});
  for (size_t i = 0; i < array.size(); ++i) {
    if (!array[i])
      return "the array has an element that was never written";
    std::vector<int64_t> dims = array[i]->dims();
    if (i == 0 && axis < 0)
      axis += static_cast<int64_t>(dims.size()) + (isStack ? 1 : 0);
    bool hasAxis = axis < static_cast<int64_t>(dims.size());
    sizes.as<int32_t>()[i] = hasAxis ? static_cast<int32_t>(dims[static_cast<size_t>(axis)]) : 1;
    if (isStack)
      dims.insert(dims.begin() + axis, 1);
    parts.push_back(withDims(*array[i], dims));
  }
  if (parts.empty())
    return "the array has no elements";
  std::vector<int64_t> dims = parts.front().dims();
  dims[static_cast<size_t>(axis)] = 0;
  for (const Tensor &part : parts) {
    std::vector<int64_t> others = part.dims();
    if (axis < 0 || axis >= static_cast<int64_t>(others.size()) || others.size() != dims.size())
      return "the elements of the array have different ranks, or the axis is out of range";
    dims[static_cast<size_t>(axis)] += others[static_cast<size_t>(axis)];
    others[static_cast<size_t>(axis)] = dims[static_cast<size_t>(axis)];
    if (others != dims)
      return "the elements of the array have different dims";
  }
  Tensor out(parts.front().dtype(), dims);
  int64_t from = 0;
  for (Tensor &part : parts) {
    copyAlong(out, part, axis, from, /*intoWhole=*/true);
    from += part.dims()[static_cast<size_t>(axis)];
  }
  values.tensors[op.getOut()] = out;
  values.tensors[op.getSizes()] = sizes;
  return {};
}

std::string split(ArraySplitOp op, HostValues &values) {
  Tensor x = values.tensors.at(op.getX()), sizes = values.tensors.at(op.getSizes());
  auto axis = static_cast<int64_t>(op.getAxis());
  axis += axis < 0 ? static_cast<int64_t>(x.dims().size()) : 0;
  HostArray out;
  int64_t from = 0;
  for (int64_t i = 0; i < sizes.size(); ++i) {
    std::vector<int64_t> dims = x.dims();
    int64_t size = op.getUseStack() ? 1 : loadScalar(sizes, i).integer;
    if (size < 0 || from + size > dims[static_cast<size_t>(axis)])
      return "the sizes are negative or exceed the dim that is split";
    dims[static_cast<size_t>(axis)] = size;
    Tensor part(x.dtype(), dims);
    copyAlong(x, part, axis, from, /*intoWhole=*/false);
    from += dims[static_cast<size_t>(axis)];
    if (op.getUseStack())
      dims.erase(dims.begin() + axis);
    out.emplace_back(withDims(part, dims));
  }
  values.arrays[op.getOut()] = std::move(out);
  return {};
}

HostArray slice(ArraySliceOp op, const HostValues &values) {
  const HostArray &array = values.arrays.at(op.getArray());
  auto length = static_cast<int64_t>(array.size());
  auto bound = [&](Value value) {
    int64_t index = integerAt(values, value);
    return std::clamp(index < 0 ? index + length : index, int64_t(0), length);
  };
  int64_t from = bound(op.getStart()), to = std::max(from, bound(op.getEnd()));
  return {array.begin() + from, array.begin() + to};
}

std::string sums(ArrayAddOp op, HostValues &values) {
  HostArray out = values.arrays.at(op.getX());
  const HostArray &other = values.arrays.at(op.getY());
  out.resize(std::max(out.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i) {
    if (out[i] && other[i] && out[i]->dims() != other[i]->dims())
      return "the elements of the arrays have different dims";
    if (other[i])
      out[i] = out[i] ? sumOf(*out[i], *other[i]) : *other[i];
  }
  values.arrays[op.getOut()] = std::move(out);
  return {};
}

std::string read(Value array, Value index, Value otherwise, Value out, HostValues &values) {
  const Tensor *element = elementOf(values.arrays.at(array), integerAt(values, index));
  if (!element && !otherwise)
    return "the element was never written";
  Tensor result = element ? *element : values.tensors.at(otherwise);
  values.tensors[out] = result;
  return {};
}

std::string write(ArrayWriteOp op, HostValues &values) {
  HostArray array = values.arrays.at(op.getArray());
  int64_t index = integerAt(values, op.getIndex());
  if (index < 0 || index > 100000)
    return "expected an array index from 0 to 100000";
  array.resize(std::max(array.size(), static_cast<size_t>(index) + 1));
  array[static_cast<size_t>(index)] = values.tensors.at(op.getX());
  values.arrays[op.getOut()] = std::move(array);
  return {};
}

/// The rows that one step of a beam search selected.
struct BeamStep {
  Tensor ids, scores;
  std::vector<int64_t> sources, prefixes;

  int64_t id(int64_t row) const { return loadScalar(ids, row).integer; }
  int64_t firstOf(size_t source) const { return prefixes[static_cast<size_t>(sources[source])]; }
  /// The row of the previous step that a row extends.
  int64_t before(int64_t row) const {
    int64_t prefix = 0;
    while (prefixes[static_cast<size_t>(prefix) + 1] <= row)
      ++prefix;
    return prefix;
  }
};

/// The rows of a translation as pairs of step and row, from the last step in which its source has rows.
using Path = std::vector<std::pair<size_t, int64_t>>;

/// The translations of a source, sorted by decreasing score.
std::vector<Path> pathsOf(const std::vector<BeamStep> &steps, size_t source, int64_t endId) {
  size_t last = steps.size() - 1;
  while (last > 0 && steps[last].firstOf(source) == steps[last].firstOf(source + 1))
    --last;
  std::vector<Path> out;
  for (int64_t row = steps[last].firstOf(source); row < steps[last].firstOf(source + 1); ++row) {
    Path path{{last, row}};
    int64_t at = row;
    for (size_t t = last; t-- > 0;) {
      at = steps[t + 1].before(at);
      if (steps[t].id(at) != endId)
        path.emplace_back(t, at);
    }
    out.push_back(std::move(path));
  }
  auto scoreOf = [&](const Path &path) { return loadScalar(steps[last].scores, path.front().second).real(); };
  llvm::stable_sort(out, [&](const Path &a, const Path &b) { return scoreOf(a) > scoreOf(b); });
  return out;
}

std::string decodeBeams(BeamSearchDecodeOp op, HostValues &values) {
  std::vector<BeamStep> steps;
  auto element = [&](Value array, size_t t) { return *values.arrays.at(array)[t]; };
  for (Value array : op->getOperands())
    if (!llvm::all_of(values.arrays.at(array), [](const auto &one) { return one.has_value(); }) ||
        values.arrays.at(array).size() != values.arrays.at(op.getIds()).size())
      return "the arrays of beams have different lengths or elements that were never written";
  for (size_t t = 0; t < values.arrays.at(op.getIds()).size(); ++t)
    steps.push_back({element(op.getIds(), t), element(op.getScores(), t),
                     integersOf(element(op.getSourceOffsets(), t)),
                     integersOf(element(op.getPrefixOffsets(), t))});
  if (steps.empty())
    return "the arrays of beams have no elements";
  std::vector<int64_t> ids, translations{0}, sentences{0};
  std::vector<double> scores;
  for (size_t source = 0; source + 1 < steps.front().sources.size(); ++source) {
    for (const Path &path : pathsOf(steps, source, static_cast<int64_t>(op.getEndId()))) {
      for (auto [t, row] : llvm::reverse(path)) {
        ids.push_back(steps[t].id(row));
        scores.push_back(loadScalar(steps[t].scores, row).real());
      }
      sentences.push_back(static_cast<int64_t>(ids.size()));
    }
    translations.push_back(static_cast<int64_t>(sentences.size()) - 1);
  }
  Tensor scoreTensor(steps.front().scores.dtype(), {static_cast<int64_t>(scores.size())});
  for (auto [i, score] : llvm::enumerate(scores))
    storeScalar(scoreTensor, static_cast<int64_t>(i), HostScalar::of(score));
  values.tensors[op.getSentenceIds()] = vectorOf(DType::Int64, ids);
  values.tensors[op.getSentenceScores()] = scoreTensor;
  values.tensors[op.getTranslationOffsets()] = vectorOf(DType::Int64, translations);
  values.tensors[op.getSentenceOffsets()] = vectorOf(DType::Int64, sentences);
  return {};
}

bool isArray(Value value) { return isa<ArrayType>(value.getType()); }

std::string setArray(HostValues &values, Value value, HostArray array) {
  values.arrays[value] = std::move(array);
  return {};
}

void addArrays(ArrayComputations &registry) {
  registry.add<ArrayCreateOp>(
      [](Operation *op, HostValues &values) { return setArray(values, op->getResult(0), {}); });
  registry.add<ArrayCastOp>([](Operation *op, HostValues &values) {
    values.copy(op->getOperand(0), op->getResult(0));
    return std::string();
  });
  registry.add<ArrayWriteOp>(
      [](Operation *op, HostValues &values) { return write(cast<ArrayWriteOp>(op), values); });
  registry.add<ArrayReadOp>([](Operation *op, HostValues &values) {
    auto readOp = cast<ArrayReadOp>(op);
    return read(readOp.getArray(), readOp.getIndex(), {}, readOp.getOut(), values);
  });
  registry.add<ArrayReadOrOp>([](Operation *op, HostValues &values) {
    auto readOp = cast<ArrayReadOrOp>(op);
    return read(readOp.getArray(), readOp.getIndex(), readOp.getOtherwise(), readOp.getOut(), values);
  });
  registry.add<ArrayLengthOp>([](Operation *op, HostValues &values) {
    auto length = static_cast<int64_t>(values.arrays.at(op->getOperand(0)).size());
    values.tensors[op->getResult(0)] = vectorOf(DType::Int64, {length});
    return std::string();
  });
  registry.add<ArraySliceOp>([](Operation *op, HostValues &values) {
    return setArray(values, op->getResult(0), slice(cast<ArraySliceOp>(op), values));
  });
  registry.add<ArrayAddOp>(
      [](Operation *op, HostValues &values) { return sums(cast<ArrayAddOp>(op), values); });
  registry.add<ArrayConcatOp>([](Operation *op, HostValues &values) {
    HostArray out = values.arrays.at(op->getOperand(0)), more = values.arrays.at(op->getOperand(1));
    out.insert(out.end(), more.begin(), more.end());
    return setArray(values, op->getResult(0), std::move(out));
  });
  registry.add<ArrayZerosLikeOp>([](Operation *op, HostValues &values) {
    HostArray out = values.arrays.at(op->getOperand(0));
    for (auto &element : out)
      if (element)
        element = zerosLike(*element);
    return setArray(values, op->getResult(0), std::move(out));
  });
  registry.add<ArraySplitOp>(
      [](Operation *op, HostValues &values) { return split(cast<ArraySplitOp>(op), values); });
  registry.add<ArrayToTensorOp>(
      [](Operation *op, HostValues &values) { return joined(cast<ArrayToTensorOp>(op), values); });
  registry.add<BeamSearchDecodeOp>(
      [](Operation *op, HostValues &values) { return decodeBeams(cast<BeamSearchDecodeOp>(op), values); });
}

} // namespace

void HostValues::copy(Value from, Value to) {
  if (isArray(from)) {
    HostArray array = arrays.at(from);
    arrays[to] = std::move(array);
  } else {
    Tensor tensor = tensors.at(from);
    tensors[to] = tensor;
  }
}

const ArrayComputations &ArrayComputations::get() {
  static const ArrayComputations registry = [] {
    ArrayComputations computations;
    addArrays(computations);
    return computations;
  }();
  return registry;
}

} // namespace proa::pd
