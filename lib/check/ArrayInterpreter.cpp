#include "lib/check/ArrayInterpreter.h"

#include "dialects/pd/Evaluate.h"
#include "dialects/pd/control/ArrayOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;

namespace proa::check {
namespace {

int64_t numberOf(const HostValues &values, Value value) {
  return pd::loadScalar(values.tensors.at(value), 0).integer;
}

/// The element of that number, counted from the end where it is negative; null where there is none.
const Tensor *elementOf(const HostArray &array, int64_t index) {
  index += index < 0 ? static_cast<int64_t>(array.size()) : 0;
  bool isThere =
      index >= 0 && index < static_cast<int64_t>(array.size()) && array[static_cast<size_t>(index)];
  return isThere ? &*array[static_cast<size_t>(index)] : nullptr;
}

Tensor sumOf(const Tensor &a, const Tensor &b) {
  Tensor out(a.dtype(), a.dims());
  for (int64_t i = 0; i < a.size(); ++i)
    pd::storeScalar(out, i, pd::HostScalar::of(pd::loadScalar(a, i).real() + pd::loadScalar(b, i).real()));
  return out;
}

/// Elements `from` on along an axis, `count` of them, of x; or the inverse, into x.
void copyAlong(Tensor &whole, Tensor &part, int64_t axis, int64_t from, bool intoWhole) {
  std::vector<int64_t> dims = part.dims();
  llvm::SmallVector<int64_t> strides = pd::rowMajorStrides(whole.dims());
  size_t bytes = sizeOf(whole.dtype());
  pd::forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t place = from * strides[static_cast<size_t>(axis)];
    for (size_t d = 0; d < index.size(); ++d)
      place += index[d] * strides[d];
    auto *at = static_cast<char *>(whole.data()) + static_cast<size_t>(place) * bytes;
    auto *own = static_cast<char *>(part.data()) + static_cast<size_t>(position) * bytes;
    std::memcpy(intoWhole ? at : own, intoWhole ? own : at, bytes);
  });
}

/// The same elements under other dims.
Tensor withDims(const Tensor &x, std::vector<int64_t> dims) {
  Tensor out(x.dtype(), std::move(dims));
  std::memcpy(out.data(), x.data(), x.bytes());
  return out;
}

std::string joined(pd::ArrayToTensorOp op, HostValues &values) {
  const HostArray &array = values.arrays.at(op.getArray());
  bool isStack = op.getUseStack();
  auto axis = static_cast<int64_t>(op.getAxis());
  std::vector<Tensor> parts;
  Tensor sizes(DType::Int32, {static_cast<int64_t>(array.size())});
  for (size_t i = 0; i < array.size(); ++i) {
    if (!array[i])
      return "an array with an element that nothing was written to";
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
    return "an array without elements";
  std::vector<int64_t> dims = parts.front().dims();
  dims[static_cast<size_t>(axis)] = 0;
  for (const Tensor &part : parts) {
    std::vector<int64_t> others = part.dims();
    if (axis < 0 || axis >= static_cast<int64_t>(others.size()) || others.size() != dims.size())
      return "elements of an array that do not fit each other";
    dims[static_cast<size_t>(axis)] += others[static_cast<size_t>(axis)];
    others[static_cast<size_t>(axis)] = dims[static_cast<size_t>(axis)];
    if (others != dims)
      return "elements of an array that do not fit each other";
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

std::string split(pd::ArraySplitOp op, HostValues &values) {
  Tensor x = values.tensors.at(op.getX()), sizes = values.tensors.at(op.getSizes());
  auto axis = static_cast<int64_t>(op.getAxis());
  axis += axis < 0 ? static_cast<int64_t>(x.dims().size()) : 0;
  HostArray out;
  int64_t from = 0;
  for (int64_t i = 0; i < sizes.size(); ++i) {
    std::vector<int64_t> dims = x.dims();
    int64_t extent = op.getUseStack() ? 1 : pd::loadScalar(sizes, i).integer;
    if (extent < 0 || from + extent > dims[static_cast<size_t>(axis)])
      return "sizes that do not add up to the extent of what is split";
    dims[static_cast<size_t>(axis)] = extent;
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

HostArray slice(pd::ArraySliceOp op, const HostValues &values) {
  const HostArray &array = values.arrays.at(op.getArray());
  auto length = static_cast<int64_t>(array.size());
  auto bound = [&](Value value) {
    int64_t number = numberOf(values, value);
    return std::clamp(number < 0 ? number + length : number, int64_t(0), length);
  };
  int64_t from = bound(op.getStart()), to = std::max(from, bound(op.getEnd()));
  return {array.begin() + from, array.begin() + to};
}

std::string sums(pd::ArrayAddOp op, HostValues &values) {
  HostArray out = values.arrays.at(op.getX());
  const HostArray &other = values.arrays.at(op.getY());
  out.resize(std::max(out.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i) {
    if (out[i] && other[i] && out[i]->dims() != other[i]->dims())
      return "elements of arrays that do not fit each other";
    if (other[i])
      out[i] = out[i] ? sumOf(*out[i], *other[i]) : *other[i];
  }
  values.arrays[op.getOut()] = std::move(out);
  return {};
}

std::string read(Value array, Value index, Value otherwise, Value out, HostValues &values) {
  const Tensor *found = elementOf(values.arrays.at(array), numberOf(values, index));
  if (!found && !otherwise)
    return "an element that nothing was written to";
  Tensor element = found ? *found : values.tensors.at(otherwise);
  values.tensors[out] = element;
  return {};
}

std::string write(pd::ArrayWriteOp op, HostValues &values) {
  HostArray array = values.arrays.at(op.getArray());
  int64_t index = numberOf(values, op.getIndex());
  if (index < 0 || index > 100000)
    return "an index of an array that is too large or negative";
  array.resize(std::max(array.size(), static_cast<size_t>(index) + 1));
  array[static_cast<size_t>(index)] = values.tensors.at(op.getX());
  values.arrays[op.getOut()] = std::move(array);
  return {};
}

bool isArray(Value value) { return isa<pd::ArrayType>(value.getType()); }

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

bool isArrayOp(Operation &op) {
  return op.getNumRegions() == 0 &&
         (llvm::any_of(op.getOperands(), isArray) || llvm::any_of(op.getResults(), isArray));
}

std::string runArrayOp(Operation &op, HostValues &values) {
  using Answer = std::string;
  return llvm::TypeSwitch<Operation *, Answer>(&op)
      .Case([&](pd::ArrayCreateOp create) {
        values.arrays[create.getOut()] = {};
        return Answer();
      })
      .Case([&](pd::ArrayCastOp cast) {
        values.copy(cast.getArray(), cast.getOut());
        return Answer();
      })
      .Case([&](pd::ArrayWriteOp one) { return write(one, values); })
      .Case(
          [&](pd::ArrayReadOp one) { return read(one.getArray(), one.getIndex(), {}, one.getOut(), values); })
      .Case([&](pd::ArrayReadOrOp one) {
        return read(one.getArray(), one.getIndex(), one.getOtherwise(), one.getOut(), values);
      })
      .Case([&](pd::ArrayLengthOp length) {
        Tensor out(DType::Int64, {1});
        *out.as<int64_t>() = static_cast<int64_t>(values.arrays.at(length.getArray()).size());
        values.tensors[length.getOut()] = out;
        return Answer();
      })
      .Case([&](pd::ArraySliceOp part) {
        HostArray out = slice(part, values);
        values.arrays[part.getOut()] = std::move(out);
        return Answer();
      })
      .Case([&](pd::ArrayAddOp add) { return sums(add, values); })
      .Case([&](pd::ArrayConcatOp concat) {
        HostArray out = values.arrays.at(concat.getX()), more = values.arrays.at(concat.getY());
        out.insert(out.end(), more.begin(), more.end());
        values.arrays[concat.getOut()] = std::move(out);
        return Answer();
      })
      .Case([&](pd::ArraySplitOp one) { return split(one, values); })
      .Case([&](pd::ArrayToTensorOp join) { return joined(join, values); })
      .Default([](Operation *other) { return "no evaluation of " + other->getName().getStringRef().str(); });
}

} // namespace proa::check
