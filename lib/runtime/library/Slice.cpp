/// The library kernels "slice", "strided_slice", "set_value", "flip", "roll" and "crop".
///
/// slice: x, starts and ends as tensors (which win); axes, starts, ends, decrease_axis. strided_slice has strides too.
/// set_value: x, values, and starts, ends, steps as tensors (which win); axes, starts, ends, steps, decrease_axes,
/// none_axes; the values may come as attributes `shape` and `values`.
/// flip: x; axis. roll: x, shifts as a tensor (which wins); shifts, axis. crop: x, shape, offsets as tensors; shape,
/// offsets.
#include "lib/runtime/library/Attributes.h"
#include "lib/runtime/library/Convert.h"
#include "lib/runtime/library/Families.h"
#include "lib/runtime/library/OneDnn.h"
#include "lib/runtime/library/PostOps.h"
#include "lib/runtime/library/StridedCopy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace proa::runtime {
namespace {

/// A box of elements of a dense tensor: `count` of them along each axis, from `begin` on, `step` apart.
struct Box {
  std::vector<int64_t> begin, step, count;

  explicit Box(std::span<const int64_t> dims)
      : begin(dims.size(), 0), step(dims.size(), 1), count(dims.begin(), dims.end()) {}
};

/// Start and end of an axis by Python's rules, except that an end of -1 with a negative step means down to the first.
void restrict(Box &box, size_t axis, int64_t extent, int64_t start, int64_t end, int64_t step) {
  auto clamp = [](int64_t value, int64_t low, int64_t high) { return std::min(std::max(value, low), high); };
  if (start < 0)
    start += extent;
  if (end < 0)
    end = (end == -1 && step < 0) || end < -extent ? -1 : end + extent;
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  start = clamp(start, low, high);
  end = clamp(end, low, high);
  int64_t span = step > 0 ? end - start + step - 1 : start - end - step - 1;
  box.begin[axis] = start;
  box.step[axis] = step;
  box.count[axis] = std::max<int64_t>(0, span / std::abs(step));
}

/// Bounds as attributes, any of which a tensor may replace.
struct Bounds {
  std::vector<int64_t> axes, starts, ends, steps;

  Result<Box> boxIn(std::span<const int64_t> dims) const {
    if (starts.size() != axes.size() || ends.size() != axes.size() || (!steps.empty() && steps.size() != axes.size()))
      return failure("axes [{}], starts [{}], ends [{}] and steps [{}] differ in length", fmt::join(axes, ", "),
                     fmt::join(starts, ", "), fmt::join(ends, ", "), fmt::join(steps, ", "));
    Box box(dims);
    for (size_t i = 0; i < axes.size(); ++i) {
      Result<size_t> axis = normalizeAxis(axes[i], dims.size());
      if (!axis)
        return axis.problems();
      int64_t step = steps.empty() ? 1 : steps[i];
      if (step == 0)
        return failure("the step of axis {} is 0", axes[i]);
      restrict(box, *axis, dims[*axis], starts[i], ends[i], step);
    }
    return box;
  }
};

Result<void> replace(std::vector<int64_t> &list, const View &tensor) {
  if (!tensor)
    return {};
  Result<std::vector<int64_t>> given = integersOf(tensor);
  if (!given)
    return given.problems();
  list = std::move(*given);
  return {};
}

/// The axes of the copy of a box, whose other side is dense in the box's own order.
std::vector<CopyAxis> boxAxes(const Box &box, std::span<const int64_t> dims, bool boxIsSource, int64_t &offset) {
  std::vector<int64_t> strides = rowMajorStrides(dims), dense = rowMajorStrides(box.count);
  std::vector<CopyAxis> axes;
  offset = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t inBox = strides[i] * box.step[i];
    axes.push_back({box.count[i], boxIsSource ? inBox : dense[i], boxIsSource ? dense[i] : inBox});
    offset += box.begin[i] * strides[i];
  }
  return axes;
}

std::vector<int64_t> without(std::span<const int64_t> dims, const std::vector<int64_t> &dropped) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < dims.size(); ++i) {
    bool drop = std::any_of(dropped.begin(), dropped.end(), [&](int64_t axis) {
      return axis == static_cast<int64_t>(i) || axis + static_cast<int64_t>(dims.size()) == static_cast<int64_t>(i);
    });
    if (!drop)
      out.push_back(dims[i]);
  }
  return out;
}

Result<void> copyBox(Call &call, const Box &box, std::span<const int64_t> outDims) {
  const View &x = call.input(0);
  Result<View> out = call.output(0, outDims);
  if (!out)
    return out.problems();
  int64_t offset = 0;
  std::vector<CopyAxis> axes = boxAxes(box, x.dims, true, offset);
  if (out->size() == 0)
    return {};
  size_t bytes = sizeOf(x.dtype);
  stridedCopy(bytes, std::move(axes), x.as<std::byte>() + offset * static_cast<int64_t>(bytes), out->data);
  return {};
}

Result<std::unique_ptr<LibraryKernel>> makeSliceWith(const KernelRequest &request, bool strided) {
  Attributes reader(request);
  Bounds bounds{reader.integers("axes"), reader.integers("starts"), reader.integers("ends"), {}};
  if (strided)
    bounds.steps = reader.integers("strides");
  std::vector<int64_t> dropped = reader.integers("decrease_axis");
  reader.expectOperands(1, 1);
  if (!reader.ok())
    return reader.problems();
  return makeKernel([=](Call &call) -> Result<void> {
    Bounds now = bounds;
    std::vector<int64_t> *lists[] = {&now.starts, &now.ends, &now.steps};
    for (size_t i = 0; i < (strided ? 3u : 2u); ++i)
      if (Result<void> done = replace(*lists[i], call.input(1 + i)); !done)
        return done;
    Result<Box> box = now.boxIn(call.input(0).dims);
    if (!box)
      return box.problems();
    return copyBox(call, *box, without(box->count, dropped));
  });
}

/// Writes `values`, broadcast, into a box of `target`.
Result<void> fillBox(const View &target, const Box &box, const std::vector<int64_t> &dropped,
                     std::vector<int64_t> noneAxes, const View &values) {
  // Where the values go, as the user's index expression sees it: without indexed axes, with new ones of size 1.
  std::vector<size_t> axisOf;
  std::vector<int64_t> dims;
  for (size_t i = 0; i < box.count.size(); ++i) {
    std::vector<int64_t> kept = without(box.count, dropped);
    bool drop = std::any_of(dropped.begin(), dropped.end(), [&](int64_t axis) {
      return axis == static_cast<int64_t>(i) || axis + static_cast<int64_t>(box.count.size()) == static_cast<int64_t>(i);
    });
    if (drop)
      continue;
    axisOf.push_back(i);
    dims.push_back(box.count[i]);
  }
  constexpr size_t fresh = SIZE_MAX;
  std::sort(noneAxes.begin(), noneAxes.end());
  for (int64_t axis : noneAxes) {
    if (axis < 0 || axis > static_cast<int64_t>(dims.size()))
      return failure("none_axes [{}] lie outside of the result", fmt::join(noneAxes, ", "));
    dims.insert(dims.begin() + axis, 1);
    axisOf.insert(axisOf.begin() + axis, fresh);
  }
  // Leading axes of size 1 of the values are allowed, as in numpy's assignment.
  std::span<const int64_t> valueDims = values.dims;
  while (valueDims.size() > dims.size() && valueDims.front() == 1)
    valueDims = valueDims.subspan(1);
  Result<StridedOperand> from = broadcastOperand(valueDims, dims);
  if (!from)
    return from.problems();
  std::vector<int64_t> strides = rowMajorStrides(target.dims);
  std::vector<CopyAxis> axes;
  int64_t offset = 0;
  for (size_t i = 0; i < box.count.size(); ++i)
    offset += box.begin[i] * strides[i];
  for (size_t i = 0; i < dims.size(); ++i)
    if (axisOf[i] != fresh)
      axes.push_back({dims[i], from->strides[i], strides[axisOf[i]] * box.step[axisOf[i]]});
  size_t bytes = sizeOf(target.dtype);
  for (int64_t count : box.count)
    if (count == 0)
      return {};
  stridedCopy(bytes, std::move(axes), values.data, target.as<std::byte>() + offset * static_cast<int64_t>(bytes));
  return {};
}

/// The values of a set_value that come as attributes, in x's dtype.
Result<Tensor> attributeValues(DType dtype, std::vector<int64_t> shape, const std::vector<double> &numbers) {
  if (elementCount(shape) != static_cast<int64_t>(numbers.size()))
    return failure("{} values for a shape of [{}]", numbers.size(), fmt::join(shape, ", "));
  Tensor tensor(dtype, std::move(shape));
  bool known = dispatchAll(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i < numbers.size(); ++i)
      tensor.as<T>()[i] = static_cast<T>(static_cast<Wide<T>>(numbers[i]));
  });
  if (!known)
    return failure("set_value of {} is not supported", nameOf(dtype));
  return tensor;
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeSlice(const KernelRequest &request) {
  return makeSliceWith(request, true);
}
Result<std::unique_ptr<LibraryKernel>> makeStridedSlice(const KernelRequest &request) {
  return makeSliceWith(request, true);
}

Result<std::unique_ptr<LibraryKernel>> makeSetValue(const KernelRequest &request) {
  Attributes reader(request);
  Bounds bounds{reader.integers("axes"), reader.integers("starts"), reader.integers("ends"), reader.integers("steps")};
  std::vector<int64_t> dropped = reader.integers("decrease_axes"), noneAxes = reader.integers("none_axes");
  std::vector<int64_t> shape = reader.integers("shape", {1});
  std::vector<double> numbers = reader.reals("values");
  reader.expectOperands(1, 1);
  if (!reader.ok())
    return reader.problems();
  return makeKernel([=](Call &call) -> Result<void> {
    const View &x = call.input(0);
    Bounds now = bounds;
    std::vector<int64_t> *lists[] = {&now.starts, &now.ends, &now.steps};
    for (size_t i = 0; i < 3; ++i)
      if (Result<void> done = replace(*lists[i], call.input(2 + i)); !done)
        return done;
    Result<Box> box = now.boxIn(x.dims);
    if (!box)
      return box.problems();
    Result<View> out = call.output(0, x.dims);
    if (!out)
      return out.problems();
    if (out->data != x.data)
      std::memcpy(out->data, x.data, static_cast<size_t>(x.size()) * sizeOf(x.dtype));
    View values = call.input(1);
    Tensor made;
    if (!values) {
      Result<Tensor> given = attributeValues(x.dtype, shape, numbers);
      if (!given)
        return given.problems();
      made = *given;
      values = {made.dtype(), made.dims(), made.data()};
    }
    if (values.dtype != x.dtype)
      return failure("the values are {}, but x is {}", nameOf(values.dtype), nameOf(x.dtype));
    return fillBox(*out, *box, dropped, noneAxes, values);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeFlip(const KernelRequest &request) {
  Attributes reader(request);
  std::vector<int64_t> flipped = reader.integers("axis");
  reader.expectOperands(1, 1);
  if (!reader.ok())
    return reader.problems();
  return makeKernel([=](Call &call) -> Result<void> {
    std::span<const int64_t> dims = call.input(0).dims;
    Box box(dims);
    for (int64_t given : flipped) {
      Result<size_t> axis = normalizeAxis(given, dims.size());
      if (!axis)
        return axis.problems();
      box.begin[*axis] = dims[*axis] - 1;
      box.step[*axis] = -1;
    }
    return copyBox(call, box, dims);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeCrop(const KernelRequest &request) {
  Attributes reader(request);
  std::vector<int64_t> shape = reader.integers("shape"), offsets = reader.integers("offsets");
  reader.expectOperands(1, 1);
  if (!reader.ok())
    return reader.problems();
  return makeKernel([=](Call &call) -> Result<void> {
    std::vector<int64_t> count = shape, begin = offsets;
    if (Result<void> done = replace(count, call.input(1)); !done)
      return done;
    if (Result<void> done = replace(begin, call.input(2)); !done)
      return done;
    std::span<const int64_t> dims = call.input(0).dims;
    Box box(dims);
    if (count.size() != dims.size() || begin.size() != dims.size())
      return failure("expected {} numbers in shape [{}] and offsets [{}]", dims.size(), fmt::join(count, ", "),
                     fmt::join(begin, ", "));
    for (size_t i = 0; i < dims.size(); ++i) {
      box.begin[i] = begin[i];
      box.count[i] = count[i] == -1 ? dims[i] - begin[i] : count[i];
      if (box.begin[i] < 0 || box.count[i] < 0 || box.begin[i] > dims[i] - box.count[i])
        return failure("[{}, {}) lies outside of axis {}, which has {}", begin[i], begin[i] + box.count[i], i, dims[i]);
    }
    return copyBox(call, box, box.count);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeRoll(const KernelRequest &request) {
  Attributes reader(request);
  std::vector<int64_t> shifts = reader.integers("shifts"), axes = reader.integers("axis");
  reader.expectOperands(1, 1);
  if (!reader.ok())
    return reader.problems();
  return makeKernel([=](Call &call) -> Result<void> {
    const View &x = call.input(0);
    std::vector<int64_t> by = shifts;
    if (Result<void> done = replace(by, call.input(1)); !done)
      return done;
    Result<View> out = call.output(0, x.dims);
    if (!out)
      return out.problems();
    if (x.size() == 0)
      return {};
    // Without axes the flattened tensor rolls.
    std::vector<int64_t> dims(x.dims.begin(), x.dims.end());
    if (axes.empty())
      dims = {x.size()};
    if (by.size() != std::max<size_t>(1, axes.size()))
      return failure("{} shifts for {} axes", by.size(), axes.size());
    std::vector<int64_t> shift(dims.size(), 0);
    for (size_t i = 0; i < by.size(); ++i) {
      Result<size_t> axis = normalizeAxis(axes.empty() ? 0 : axes[i], dims.size());
      if (!axis)
        return axis.problems();
      shift[*axis] = ((shift[*axis] + by[i]) % dims[*axis] + dims[*axis]) % dims[*axis];
    }
    // Each rolled axis falls into two pieces: 2^n boxes.
    std::vector<size_t> rolled;
    for (size_t i = 0; i < dims.size(); ++i)
      if (shift[i] != 0)
        rolled.push_back(i);
    std::vector<int64_t> strides = rowMajorStrides(dims);
    auto bytes = static_cast<int64_t>(sizeOf(x.dtype));
    for (size_t corner = 0; corner < (size_t(1) << rolled.size()); ++corner) {
      std::vector<CopyAxis> copy;
      for (size_t i = 0; i < dims.size(); ++i)
        copy.push_back({dims[i], strides[i], strides[i]});
      int64_t from = 0, to = 0;
      for (size_t r = 0; r < rolled.size(); ++r) {
        size_t axis = rolled[r];
        bool wraps = (corner >> r & 1) != 0; // the last `shift` elements come first
        copy[axis].size = wraps ? shift[axis] : dims[axis] - shift[axis];
        from += wraps ? (dims[axis] - shift[axis]) * strides[axis] : 0;
        to += wraps ? 0 : shift[axis] * strides[axis];
      }
      stridedCopy(sizeOf(x.dtype), copy, x.as<std::byte>() + from * bytes, out->as<std::byte>() + to * bytes);
    }
    return {};
  });
}

} // namespace proa::runtime
