#include "lib/runtime/kernels/matmul/PanelGemm.h"

#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/common/Vectors.h"

#include <algorithm>

namespace proa::runtime {

constexpr int64_t panelWidth = PanelLayout::panelWidth;
static_assert(panelWidth == vectorSize);

/// A tile of the result and its factors.
struct PanelTile {
  const float *x;
  int64_t xStride;
  const float *panel;
  int64_t inner;
  float *out;
  int64_t outStride, columns;
  const float *bias; ///< of the columns; null: zero
  bool accumulates;
  bool hasNext; ///< whether another panel follows in memory
};

namespace {

/// The next panel after the panel of a tile. Each tile fetches a share of it into the second-level cache: the
/// processor's own prefetching starts again with each tile.
struct Ahead {
  static constexpr int64_t step = 32; ///< terms of the sums between two prefetches
  const float *next;
  int64_t lines = 0; ///< of panelWidth floats, in a step

  PROA_VECTOR_INLINE Ahead(const PanelTile &tile, int64_t tiles)
      : next(tile.panel + tile.inner * panelWidth) {
    if (tile.hasNext)
      lines = (step + tiles - 1) / tiles;
  }
  PROA_VECTOR_INLINE void fetch() {
    for (int64_t line = 0; line < lines; ++line, next += panelWidth)
      __builtin_prefetch(next, 0, 2);
  }
};

/// Hands rows of a panel that are computed to `finish`, while they are in the first-level cache.
struct Finished {
  static constexpr int64_t fewRows = 48;
  const PanelGemm::Finish *finish; ///< null: nobody waits for them
  PanelGemm::Block block;          ///< rows that are not handed on

  PROA_VECTOR_INLINE void add(int64_t rows) {
    block.rows += rows;
    if (block.rows >= fewRows)
      flush();
  }
  PROA_VECTOR_INLINE void flush() {
    if (finish && block.rows > 0)
      (*finish)(block);
    block.row += block.rows;
    block.rows = 0;
  }
};

/// The number of partial sums of each element of a tile of `Rows` rows: additions do not wait for each other,
/// and all sums stay in registers.
template <int Rows, bool Wide>
constexpr int splits = Wide        ? std::max(1, 8 / Rows)
                       : Rows == 1 ? 4
                       : Rows <= 3 ? 2
                                   : 1;

/// Floats between what a tile reads and what it fetches, where it reads its panel alone.
constexpr int64_t fetchDistance = 512;

/// Adds the terms from `first` to before `last`.
template <int Rows, int Splits, bool Fetches = false>
PROA_VECTOR_INLINE void addTerms(const PanelTile &tile, int64_t first, int64_t last,
                                 Vector (&sums)[Splits][Rows]) {
  const float *y = tile.panel + first * panelWidth;
#pragma GCC unroll 4
  for (int64_t k = first; k < last; k += Splits, y += Splits * panelWidth)
    for (int split = 0; split < Splits; ++split) {
      if constexpr (Fetches)
        __builtin_prefetch(y + split * panelWidth + fetchDistance, 0, 3);
      Vector line;
      std::memcpy(&line, y + split * panelWidth, sizeof(Vector));
      for (int row = 0; row < Rows; ++row)
        sums[split][row] += tile.x[row * tile.xStride + k + split] * line;
    }
}

/// Stores the sums, with the bias and what was in the result.
template <int Rows> PROA_VECTOR_INLINE void storeSums(const PanelTile &tile, const Vector (&sums)[Rows]) {
  Vector bias{};
  if (tile.bias)
    load(tile.bias, tile.columns, bias);
  // Only copies have an address, which would keep `sums` out of registers.
  if (tile.columns < panelWidth) {
    Vector stored[Rows];
#pragma GCC unroll 16
    for (int row = 0; row < Rows; ++row)
      stored[row] = sums[row] + bias;
    for (int row = 0; row < Rows; ++row) {
      float *out = tile.out + row * tile.outStride;
      Vector before{};
      if (tile.accumulates)
        load(out, tile.columns, before);
      store(stored[row] + before, tile.columns, out);
    }
    return;
  }
  if (tile.accumulates) {
#pragma GCC unroll 16
    for (int row = 0; row < Rows; ++row) {
      Vector before;
      std::memcpy(&before, tile.out + row * tile.outStride, sizeof(Vector));
      Vector sum = sums[row] + (before + bias);
      std::memcpy(tile.out + row * tile.outStride, &sum, sizeof(Vector));
    }
    return;
  }
#pragma GCC unroll 16
  for (int row = 0; row < Rows; ++row) {
    Vector sum = sums[row] + bias;
    std::memcpy(tile.out + row * tile.outStride, &sum, sizeof(Vector));
  }
}

/// `ahead`: null for a tile that reads its panel alone.
template <int Rows, bool Wide> PROA_VECTOR_INLINE void multiplyTile(const PanelTile &tile, Ahead *ahead) {
  constexpr int chains = splits<Rows, Wide>;
  Vector sums[chains][Rows] = {};
  int64_t whole = tile.inner / chains * chains, step = !ahead || ahead->lines == 0 ? whole : Ahead::step;
  if (!ahead && tile.hasNext)
    addTerms<Rows, chains, /*Fetches=*/true>(tile, 0, whole, sums);
  else if (!ahead)
    addTerms<Rows, chains>(tile, 0, whole, sums);
  else
    for (int64_t first = 0; first < whole; first += step) {
      ahead->fetch();
      addTerms<Rows, chains>(tile, first, std::min(whole, first + step), sums);
    }
  if constexpr (chains > 1) {
    Vector rest[1][Rows] = {};
    addTerms<Rows, 1>(tile, whole, tile.inner, rest);
    for (int row = 0; row < Rows; ++row) {
      for (int chain = 1; chain < chains; ++chain)
        sums[0][row] += sums[chain][row];
      sums[0][row] += rest[0][row];
    }
  }
  storeSums<Rows>(tile, sums[0]);
}

/// Tiles of `Rows` rows one below the other, down to `least` rows.
template <int Rows, bool Wide>
PROA_VECTOR_INLINE void multiplyRows(PanelTile &tile, int64_t &rows, Ahead &ahead, Finished &finished,
                                     int64_t least = 0) {
  for (; rows >= Rows && rows > least; rows -= Rows) {
    multiplyTile<Rows, Wide>(tile, &ahead);
    tile.x += Rows * tile.xStride;
    tile.out += Rows * tile.outStride;
    finished.add(Rows);
  }
}

template <bool Wide> PROA_VECTOR_INLINE void multiplyPanel(PanelTile tile, int64_t rows, Finished finished) {
  constexpr int height = Wide ? 12 : 6;
  Ahead ahead(tile, (rows + height - 1) / height);
  if constexpr (Wide) {
    multiplyRows<12, Wide>(tile, rows, ahead, finished);
    multiplyRows<6, Wide>(tile, rows, ahead, finished);
  } else {
    // The sums of four rows wait for each other, the sums of five do not.
    multiplyRows<6, Wide>(tile, rows, ahead, finished, rows % 6 == 4 ? 10 : 0);
    multiplyRows<5, Wide>(tile, rows, ahead, finished);
  }
  multiplyRows<4, Wide>(tile, rows, ahead, finished);
  if constexpr (!Wide)
    multiplyRows<3, Wide>(tile, rows, ahead, finished);
  multiplyRows<2, Wide>(tile, rows, ahead, finished);
  multiplyRows<1, Wide>(tile, rows, ahead, finished);
  finished.flush();
}

/// Panels that `Rows` rows multiply at once: a panel alone is one stream of memory, which the processor
/// fetches too late. Their sums and a line fit the 16 registers of AVX2.
template <int Rows> constexpr int panelsAbreast = Rows == 1 ? 4 : 2;

/// Panels side by side, by all rows. Each column is one sum in the order of the terms, however many panels
/// there are: equal columns give equal results.
template <int Rows, int Panels> PROA_VECTOR_INLINE void multiplyAbreast(PanelTile tile, int64_t columns) {
  Vector sums[Panels][Rows] = {};
  const float *y = tile.panel;
  const int64_t inner = tile.inner, stride = inner * panelWidth;
  for (int64_t k = 0; k < inner; ++k, y += panelWidth)
    for (int panel = 0; panel < Panels; ++panel) {
      Vector line;
      std::memcpy(&line, y + panel * stride, sizeof(Vector));
      for (int row = 0; row < Rows; ++row)
        sums[panel][row] += tile.x[row * tile.xStride + k] * line;
    }
#pragma GCC unroll 4
  for (int panel = 0; panel < Panels; ++panel) {
    if (panel + 1 == Panels)
      tile.columns = columns - panel * panelWidth; // the last one may be narrower
    storeSums<Rows>(tile, sums[panel]);
    tile.out += panelWidth;
    if (tile.bias)
      tile.bias += panelWidth;
  }
}

/// The panels of at most `Panels` that have columns.
template <int Rows, int Panels> PROA_VECTOR_INLINE void multiplyUpTo(const PanelTile &tile, int64_t columns) {
  if constexpr (Panels > 1)
    if (columns <= (Panels - 1) * panelWidth)
      return multiplyUpTo<Rows, Panels - 1>(tile, columns);
  multiplyAbreast<Rows, Panels>(tile, columns);
}

/// A block of `Rows` rows.
template <int Rows>
PROA_VECTOR_INLINE void multiplyFewRows(PanelTile tile, PanelGemm::Block block,
                                        const PanelGemm::Finish *finish) {
  constexpr int64_t width = panelsAbreast<Rows> * panelWidth;
  for (int64_t end = block.column + block.columns; block.column < end; block.column += width) {
    block.columns = std::min(width, end - block.column);
    multiplyUpTo<Rows, panelsAbreast<Rows>>(tile, block.columns);
    tile.panel += width * tile.inner;
    tile.out += width;
    if (tile.bias)
      tile.bias += width;
    if (finish)
      (*finish)(block);
  }
}

/// A panel that is read once, by one tile.
template <int Rows> PROA_VECTOR_INLINE void multiplyOnce(const PanelTile &tile, Finished finished) {
  multiplyTile<Rows, false>(tile, nullptr);
  finished.add(Rows);
  finished.flush();
}

PROA_VECTOR_INLINE void multiplyNarrow(const PanelTile &tile, int64_t rows, Finished finished) {
  switch (rows) {
  case 1:
    return multiplyOnce<1>(tile, finished);
  case 2:
    return multiplyOnce<2>(tile, finished);
  case 3:
    return multiplyOnce<3>(tile, finished);
  case 4:
    return multiplyOnce<4>(tile, finished);
  case 5:
    return multiplyOnce<5>(tile, finished);
  default:
    return multiplyPanel<false>(tile, rows, finished);
  }
}

/// Panels of a block that a thread computes at a time: they, and the rows of x, fit the second-level cache.
constexpr int64_t panelsOfBlock = 16;
/// Bytes of a block of x.
constexpr int64_t cachedBytes = 256 << 10;

/// Rows of each block of a GEMM, whose rows are cut into nearly equal blocks.
int64_t blockRows(const PanelGemm &gemm) {
  constexpr int64_t tileRows = 6;
  int64_t inner = std::min(gemm.layout.inner, PanelLayout::blockInner);
  int64_t most = std::max<int64_t>(cachedBytes / (std::max<int64_t>(inner, 1) * int64_t(sizeof(float))), 24);
  int64_t blocks = (gemm.rows + most - 1) / most, rows = (gemm.rows + blocks - 1) / blocks;
  return (rows + tileRows - 1) / tileRows * tileRows;
}

} // namespace

PROA_VECTOR_INLINE static void multiplyBlock(const PanelGemm &gemm, const PanelGemm::Block &block, bool wide,
                                             const PanelGemm::Finish *finish) {
  const PanelLayout &layout = gemm.layout;
  for (int64_t first = 0; first == 0 || first < layout.inner; first += PanelLayout::blockInner) {
    int64_t height = std::min(PanelLayout::blockInner, layout.inner - first);
    const float *panels = gemm.panels + first * layout.panels() * panelWidth;
    auto tileAt = [&](int64_t column) {
      return PanelTile{gemm.x + block.row * gemm.xStride + first,
                       gemm.xStride,
                       panels + column * height,
                       height,
                       gemm.out + block.row * gemm.outStride + column,
                       gemm.outStride,
                       std::min(panelWidth, block.column + block.columns - column),
                       gemm.bias && first == 0 ? gemm.bias + column : nullptr,
                       gemm.accumulates || first > 0,
                       layout.panels() > 1};
    };
    const PanelGemm::Finish *last = first + height >= layout.inner ? finish : nullptr;
    if (!wide && layout.panels() > 1 && block.rows <= 2) {
      if (block.rows == 1)
        multiplyFewRows<1>(tileAt(block.column), block, last);
      else
        multiplyFewRows<2>(tileAt(block.column), block, last);
      continue;
    }
    for (int64_t column = block.column; column < block.column + block.columns; column += panelWidth) {
      PanelTile tile = tileAt(column);
      Finished finished{last, {block.row, 0, column, tile.columns}};
      if (wide)
        multiplyPanel<true>(tile, block.rows, finished);
      else
        multiplyNarrow(tile, block.rows, finished);
    }
  }
}

void PanelLayout::pack(const float *matrix, int64_t innerStride, int64_t columnStride, float *to) const {
  for (int64_t first = 0; first < inner; first += blockInner) {
    int64_t height = std::min(blockInner, inner - first);
    const float *block = matrix + first * innerStride;
    float *toBlock = to + first * panels() * panelWidth;
    parallelFor(panels(), 1 + 20000 / (height * panelWidth), [&](int64_t begin, int64_t end) {
      for (int64_t panel = begin; panel < end; ++panel) {
        int64_t left = panel * panelWidth, width = std::min(panelWidth, columns - left);
        float *line = toBlock + left * height;
        for (int64_t k = 0; k < height; ++k, line += panelWidth) {
          for (int64_t column = 0; column < width; ++column)
            line[column] = block[k * innerStride + (left + column) * columnStride];
          std::fill(line + width, line + panelWidth, 0.0f);
        }
      }
    });
  }
}

bool prefersPanels() { return keepsTilesInRegisters && !packsMatrices(); }

void multiplyPanels(const PanelGemm &gemm, const PanelGemm::Block &block, bool wide,
                    const PanelGemm::Finish *finish) {
  runVectors<multiplyBlock>(gemm, block, wide, finish);
}

void PanelGemm::run(const Finish *finish) const {
  constexpr double operationsPerNanosecond = 80; // one core with AVX2
  static const bool wide = hasWideVectors();
  if (rows == 0 || layout.columns == 0)
    return;
  int64_t height = blockRows(*this), panels = layout.panels(), blocks = (rows + height - 1) / height;
  double nanoseconds =
      2.0 * static_cast<double>(std::min(height, rows) * panelWidth * layout.inner) / operationsPerNanosecond;
  parallelFor(blocks * panels, grainFor(nanoseconds), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      int64_t first = begin, count = std::min({end - begin, panels - begin % panels, panelsOfBlock});
      if (backward) {
        first = std::max({begin, (end - 1) / panels * panels, end - panelsOfBlock});
        count = end - first;
      }
      int64_t row = first / panels * height, panel = first % panels;
      Block block{row, std::min(height, rows - row), panel * panelWidth, 0};
      block.columns = std::min(count * panelWidth, layout.columns - block.column);
      multiplyPanels(*this, block, wide, finish);
      (backward ? end : begin) += backward ? -count : count;
    }
  });
}

} // namespace proa::runtime
