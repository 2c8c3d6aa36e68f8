/// The library kernel "block_quantized_matmul"; dialects/pd/ops/linalg/BlockQuantized.td says what it
/// computes.
///
/// The codes of 16 columns are interleaved, so that a vector has one byte of each column, and become signed:
/// sums of them lose less than sums of numbers around 128. A product of few rows unpacks them in registers
/// and is as fast as they are read. A product of more rows unpacks a panel into the cache and multiplies all
/// rows by it.
#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/common/Vectors.h"
#include "lib/runtime/kernels/matmul/PanelGemm.h"

#include "dialects/pd/ops/linalg/BlockQuantized.kernels.inc"

#include <algorithm>

namespace proa::runtime {

/// A matrix [blocks * blockSize, columns] of codes of `bits` bits. Scales and zero points are [blocks,
/// columns]; without zero points they are `middle`.
struct BlockMatrix {
  int64_t blocks = 0, blockSize = 0, columns = 0, bits = 4;
  const int8_t *codes = nullptr; ///< less `middle`: [panels, bytes of a column, vectorSize]
  const float *scales = nullptr, *zeros = nullptr;

  int64_t perByte() const { return 8 / bits; }
  int64_t blockBytes() const { return blockSize / perByte(); }
  int64_t columnBytes() const { return blocks * blockBytes(); }
  int64_t panels() const { return (columns + vectorSize - 1) / vectorSize; }
  float middle() const { return static_cast<float>(1 << (bits - 1)); }
  int64_t inner() const { return blocks * blockSize; }
};

/// Rows of x, with zeros up to the end of the last block.
struct BlockRows {
  const float *x = nullptr; ///< [rows, inner]
  int64_t rows = 0, inner = 0;
};

/// Columns of x that are multiplied by an unpacked slice of a panel.
constexpr int64_t codesOfSlice = PanelLayout::blockInner;

/// Rows of x by slices of their columns, so that the rows of a tile do not share sets of the cache, as rows
/// of a power of two would.
struct SlicedRows {
  static constexpr int64_t stride = codesOfSlice + vectorSize;
  const float *x = nullptr; ///< [slices, rows, stride]
  int64_t rows = 0;

  static int64_t slices(int64_t inner) { return (inner + codesOfSlice - 1) / codesOfSlice; }
  const float *at(int64_t slice, int64_t row) const { return x + (slice * rows + row) * stride; }
};

namespace {

/// Products of up to this many rows unpack codes in registers.
constexpr int64_t mostRowsInRegisters = 8;
/// Rows that a panel is multiplied by while x is in the second-level cache.
constexpr int64_t rowsOfBlock = 240;

/// The factors of a block for the columns of a panel, and its zero points.
PROA_VECTOR_INLINE void loadFactors(const BlockMatrix &matrix, int64_t panel, int64_t block, Vector &scale,
                                    Vector &zero) {
  int64_t first = panel * vectorSize, count = std::min(vectorSize, matrix.columns - first);
  load(matrix.scales + block * matrix.columns + first, count, scale);
  if (matrix.zeros)
    load(matrix.zeros + block * matrix.columns + first, count, zero);
  zero = matrix.zeros ? zero - matrix.middle() : Vector{};
}

/// The first of two codes in the bytes.
PROA_VECTOR_INLINE IntVector lowHalf(IntVector bytes) { return bytes << 28 >> 28; }

/// Adds to each sum the products of a byte of codes: of one element of x, or of two.
template <int Rows, bool Halves, bool HasZeros>
PROA_VECTOR_INLINE void addProducts(const int8_t *codes, const float *x, int64_t inner, const Vector &zero,
                                    Vector *sums) {
  ByteVector bytes;
  std::memcpy(&bytes, codes, sizeof(bytes));
  IntVector wide = __builtin_convertvector(bytes, IntVector);
  Vector last = __builtin_convertvector(Halves ? wide >> 4 : wide, Vector);
  Vector first = Halves ? __builtin_convertvector(lowHalf(wide), Vector) : last;
  if constexpr (HasZeros) {
    last -= zero;
    first -= zero;
  }
  for (int row = 0; row < Rows; ++row) {
    sums[row] += x[row * inner] * first;
    if constexpr (Halves)
      sums[row] += x[row * inner + 1] * last;
  }
}

/// `Rows` rows of the result, from `row` on, in the columns of a panel.
template <int Rows, bool Halves, bool HasZeros>
PROA_VECTOR_INLINE void multiplyInRegisters(const BlockMatrix &matrix, const BlockRows &rows, int64_t row,
                                            int64_t panel, float *out) {
  constexpr int64_t perByte = Halves ? 2 : 1;
  constexpr int chains = Rows == 1 ? 4 : Rows == 2 ? 2 : 1; // additions do not wait for each other
  const int8_t *codes = matrix.codes + panel * matrix.columnBytes() * vectorSize;
  const float *x = rows.x + row * rows.inner;
  int64_t bytes = matrix.blockBytes();
  Vector results[Rows] = {};
  for (int64_t block = 0; block < matrix.blocks; ++block) {
    Vector terms[chains][Rows] = {}, scale, zero;
    loadFactors(matrix, panel, block, scale, zero);
    int64_t byte = 0;
    for (; byte + chains <= bytes; byte += chains, codes += chains * vectorSize, x += chains * perByte)
      for (int chain = 0; chain < chains; ++chain)
        addProducts<Rows, Halves, HasZeros>(codes + chain * vectorSize, x + chain * perByte, rows.inner, zero,
                                            terms[chain]);
    for (; byte < bytes; ++byte, codes += vectorSize, x += perByte)
      addProducts<Rows, Halves, HasZeros>(codes, x, rows.inner, zero, terms[0]);
    for (int r = 0; r < Rows; ++r) {
      Vector sum = terms[0][r];
      for (int chain = 1; chain < chains; ++chain)
        sum += terms[chain][r];
      results[r] += scale * sum;
    }
  }
  int64_t first = panel * vectorSize, count = std::min(vectorSize, matrix.columns - first);
  for (int r = 0; r < Rows; ++r) {
    Vector result = results[r];
    store(result, count, out + (row + r) * matrix.columns + first);
  }
}

template <bool Halves, bool HasZeros>
PROA_VECTOR_INLINE void multiplyAllInRegisters(const BlockMatrix &matrix, const BlockRows &rows,
                                               int64_t panel, float *out) {
  int64_t row = 0;
  for (; row + 4 <= rows.rows; row += 4)
    multiplyInRegisters<4, Halves, HasZeros>(matrix, rows, row, panel, out);
  if (row + 2 <= rows.rows) {
    multiplyInRegisters<2, Halves, HasZeros>(matrix, rows, row, panel, out);
    row += 2;
  }
  if (row < rows.rows)
    multiplyInRegisters<1, Halves, HasZeros>(matrix, rows, row, panel, out);
}

/// The bytes of a panel from `first` to before `last`, which is a slice of a block, as rows of floats.
template <bool Halves>
PROA_VECTOR_INLINE void unpackBytes(const BlockMatrix &matrix, int64_t panel, int64_t first, int64_t last,
                                    float *to) {
  const int8_t *codes = matrix.codes + (panel * matrix.columnBytes() + first) * vectorSize;
  Vector scale, zero;
  loadFactors(matrix, panel, first / matrix.blockBytes(), scale, zero);
  for (int64_t byte = first; byte < last; ++byte, codes += vectorSize) {
    ByteVector bytes;
    std::memcpy(&bytes, codes, sizeof(bytes));
    IntVector wide = __builtin_convertvector(bytes, IntVector);
    if constexpr (Halves) {
      Vector low = (__builtin_convertvector(lowHalf(wide), Vector) - zero) * scale,
             high = (__builtin_convertvector(wide >> 4, Vector) - zero) * scale;
      std::memcpy(to, &low, sizeof(low));
      std::memcpy(to + vectorSize, &high, sizeof(high));
      to += 2 * vectorSize;
    } else {
      Vector code = (__builtin_convertvector(wide, Vector) - zero) * scale;
      std::memcpy(to, &code, sizeof(code));
      to += vectorSize;
    }
  }
}

} // namespace

PROA_VECTOR_INLINE static void multiplyByCodes(const BlockMatrix &matrix, const BlockRows &rows,
                                               int64_t panel, float *out) {
  if (matrix.bits == 4 && matrix.zeros)
    multiplyAllInRegisters<true, true>(matrix, rows, panel, out);
  else if (matrix.bits == 4)
    multiplyAllInRegisters<true, false>(matrix, rows, panel, out);
  else if (matrix.zeros)
    multiplyAllInRegisters<false, true>(matrix, rows, panel, out);
  else
    multiplyAllInRegisters<false, false>(matrix, rows, panel, out);
}

PROA_VECTOR_INLINE static void unpackCodes(const BlockMatrix &matrix, int64_t panel, int64_t first,
                                           int64_t last, float *to) {
  if (matrix.bits == 4)
    unpackBytes<true>(matrix, panel, first, last, to);
  else
    unpackBytes<false>(matrix, panel, first, last, to);
}

namespace {

/// The codes [columns, bytes] of a matrix, interleaved.
void interleave(const uint8_t *codes, const BlockMatrix &matrix, int8_t *to) {
  int64_t bytes = matrix.columnBytes();
  uint8_t signs = matrix.bits == 4 ? 0x88 : 0x80;
  parallelFor(matrix.panels(), 1 + (1 << 16) / (bytes * vectorSize + 1), [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel) {
      int8_t *panelTo = to + panel * bytes * vectorSize;
      int64_t first = panel * vectorSize, count = std::min(vectorSize, matrix.columns - first);
      std::memset(panelTo, 0, static_cast<size_t>(bytes * vectorSize));
      for (int64_t column = 0; column < count; ++column)
        for (int64_t byte = 0; byte < bytes; ++byte)
          panelTo[byte * vectorSize + column] =
              static_cast<int8_t>(codes[(first + column) * bytes + byte] ^ signs);
    }
  });
}

/// Unpacks codes of a panel from byte `begin` of a column on, as long as they fit a slice. Returns the byte
/// after the last one.
int64_t unpackSlice(const BlockMatrix &matrix, int64_t panel, int64_t begin, float *to) {
  int64_t blockBytes = matrix.blockBytes(), perByte = matrix.perByte();
  int64_t end = std::min(matrix.columnBytes(), begin + codesOfSlice / perByte);
  for (int64_t byte = begin; byte < end;) {
    int64_t last = std::min((byte / blockBytes + 1) * blockBytes, end);
    runVectors<unpackCodes>(matrix, panel, byte, last, to);
    to += (last - byte) * perByte * vectorSize;
    byte = last;
  }
  return end;
}

/// A block of rows of x in the columns of a panel.
void multiplyPanel(const BlockMatrix &matrix, const SlicedRows &rows, int64_t firstRow, int64_t panel,
                   bool wide, float *out) {
  alignas(64) float unpacked[codesOfSlice * vectorSize];
  int64_t first = panel * vectorSize, columns = std::min(vectorSize, matrix.columns - first), slice = 0;
  PanelGemm gemm;
  gemm.panels = unpacked;
  gemm.rows = std::min(rowsOfBlock, rows.rows - firstRow);
  gemm.xStride = SlicedRows::stride;
  gemm.outStride = matrix.columns;
  gemm.out = out + firstRow * matrix.columns + first;
  for (int64_t byte = 0; byte < matrix.columnBytes(); ++slice) {
    gemm.x = rows.at(slice, firstRow);
    gemm.accumulates = byte > 0;
    int64_t end = unpackSlice(matrix, panel, byte, unpacked);
    gemm.layout = {(end - byte) * matrix.perByte(), columns};
    multiplyPanels(gemm, {0, gemm.rows, 0, columns}, wide);
    byte = end;
  }
}

class BlockQuantizedMatmul final : public LibraryKernel {
public:
  explicit BlockQuantizedMatmul(const BlockQuantizedMatmulAttributes &op)
      : blockSize(op.blockSize), bits(op.bits) {}

  Result<void> bind(std::span<const View> views, WeightStore &store) override {
    constants.reset(views[1].data, store);
    packed = nullptr;
    if (!constants.isConstant())
      return {};
    BlockMatrix matrix = matrixOf(views[1], views[2], {});
    packed = packedCodes(matrix, views[1]);
    return {};
  }

  Result<void> run(Call &call) const override;

private:
  BlockMatrix matrixOf(const View &codes, const View &scales, const View &zeros) const {
    BlockMatrix matrix;
    matrix.columns = codes.dims[0];
    matrix.bits = bits;
    matrix.blockSize = blockSize;
    matrix.blocks = codes.dims[1] / matrix.blockBytes();
    matrix.scales = scales.as<float>();
    matrix.zeros = zeros.as<float>();
    return matrix;
  }
  std::shared_ptr<const PackedTensor> packedCodes(const BlockMatrix &matrix, const View &codes) const {
    dnnl::memory::desc plain({matrix.columns, matrix.columnBytes()}, dnnl::memory::data_type::u8,
                             dnnl::memory::format_tag::ab);
    dnnl::memory::desc layout({matrix.panels(), matrix.columnBytes(), vectorSize},
                              dnnl::memory::data_type::u8, dnnl::memory::format_tag::abc);
    return constants.get({fmt::format("interleaved codes of {} bits", bits), plain, layout}, [&] {
      auto filled = std::make_shared<PackedTensor>(layout);
      interleave(codes.as<uint8_t>(), matrix, static_cast<int8_t *>(filled->data()));
      return filled;
    });
  }

  int64_t blockSize, bits;
  PackedCache constants; ///< of the codes
  std::shared_ptr<const PackedTensor> packed;
};

/// Copies rows of x, filled up with zeros to whole blocks.
void padRows(const float *x, int64_t inner, const BlockRows &rows, float *to) {
  for (int64_t row = 0; row < rows.rows; ++row, x += inner, to += rows.inner) {
    std::copy(x, x + inner, to);
    std::fill(to + inner, to + rows.inner, 0.0f);
  }
}

/// The same by slices.
void sliceRows(const float *x, int64_t inner, int64_t slices, int64_t rows, float *to) {
  parallelFor(slices * rows, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = i / rows * codesOfSlice, count = std::clamp<int64_t>(inner - first, 0, codesOfSlice);
      float *row = to + i * SlicedRows::stride;
      std::copy_n(x + i % rows * inner + first, count, row);
      std::fill(row + count, row + SlicedRows::stride, 0.0f);
    }
  });
}

/// The number of jobs of `work` codes each that are worth a thread.
int64_t grainOf(int64_t work) {
  constexpr double codesPerNanosecond = 8; // of one core
  return grainFor(static_cast<double>(work) / codesPerNanosecond);
}

/// out = x [count, inner] times the matrix; `scratch` has scratchFloats.
void multiplyFewRows(const BlockMatrix &matrix, const float *x, int64_t count, int64_t inner, float *scratch,
                     float *out) {
  BlockRows rows{x, count, matrix.inner()};
  if (inner != rows.inner) {
    padRows(x, inner, rows, scratch);
    rows.x = scratch;
  }
  parallelFor(matrix.panels(), grainOf(matrix.inner() * vectorSize), [&](int64_t begin, int64_t end) {
    for (int64_t panel = begin; panel < end; ++panel)
      runVectors<multiplyByCodes>(matrix, rows, panel, out);
  });
}

void multiplyManyRows(const BlockMatrix &matrix, const float *x, int64_t count, int64_t inner, float *scratch,
                      float *out) {
  static const bool wide = hasWideVectors();
  sliceRows(x, inner, SlicedRows::slices(matrix.inner()), count, scratch);
  SlicedRows rows{scratch, count};
  int64_t blocks = (count + rowsOfBlock - 1) / rowsOfBlock, panels = matrix.panels();
  int64_t work = matrix.inner() * vectorSize * std::min(count, rowsOfBlock) / 4;
  parallelFor(blocks * panels, grainOf(work), [&](int64_t begin, int64_t end) {
    for (int64_t job = begin; job < end; ++job)
      multiplyPanel(matrix, rows, job / panels * rowsOfBlock, job % panels, wide, out);
  });
}

int64_t scratchFloats(const BlockMatrix &matrix, int64_t count) {
  return count <= mostRowsInRegisters ? count * matrix.inner()
                                      : SlicedRows::slices(matrix.inner()) * count * SlicedRows::stride;
}

Result<void> BlockQuantizedMatmul::run(Call &call) const {
  const View &x = call.input(0), &codes = call.input(1);
  BlockMatrix matrix = matrixOf(codes, call.input(2), call.input(3));
  std::vector<int64_t> outDims(x.dims.begin(), x.dims.end());
  int64_t inner = outDims.back();
  outDims.back() = matrix.columns;
  bool fits = matrix.inner() >= inner && matrix.inner() - inner < blockSize &&
              call.input(2).size() == matrix.blocks * matrix.columns;
  if (!fits)
    return failure("x is {} and codes {}, for blocks of {} elements of {} bits", describe(x.dtype, x.dims),
                   describe(codes.dtype, codes.dims), blockSize, bits);
  Result<View> out = call.output(0, outDims);
  if (!out)
    return out.diagnostics();
  if (out->size() == 0 || inner == 0) {
    std::fill_n(out->as<float>(), out->size(), 0.0f);
    return {};
  }
  int64_t count = x.size() / inner;
  ScratchPieces pieces;
  size_t floats = pieces.add(static_cast<size_t>(scratchFloats(matrix, count)) * sizeof(float));
  size_t interleaved =
      pieces.add(packed ? 0 : static_cast<size_t>(matrix.panels() * matrix.columnBytes() * vectorSize));
  auto *scratch = static_cast<std::byte *>(call.scratch(pieces.bytes()));
  matrix.codes = packed ? static_cast<const int8_t *>(packed->data())
                        : reinterpret_cast<const int8_t *>(scratch + interleaved);
  if (!packed)
    interleave(codes.as<uint8_t>(), matrix, reinterpret_cast<int8_t *>(scratch + interleaved));
  auto multiply = count <= mostRowsInRegisters ? multiplyFewRows : multiplyManyRows;
  multiply(matrix, x.as<float>(), count, inner, reinterpret_cast<float *>(scratch + floats),
           out->as<float>());
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeBlockQuantizedMatmul(const BlockQuantizedMatmulAttributes &op,
                                                                const KernelRequest &request) {
  Checks checks(request);
  checks.expectDType(0, {DType::Float32});
  checks.expectDType(2, {DType::Float32});
  checks.expectDType(3, {DType::Float32});
  checks.expect((op.bits == 4 || op.bits == 8) && op.blockSize > 0 && op.blockSize * op.bits % 8 == 0,
                fmt::format("bits is {} and block_size {}, expected 4 or 8 bits, and blocks of whole bytes",
                            op.bits, op.blockSize));
  if (!checks.ok())
    return checks.diagnostics();
  return std::unique_ptr<LibraryKernel>(std::make_unique<BlockQuantizedMatmul>(op));
}

} // namespace proa::runtime
