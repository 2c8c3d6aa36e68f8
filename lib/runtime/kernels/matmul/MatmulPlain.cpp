#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/Vectors.h"
#include "lib/runtime/kernels/matmul/Matmul.h"
#include "lib/runtime/kernels/matmul/PanelGemm.h"

#include <algorithm>

namespace proa::runtime {
namespace {

/// The type of the sums: integers modulo 2^32 or 2^64, and float for the 16-bit floats.
template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>,
                               Wide<T>>;

/// Rows of y that are added to the sums at once.
constexpr int64_t rowsAtOnce = 8;

/// sums[n] += the sum of factors[k] * lines[k][n] over `rowsAtOnce` k.
template <class T>
PROA_VECTOR_INLINE void addRows(const Sum<T> *factors, const T *lines, int64_t lineStride, int64_t columns,
                                Sum<T> *sums) {
  for (int64_t n = 0; n < columns; ++n) {
    Sum<T> sum = sums[n];
#pragma GCC unroll 8
    for (int64_t k = 0; k < rowsAtOnce; ++k)
      sum += factors[k] * static_cast<Sum<T>>(lines[k * lineStride + n]);
    sums[n] = sum;
  }
}

template <class T> struct PlainGemm {
  const MatmulGeometry &g;
  Sum<T> alpha;
  const T *x, *y;
  T *out;

  /// One row of the result. Goes along the rows of y, whose elements are usually neighbours.
  void row(int64_t flat, std::vector<Sum<T>> &sums) const {
    int64_t xAt = 0, yAt = 0, outAt = 0, rest = flat;
    for (size_t axis = g.rank() - 1; axis-- > 0; rest /= g.out.dims[axis]) {
      int64_t index = rest % g.out.dims[axis];
      bool batch = axis + 2 < g.rank();
      xAt += g.x.dims[axis] == 1 ? 0 : index * g.x.strides[axis];
      yAt += !batch || g.y.dims[axis] == 1 ? 0 : index * g.y.strides[axis];
      outAt += index * g.out.strides[axis];
    }
    size_t last = g.rank() - 1;
    int64_t columns = g.columns(), columnStride = g.y.strides[last];
    std::fill(sums.begin(), sums.end(), Sum<T>());
    int64_t k = 0;
    if constexpr (std::is_integral_v<T>)
      for (; columnStride == 1 && k + rowsAtOnce <= g.inner(); k += rowsAtOnce) {
        Sum<T> factors[rowsAtOnce];
        for (int64_t i = 0; i < rowsAtOnce; ++i)
          factors[i] = static_cast<Sum<T>>(x[xAt + (k + i) * g.x.strides[last]]);
        int64_t lineStride = g.y.strides[last - 1];
        runVectors<addRows<T>>(factors, y + yAt + k * lineStride, lineStride, columns, sums.data());
      }
    for (; k < g.inner(); ++k) {
      auto factor = static_cast<Sum<T>>(x[xAt + k * g.x.strides[last]]);
      const T *line = y + yAt + k * g.y.strides[last - 1];
      if (columnStride == 1)
        for (int64_t n = 0; n < columns; ++n)
          sums[static_cast<size_t>(n)] += factor * static_cast<Sum<T>>(line[n]);
      else
        for (int64_t n = 0; n < columns; ++n)
          sums[static_cast<size_t>(n)] += factor * static_cast<Sum<T>>(line[n * columnStride]);
    }
    for (int64_t n = 0; n < columns; ++n)
      out[outAt + n * g.out.strides[last]] = static_cast<T>(alpha * sums[static_cast<size_t>(n)]);
  }
};

//===-- one row -----------------------------------------------------------------------------------------===//

/// Columns [0, columns) of a row times a matrix, whose element [k, column] lies at y[k * stride + column].
struct RowProduct {
  const float *x, *y;
  int64_t inner, columns, stride;
  float alpha;
  float *out;
};

/// out += the sum of `lines` lines of y, each times its element of x: streams that the processor fetches side
/// by side.
template <int lines> PROA_VECTOR_INLINE void addLines(const RowProduct &row, int64_t k) {
  const float *y = row.y + k * row.stride;
  float factors[lines];
  std::memcpy(factors, row.x + k, sizeof(factors));
  int64_t n = 0;
  for (; n + vectorSize <= row.columns; n += vectorSize) {
    Vector sum, line;
    std::memcpy(&sum, row.out + n, sizeof(sum));
#pragma GCC unroll 8
    for (int i = 0; i < lines; ++i) {
      std::memcpy(&line, y + i * row.stride + n, sizeof(line));
      sum += factors[i] * line;
    }
    std::memcpy(row.out + n, &sum, sizeof(sum));
  }
  for (; n < row.columns; ++n)
    for (int i = 0; i < lines; ++i)
      row.out[n] += factors[i] * y[i * row.stride + n];
}

PROA_VECTOR_INLINE static void multiplyByLines(const RowProduct &row) {
  constexpr int64_t lines = 8;
  std::fill_n(row.out, row.columns, 0.0f);
  int64_t k = 0;
  for (; k + lines <= row.inner; k += lines)
    addLines<lines>(row, k);
  for (; k < row.inner; ++k)
    addLines<1>(row, k);
  if (row.alpha != 1)
    for (int64_t n = 0; n < row.columns; ++n)
      row.out[n] *= row.alpha;
}

/// Whether the elements along an axis lie side by side.
bool isAdjacent(const StridedOperand &operand, size_t axis) {
  return operand.dims[axis] == 1 || operand.strides[axis] == 1;
}

} // namespace

bool isRowMatmul(DType dtype, const MatmulGeometry &g) {
  size_t last = g.rank() - 1;
  return dtype == DType::Float32 && prefersPanels() && g.rows() == 1 && g.columns() >= vectorSize &&
         isAdjacent(g.x, last) && isAdjacent(g.out, last) && isAdjacent(g.y, last);
}

void rowMatmul(const MatmulGeometry &g, float alpha, const MatmulTensors &tensors) {
  // Short pieces of lines are fetched too late, and many sums do not fit the first-level cache.
  constexpr int64_t leastColumns = 256, mostColumns = 8192;
  constexpr double bytesPerNanosecond = 30; // read by one core
  size_t last = g.rank() - 1;
  int64_t matrices = 1;
  for (size_t axis = 0; axis + 1 < last; ++axis)
    matrices *= g.out.dims[axis];
  double nanoseconds = static_cast<double>(g.columns() * g.inner()) * sizeof(float) / bytesPerNanosecond;
  int64_t pieces = (g.columns() + leastColumns - 1) / leastColumns;
  int64_t workers = matrices > 1 ? 1 : workersFor(nanoseconds, pieces);
  int64_t columns = std::min((pieces + workers - 1) / workers * leastColumns, mostColumns);
  int64_t blocks = (g.columns() + columns - 1) / columns;
  parallelFor(matrices * blocks, grainFor(nanoseconds / static_cast<double>(blocks)),
              [&](int64_t begin, int64_t end) {
                for (int64_t item = begin; item < end; ++item) {
                  int64_t column = item % blocks * columns, xAt = 0, yAt = column, outAt = column,
                          rest = item / blocks;
                  for (size_t axis = last - 1; axis-- > 0; rest /= g.out.dims[axis]) {
                    int64_t index = rest % g.out.dims[axis];
                    xAt += g.x.dims[axis] == 1 ? 0 : index * g.x.strides[axis];
                    yAt += g.y.dims[axis] == 1 ? 0 : index * g.y.strides[axis];
                    outAt += index * g.out.strides[axis];
                  }
                  RowProduct row{static_cast<const float *>(tensors.x) + xAt,
                                 static_cast<const float *>(tensors.y) + yAt,
                                 g.inner(),
                                 std::min(columns, g.columns() - column),
                                 g.y.strides[last - 1],
                                 alpha,
                                 static_cast<float *>(tensors.out) + outAt};
                  runVectors<multiplyByLines>(row);
                }
              });
}

Result<void> plainMatmul(DType dtype, const MatmulGeometry &g, float alpha, const MatmulTensors &tensors) {
  bool known = dispatchAll(dtype, [&](auto zero) {
    using T = decltype(zero);
    // A negative float has no unsigned integer.
    using Factor = std::conditional_t<std::is_integral_v<T>, int64_t, Sum<T>>;
    PlainGemm<T> gemm{g, static_cast<Sum<T>>(static_cast<Factor>(alpha)), static_cast<const T *>(tensors.x),
                      static_cast<const T *>(tensors.y), static_cast<T *>(tensors.out)};
    int64_t rows = 1;
    for (size_t axis = 0; axis + 1 < g.rank(); ++axis)
      rows *= g.out.dims[axis];
    int64_t perRow = g.columns() * std::max<int64_t>(1, g.inner());
    if (g.columns() == 0)
      return;
    parallelFor(rows, 1 + 20000 / perRow, [&](int64_t begin, int64_t end) {
      std::vector<Sum<T>> sums(static_cast<size_t>(g.columns()));
      for (int64_t row = begin; row < end; ++row)
        gemm.row(row, sums);
    });
  });
  if (!known)
    return failure("a matmul of {} is not supported", nameOf(dtype));
  return {};
}

} // namespace proa::runtime
