/// The library kernels "slice", "set_value" and "roll".
///
/// slice: x, and starts, ends, strides as tensors (which win); axes, starts, ends, strides (absent: 1).
/// set_value: x, values, and starts, ends, steps as tensors (which win); axes, starts, ends, steps. The
/// values broadcast to the slice. roll: x, shifts as a tensor (which wins); shifts, axis.
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/common/PostOps.h"
#include "lib/runtime/kernels/tensor/StridedCopy.h"

#include "dialects/pd/ops/index/Scatter.kernels.inc"
#include "dialects/pd/ops/shape/Slice.kernels.inc"

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

/// Start and end of an axis by the rules of pd.slice: below 0 they count from the end, but with a negative
/// step an end of -1, or one that lies before the first element, means down to the first.
void restrict(Box &box, size_t axis, int64_t dim, int64_t start, int64_t end, int64_t step) {
  bool downToTheFirst = step < 0 && end == -1;
  if (start < 0)
    start = std::max<int64_t>(start + dim, 0);
  if (end < 0 && !downToTheFirst)
    end = std::max<int64_t>(end + dim, step < 0 ? -1 : 0);
  start = std::min(start, step > 0 ? dim : dim - 1);
  end = std::min(end, dim);
  int64_t distance = step > 0 ? end - start : start - end;
  box.begin[axis] = start;
  box.step[axis] = step;
  box.count[axis] = distance > 0 ? (distance - 1) / std::abs(step) + 1 : 0;
}

/// Bounds as attributes; a tensor may replace any of them.
struct Bounds {
  std::vector<int64_t> axes, starts, ends, steps;

  Result<Box> boxIn(std::span<const int64_t> dims) const {
    if (starts.size() != axes.size() || ends.size() != axes.size() ||
        (!steps.empty() && steps.size() != axes.size()))
      return failure("axes [{}], starts [{}], ends [{}] and steps [{}] differ in length",
                     fmt::join(axes, ", "), fmt::join(starts, ", "), fmt::join(ends, ", "),
                     fmt::join(steps, ", "));
    Box box(dims);
    for (size_t i = 0; i < axes.size(); ++i) {
      Result<size_t> axis = normalizeAxis(axes[i], dims.size());
      if (!axis)
        return axis.diagnostics();
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
    return given.diagnostics();
  list = std::move(*given);
  return {};
}

/// The axes of the copy of a box, whose other side is dense in the box's own order.
std::vector<CopyAxis> boxAxes(const Box &box, std::span<const int64_t> dims, bool boxIsSource,
                              int64_t &offset) {
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

Result<void> copyBox(Call &call, const Box &box, std::span<const int64_t> outDims) {
  const View &x = call.input(0);
  Result<View> out = call.output(0, outDims);
  if (!out)
    return out.diagnostics();
  int64_t offset = 0;
  std::vector<CopyAxis> axes = boxAxes(box, x.dims, true, offset);
  if (out->size() == 0)
    return {};
  size_t bytes = sizeOf(x.dtype);
  stridedCopy(bytes, std::move(axes), x.as<std::byte>() + offset * static_cast<int64_t>(bytes), out->data);
  return {};
}

/// The bounds of this run: tensors from input `first` on override the attributes.
Result<Box> boxOf(const Call &call, Bounds bounds, size_t first) {
  std::vector<int64_t> *lists[] = {&bounds.starts, &bounds.ends, &bounds.steps};
  for (size_t i = 0; i < 3; ++i)
    if (Result<void> done = replace(*lists[i], call.input(first + i)); !done)
      return done.diagnostics();
  return bounds.boxIn(call.input(0).dims);
}

/// Writes `values`, broadcast, into a box of `target`.
Result<void> fillBox(const View &target, const Box &box, const View &values) {
  // Leading axes of size 1 of the values are allowed, as in numpy's assignment.
  std::span<const int64_t> valueDims = values.dims;
  while (valueDims.size() > box.count.size() && valueDims.front() == 1)
    valueDims = valueDims.subspan(1);
  Result<StridedOperand> from = broadcastOperand(valueDims, box.count);
  if (!from)
    return from.diagnostics();
  std::vector<int64_t> strides = rowMajorStrides(target.dims);
  std::vector<CopyAxis> axes;
  int64_t offset = 0;
  for (size_t i = 0; i < box.count.size(); ++i) {
    offset += box.begin[i] * strides[i];
    axes.push_back({box.count[i], from->strides[i], strides[i] * box.step[i]});
  }
  if (elementCount(box.count) == 0)
    return {};
  size_t bytes = sizeOf(target.dtype);
  stridedCopy(bytes, std::move(axes), values.data,
              target.as<std::byte>() + offset * static_cast<int64_t>(bytes));
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeSlice(const SliceAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  Bounds bounds{op.axes, op.starts, op.ends, op.strides};
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) -> Result<void> {
    Result<Box> box = boxOf(call, bounds, 1);
    return box ? copyBox(call, *box, box->count) : box.diagnostics();
  });
}

Result<std::unique_ptr<LibraryKernel>> makeSetValue(const SetValueAttributes &op,
                                                    const KernelRequest &request) {
  Checks checks(request);
  Bounds bounds{op.axes, op.starts, op.ends, op.steps};
  checks.expectOperands(2, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) -> Result<void> {
    const View &x = call.input(0), &values = call.input(1);
    Result<Box> box = boxOf(call, bounds, 2);
    if (!box)
      return box.diagnostics();
    Result<View> out = call.output(0, x.dims);
    if (!out)
      return out.diagnostics();
    if (values.dtype != x.dtype)
      return failure("the values are {}, but x is {}", nameOf(values.dtype), nameOf(x.dtype));
    if (out->data != x.data)
      std::memcpy(out->data, x.data, static_cast<size_t>(x.size()) * sizeOf(x.dtype));
    return fillBox(*out, *box, values);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeRoll(const RollAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  std::vector<int64_t> shifts = op.shifts, axes = op.axis;
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) -> Result<void> {
    const View &x = call.input(0);
    std::vector<int64_t> by = shifts;
    if (Result<void> done = replace(by, call.input(1)); !done)
      return done;
    Result<View> out = call.output(0, x.dims);
    if (!out)
      return out.diagnostics();
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
        return axis.diagnostics();
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
