/// GEMMs with float32 matrices in panels, written for processors without AVX-512: what oneDNN 2.6
/// uses there reads a matrix as it is and takes up to four times as long, depending on how rows map to
/// cache sets.
#pragma once

#include <cstdint>
#include <functional>

namespace proa::runtime {

/// A matrix [inner, columns] for the right side of a gemm. Its rows are cut into blocks; in a block each
/// panel of panelWidth columns, filled up with zeros, is one piece of memory, row by row.
struct PanelLayout {
  static constexpr int64_t panelWidth = 16;
  /// Rows of a block: as many of a left side's columns stay in the second-level cache beside a panel.
  static constexpr int64_t blockInner = 384;

  int64_t inner = 0, columns = 0;

  int64_t panels() const { return (columns + panelWidth - 1) / panelWidth; }
  /// Floats that the panels take.
  int64_t size() const { return panels() * panelWidth * inner; }
  /// Element [k, column] lies at matrix[k * innerStride + column * columnStride].
  void pack(const float *matrix, int64_t innerStride, int64_t columnStride, float *to) const;
};

/// out [rows, columns] = x [rows, inner] times a matrix in panels, with a bias, or that added to what is in
/// `out`. The columns of x and of `out` lie side by side; strides are between rows, in elements.
struct PanelGemm {
  PanelLayout layout;
  const float *panels = nullptr;
  int64_t rows = 0;
  const float *x = nullptr;
  int64_t xStride = 0;
  float *out = nullptr;
  int64_t outStride = 0;
  bool accumulates = false;
  /// Added to each row, if not null.
  const float *bias = nullptr;
  /// The last columns come first: of a matrix that nearly fits a cache, what the last run read is there.
  bool backward = false;

  /// A block of the result.
  struct Block {
    int64_t row, rows, column, columns;
  };
  /// Called for each block of the result, on the thread that has computed it, while it is in the first-level
  /// cache.
  using Finish = std::function<void(const Block &)>;
  /// Runs on all threads. `finish` may be null.
  void run(const Finish *finish = nullptr) const;
};

/// Whether this is faster than oneDNN's GEMMs here: on processors for which that does not pack matrices,
/// and where the compiler keeps the sums of a tile in registers.
bool prefersPanels();

/// The same on the calling thread, of columns that begin with a panel's. `wide`: with tiles for the 32
/// registers of AVX-512; any processor can do it.
void multiplyPanels(const PanelGemm &gemm, const PanelGemm::Block &block, bool wide,
                    const PanelGemm::Finish *finish = nullptr);

} // namespace proa::runtime
