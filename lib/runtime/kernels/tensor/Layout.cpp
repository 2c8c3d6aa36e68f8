/// The library kernels "expand", "reshape", "shape" and "dim".
///
/// expand: x, shape as a tensor (which takes precedence); shape, where -1 keeps the dim. reshape: x, shape as
/// a tensor (which takes precedence); shape, where 0 copies a dim and one -1 is inferred. shape: x; the dims
/// as the output's dtype. dim: x; index.
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/tensor/StridedCopy.h"

#include "dialects/pd/ops/shape/Shape.kernels.inc"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace proa::runtime {
namespace {

/// The attribute, or the integers of input 1 where it is there.
Result<std::vector<int64_t>> argument(const Call &call, const std::vector<int64_t> &attribute) {
  return call.input(1) ? integersOf(call.input(1)) : Result<std::vector<int64_t>>(attribute);
}

Result<void> expand(Call &call, const std::vector<int64_t> &attribute) {
  const View &x = call.input(0);
  Result<std::vector<int64_t>> shape = argument(call, attribute);
  if (!shape)
    return shape.diagnostics();
  bool fits = shape->size() >= x.rank();
  size_t shift = fits ? shape->size() - x.rank() : 0;
  std::vector<int64_t> strides = rowMajorStrides(x.dims), sourceStrides(shape->size(), 0);
  for (size_t i = 0; fits && i < x.rank(); ++i) {
    int64_t &dim = (*shape)[shift + i];
    if (dim == -1)
      dim = x.dims[i];
    fits = dim == x.dims[i] || x.dims[i] == 1;
    sourceStrides[shift + i] = x.dims[i] == 1 ? 0 : strides[i];
  }
  fits = fits && std::all_of(shape->begin(), shape->end(), [](int64_t dim) { return dim >= 0; });
  if (!fits)
    return failure("cannot expand [{}] to [{}]", fmt::join(x.dims, ", "), fmt::join(*shape, ", "));
  Result<View> out = call.output(0, *shape);
  if (!out)
    return out.diagnostics();
  stridedCopy(sizeOf(x.dtype), *shape, x.data, sourceStrides, out->data, rowMajorStrides(*shape));
  return {};
}

Result<void> reshape(Call &call, const std::vector<int64_t> &attribute) {
  const View &x = call.input(0);
  Result<std::vector<int64_t>> shape = argument(call, attribute);
  if (!shape)
    return shape.diagnostics();
  std::vector<int64_t> dims = *shape;
  int64_t known = 1;
  size_t open = SIZE_MAX;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && i < x.rank())
      dims[i] = x.dims[i];
    if (dims[i] == -1 && open == SIZE_MAX)
      open = i;
    else
      known *= dims[i];
  }
  if (open != SIZE_MAX)
    dims[open] = known == 0 ? 0 : x.size() / known;
  // A shape that was computed may hold the dim 0 itself.
  if (elementCount(dims) != x.size() && elementCount(*shape) == x.size())
    dims = *shape;
  if (elementCount(dims) != x.size())
    return failure("cannot reshape [{}] to [{}]", fmt::join(x.dims, ", "), fmt::join(*shape, ", "));
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  if (!call.outputIsAlias(0) && x.size() != 0)
    std::memcpy(out->data, x.data, static_cast<size_t>(x.size()) * sizeOf(x.dtype));
  return {};
}

Result<void> writeIntegers(const View &out, std::span<const int64_t> values) {
  bool known = dispatchIndex(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i < values.size(); ++i)
      out.as<T>()[i] = static_cast<T>(values[i]);
  });
  if (!known)
    return failure("expected a result of int32 or int64, found {}", nameOf(out.dtype));
  return {};
}

template <class Body>
Result<std::unique_ptr<LibraryKernel>> withList(const KernelRequest &request,
                                                const std::vector<int64_t> &list, Body body) {
  Checks checks(request);
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([list, body](Call &call) { return body(call, list); });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeExpand(const ExpandAttributes &op, const KernelRequest &request) {
  return withList(request, op.shape, expand);
}
Result<std::unique_ptr<LibraryKernel>> makeReshape(const ReshapeAttributes &op,
                                                   const KernelRequest &request) {
  return withList(request, op.shape, reshape);
}

Result<std::unique_ptr<LibraryKernel>> makeShape(const ShapeAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([](Call &call) -> Result<void> {
    const int64_t rank[] = {static_cast<int64_t>(call.input(0).rank())};
    Result<View> out = call.output(0, rank);
    return out ? writeIntegers(*out, call.input(0).dims) : Result<void>(out.diagnostics());
  });
}

Result<std::unique_ptr<LibraryKernel>> makeDim(const DimAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  int64_t index = op.index;
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([index](Call &call) -> Result<void> {
    Result<size_t> axis = normalizeAxis(index, call.input(0).rank());
    if (!axis)
      return axis.diagnostics();
    Result<View> out = call.output(0, {});
    return out ? writeIntegers(*out, call.input(0).dims.subspan(*axis, 1)) : Result<void>(out.diagnostics());
  });
}

} // namespace proa::runtime
