/// The library kernels "grouped_matmul" and "grouped_matmul_y_grad": a matmul for each group of rows.
/// dialects/pd/ops/linalg/Grouped.td says what they compute.
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/matmul/Matmul.h"

#include "dialects/pd/ops/linalg/Grouped.kernels.inc"

#include <cstring>

namespace proa::runtime {
namespace {

/// The sizes of the groups. Error: one is negative, or there are more than `rows` rows in all.
Result<std::vector<int64_t>> groupSizesOf(const View &view, int64_t rows) {
  Result<std::vector<int64_t>> sizes = integersOf(view);
  int64_t sum = 0;
  for (size_t group = 0; sizes && group < sizes->size(); ++group) {
    int64_t size = (*sizes)[group];
    if (size < 0 || size > rows - sum) {
      bool fits = size <= INT64_MAX - sum; // the sum is a number
      auto end = fits ? std::optional(size < 0 ? size : sum + size) : std::nullopt;
      return failure("{}", wrongSizeText(end, static_cast<int64_t>(group), rows));
    }
    sum += size;
  }
  return sizes;
}

std::byte *elementAt(const View &view, int64_t index) {
  return view.as<std::byte>() + static_cast<size_t>(index) * sizeOf(view.dtype);
}

/// A row-major matrix, or its transpose.
StridedOperand matrix(int64_t rows, int64_t columns, bool transposed = false) {
  return {{rows, columns}, transposed ? std::vector<int64_t>{1, rows} : std::vector<int64_t>{columns, 1}};
}

/// By oneDNN, which multiplies bfloat16 without wider copies; false where it has no fast code.
bool multiplyByOneDnn(Call &call, DType dtype, const MatmulGeometry &geometry, const MatmulTensors &tensors) {
  // Below, creating the primitive for the dims of a group takes longer than copies.
  constexpr double leastProducts = 1 << 22;
  double products = static_cast<double>(geometry.rows()) * static_cast<double>(geometry.columns()) *
                    static_cast<double>(geometry.inner());
  if (dtype != DType::BFloat16 || products < leastProducts)
    return false;
  auto plan = MatmulPlan::create(dtype, MatmulConfig(), geometry, {}, {});
  if (!plan || plan->isSlow())
    return false;
  std::unique_ptr<Execution> execution = plan->execution();
  execution->set(0, const_cast<void *>(tensors.x));
  execution->set(1, const_cast<void *>(tensors.y));
  execution->set(2, tensors.out);
  execution->run(execution->scratchBytes() == 0 ? nullptr : call.scratch(execution->scratchBytes()));
  return true;
}

/// out = x y. No tensor is empty.
Result<void> multiply(Call &call, DType dtype, StridedOperand x, StridedOperand y,
                      const MatmulTensors &tensors) {
  MatmulGeometry geometry;
  geometry.out = matrix(x.dims[0], y.dims[1]);
  geometry.outDims = geometry.out.dims;
  geometry.x = std::move(x);
  geometry.y = std::move(y);
  if (multiplyByOneDnn(call, dtype, geometry, tensors))
    return {};
  if (!hasBlasMatmul(dtype, geometry))
    return plainMatmul(dtype, geometry, /*alpha=*/1, tensors);
  blasMatmul(call, dtype, geometry, /*alpha=*/1, tensors);
  return {};
}

/// Calls `body(group, first, size)` for each group that has rows.
template <class Body> Result<void> forEachGroup(std::span<const int64_t> sizes, Body &&body) {
  int64_t first = 0;
  for (size_t group = 0; group < sizes.size(); first += sizes[group++])
    if (sizes[group] > 0)
      if (Result<void> done = body(static_cast<int64_t>(group), first, sizes[group]); !done)
        return done;
  return {};
}

Result<void> groupedMatmul(Call &call, bool transposeY) {
  const View &x = call.input(0), &y = call.input(1);
  int64_t rows = x.dims[0], inner = x.dims[1], columns = y.dims[transposeY ? 1 : 2];
  Result<std::vector<int64_t>> sizes = groupSizesOf(call.input(2), rows);
  if (!sizes)
    return sizes.diagnostics();
  if (sizes->size() != static_cast<size_t>(y.dims[0]) || y.dims[transposeY ? 2 : 1] != inner)
    return failure("x is {}, y {}, and there are {} sizes", describe(x.dtype, x.dims),
                   describe(y.dtype, y.dims), sizes->size());
  Result<View> out = call.output(0, std::vector<int64_t>{rows, columns});
  if (!out)
    return out.diagnostics();
  int64_t used = std::accumulate(sizes->begin(), sizes->end(), int64_t(0));
  int64_t zeros = inner == 0 ? 0 : used; // sums of nothing
  std::memset(elementAt(*out, zeros * columns), 0,
              static_cast<size_t>((rows - zeros) * columns) * sizeOf(out->dtype));
  if (inner == 0 || columns == 0)
    return {};
  return forEachGroup(*sizes, [&](int64_t group, int64_t first, int64_t size) {
    StridedOperand own = matrix(inner, columns, transposeY);
    return multiply(call, x.dtype, matrix(size, inner), std::move(own),
                    {elementAt(x, first * inner), elementAt(y, group * inner * columns),
                     elementAt(*out, first * columns)});
  });
}

Result<void> groupedMatmulYGrad(Call &call) {
  const View &x = call.input(0), &outGrad = call.input(1);
  int64_t rows = x.dims[0], inner = x.dims[1], columns = outGrad.dims[1];
  Result<std::vector<int64_t>> sizes = groupSizesOf(call.input(2), rows);
  if (!sizes)
    return sizes.diagnostics();
  if (outGrad.dims[0] != rows)
    return failure("x has {} rows, out_grad {}", rows, outGrad.dims[0]);
  auto groups = static_cast<int64_t>(sizes->size());
  Result<View> out = call.output(0, std::vector<int64_t>{groups, inner, columns});
  if (!out)
    return out.diagnostics();
  int64_t elements = inner * columns;
  for (int64_t group = 0; group < groups; ++group)
    if ((*sizes)[static_cast<size_t>(group)] == 0)
      std::memset(elementAt(*out, group * elements), 0, static_cast<size_t>(elements) * sizeOf(out->dtype));
  if (elements == 0)
    return {};
  return forEachGroup(*sizes, [&](int64_t group, int64_t first, int64_t size) {
    return multiply(call, x.dtype, matrix(inner, size, /*transposed=*/true), matrix(size, columns),
                    {elementAt(x, first * inner), elementAt(outGrad, first * columns),
                     elementAt(*out, group * elements)});
  });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeGroupedMatmul(const GroupedMatmulAttributes &op,
                                                         const KernelRequest &request) {
  return makeKernel([transposeY = op.transposeY](Call &call) { return groupedMatmul(call, transposeY); });
}
Result<std::unique_ptr<LibraryKernel>> makeGroupedMatmulYGrad(const GroupedMatmulYGradAttributes &op,
                                                              const KernelRequest &request) {
  return makeKernel(groupedMatmulYGrad);
}

} // namespace proa::runtime
