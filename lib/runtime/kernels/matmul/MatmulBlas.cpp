#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/HalfVectors.h"
#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/linalg/Lapack.h"
#include "lib/runtime/kernels/matmul/Matmul.h"
#include "lib/runtime/kernels/tensor/StridedCopy.h"

#include <limits>

namespace proa::runtime {
namespace {

/// How BLAS, told that matrices are row-major, reads the last two axes of an operand.
struct BlasOrder {
  bool transposed;
  int64_t leading;
};

/// Nothing where neither axis has its elements side by side.
std::optional<BlasOrder> orderOf(const StridedOperand &operand) {
  size_t last = operand.dims.size() - 1;
  int64_t rows = operand.dims[last - 1], columns = operand.dims[last];
  int64_t rowStride = operand.strides[last - 1], columnStride = operand.strides[last];
  if ((columns == 1 || columnStride == 1) && (rows == 1 || rowStride >= columns))
    return BlasOrder{false, rows == 1 ? columns : rowStride};
  if ((rows == 1 || rowStride == 1) && (columns == 1 || columnStride >= rows))
    return BlasOrder{true, columns == 1 ? rows : columnStride};
  return std::nullopt;
}

template <class From, class To> void convertElements(const From *from, int64_t count, To *to) {
  if constexpr (std::is_same_v<From, Float16> && std::is_same_v<To, float>)
    runVectors<widenHalves>(from, count, to);
  else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, Float16>)
    runVectors<narrowToHalves>(from, count, to);
  else
    std::transform(from, from + count, to, [](From value) { return static_cast<To>(value); });
}

/// A tensor of the matmul as BLAS takes it: in place, or as a row-major copy of elements of type C.
template <class C> struct Port {
  const StridedOperand &stored;
  bool converted; ///< the tensor has elements of another type
  StridedOperand seen;
  BlasOrder order{};
  bool copied;
  size_t convertedAt = 0, copiedAt = 0; ///< in the scratch memory
  C *data = nullptr;

  Port(const StridedOperand &operand, bool converted, ScratchPieces &pieces)
      : stored(operand), converted(converted), seen(operand), copied(!orderOf(operand)) {
    if (copied)
      seen.strides = rowMajorStrides(seen.dims);
    order = *orderOf(seen);
    size_t bytes = static_cast<size_t>(*elementCount(operand.dims)) * sizeof(C);
    if (converted)
      convertedAt = pieces.add(bytes);
    if (copied)
      copiedAt = pieces.add(bytes);
  }

  /// Elements of a permuted tensor lie side by side, so that all can be converted in the order of memory.
  template <class T> void read(const void *tensor, std::byte *scratch) {
    auto *from = static_cast<const T *>(tensor);
    data = const_cast<C *>(reinterpret_cast<const C *>(from));
    if (converted) {
      data = reinterpret_cast<C *>(scratch + convertedAt);
      parallelFor(*elementCount(stored.dims), 4096, [&](int64_t begin, int64_t end) {
        convertElements(from + begin, end - begin, data + begin);
      });
    }
    if (!copied)
      return;
    auto *copy = reinterpret_cast<C *>(scratch + copiedAt);
    stridedCopy(sizeof(C), stored.dims, data, stored.strides, copy, seen.strides);
    data = copy;
  }

  void beginWriting(void *tensor, std::byte *scratch) {
    data = copied      ? reinterpret_cast<C *>(scratch + copiedAt)
           : converted ? reinterpret_cast<C *>(scratch + convertedAt)
                       : static_cast<C *>(tensor);
  }
  template <class T> void finishWriting(void *tensor, std::byte *scratch) const {
    auto *from = converted ? reinterpret_cast<C *>(scratch + convertedAt) : static_cast<C *>(tensor);
    if (copied)
      stridedCopy(sizeof(C), stored.dims, data, seen.strides, from, stored.strides);
    if (converted)
      parallelFor(*elementCount(stored.dims), 4096, [&](int64_t begin, int64_t end) {
        convertElements(from + begin, end - begin, static_cast<T *>(tensor) + begin);
      });
  }

  /// Where the matrix for matrix `batch` of the result begins; an operand may have fewer matrices.
  C *matrix(int64_t batch, std::span<const int64_t> batches) const {
    C *at = data;
    for (size_t axis = batches.size(); axis-- > 0; batch /= batches[axis])
      if (seen.dims[axis] != 1)
        at += batch % batches[axis] * seen.strides[axis];
    return at;
  }
  /// The same matrix from a row or column on.
  C *from(C *matrix, int64_t row, int64_t column) const {
    return matrix + (order.transposed ? row + column * order.leading : row * order.leading + column);
  }
};

template <class C> struct BlasGemm {
  const MatmulGeometry &g;
  C alpha;
  const Port<C> &x, &y, &out;

  /// Rows [top, bottom) and columns [left, right) of one matrix.
  void multiply(int64_t batch, int64_t top, int64_t bottom, int64_t left, int64_t right) const {
    std::span<const int64_t> batches(g.out.dims.data(), g.rank() - 2);
    const C *a = x.from(x.matrix(batch, batches), top, 0), *b = y.from(y.matrix(batch, batches), 0, left);
    C *c = out.from(out.matrix(batch, batches), top, left);
    auto trans = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
    lapack_int rows = blasSize(bottom - top), columns = blasSize(right - left), inner = blasSize(g.inner()),
               aLeading = blasSize(x.order.leading), bLeading = blasSize(y.order.leading),
               cLeading = blasSize(out.order.leading);
    auto call = [&](auto one, auto zero) {
      // A result that is stored transposed is the matmul of the transposed operands.
      if (out.order.transposed)
        Lapack<C>::gemm(CblasRowMajor, trans(!y.order.transposed), trans(!x.order.transposed), columns, rows,
                        inner, one, b, bLeading, a, aLeading, zero, c, cLeading);
      else
        Lapack<C>::gemm(CblasRowMajor, trans(x.order.transposed), trans(y.order.transposed), rows, columns,
                        inner, one, a, aLeading, b, bLeading, zero, c, cLeading);
    };
    C zero{};
    if constexpr (isComplexType<C>)
      call(&alpha, &zero);
    else
      call(alpha, zero);
  }

  /// All of them, with the rows or the columns of all matrices shared among the threads.
  void run() const {
    bool byRows = g.rows() >= g.columns();
    int64_t lines = byRows ? g.rows() : g.columns(), across = byRows ? g.columns() : g.rows();
    int64_t count = *elementCount(g.out.dims) / (g.rows() * g.columns());
    parallelFor(count * lines, 1 + 100000 / (across * g.inner()), [&](int64_t begin, int64_t end) {
      while (begin < end) {
        int64_t batch = begin / lines, first = begin % lines, last = std::min(lines, first + end - begin);
        if (byRows)
          multiply(batch, first, last, 0, across);
        else
          multiply(batch, 0, across, first, last);
        begin += last - first;
      }
    });
  }
};

template <class T, class C>
void multiplyAll(Call &call, const MatmulGeometry &g, float alpha, const MatmulTensors &tensors) {
  useOneBlasThread();
  constexpr bool converted = !std::is_same_v<T, C>;
  ScratchPieces pieces;
  Port<C> x(g.x, converted, pieces), y(g.y, converted, pieces), out(g.out, converted, pieces);
  auto *scratch = pieces.bytes() == 0 ? nullptr : static_cast<std::byte *>(call.scratch(pieces.bytes()));
  x.template read<T>(tensors.x, scratch);
  y.template read<T>(tensors.y, scratch);
  out.beginWriting(tensors.out, scratch);
  BlasGemm<C>{g, static_cast<C>(alpha), x, y, out}.run();
  out.template finishWriting<T>(tensors.out, scratch);
}

} // namespace

bool hasBlasMatmul(DType dtype, const MatmulGeometry &g) {
  for (const StridedOperand *operand : {&g.x, &g.y, &g.out})
    if (*elementCount(operand->dims) == 0 || *elementCount(operand->dims) > std::numeric_limits<int>::max())
      return false;
  return dtype == DType::Float16 || dtype == DType::BFloat16 || dispatchLapack(dtype, [](auto) {});
}

void blasMatmul(Call &call, DType dtype, const MatmulGeometry &geometry, float alpha,
                const MatmulTensors &tensors) {
  if (dtype == DType::Float16)
    return multiplyAll<Float16, float>(call, geometry, alpha, tensors);
  if (dtype == DType::BFloat16)
    return multiplyAll<BFloat16, float>(call, geometry, alpha, tensors);
  dispatchLapack(dtype, [&](auto zero) {
    using T = decltype(zero);
    multiplyAll<T, T>(call, geometry, alpha, tensors);
  });
}

} // namespace proa::runtime
