/// Convolutions with filters of 3 x 3 and stride 1, channels last, in float32, by Winograd's minimal
/// filtering: tiles of m x m results, F(m x m, 3 x 3), take (m + 2)^2 matmuls, 2.25 (m = 2) or 4
/// times (m = 4) less arithmetic than the definition. Sources: Lavin and Gray, "Fast Algorithms for
/// Convolutional Neural Networks" (2015); the points of m = 4, of small error, are from Barabasz et al.,
/// "Error Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks" (2018).
///
/// With V = B^T d B of each tile's input d, U = G g G^T of each filter g, a tile's results are A^T [sum over
/// channels of U V] A. The products are oneDNN's; measured, the results are as exact as a sum in float32 over
/// all taps for m = 2, and lose about a bit for m = 4.
#pragma once

#include "lib/runtime/kernels/common/RowPostOps.h"
#include "lib/runtime/kernels/conv/ConvChoice.h"
#include "lib/runtime/kernels/matmul/PanelGemm.h"

namespace proa::runtime {

struct WinogradBlock;

class WinogradConv {
public:
  /// Why this is not the kernel of a convolution; null: it can be.
  static const char *whyNot(const ConvProblem &problem);
  /// Estimated time with tiles of `tileDim` (2 or 4) results a side. A filter that is not constant is
  /// transformed in each run.
  static double nanoseconds(const ConvGeometry &geometry, int64_t tileDim, bool isConstant,
                            const CpuFacts &cpu);

  /// Of a convolution without whyNot. `filters` holds the filter [out, in, 3, 3] and keeps what it is
  /// transformed to, if it is constant.
  static std::unique_ptr<WinogradConv> create(const ConvProblem &problem, int64_t tileDim,
                                              const float *filter, const PackedCache &filters);

  /// With all post-ops; a addend may lie where the output goes.
  void run(Call &call, float *output);

private:
  WinogradConv(const ConvConfig &attributes, const ConvGeometry &geometry, RowPostOps postOps,
               int64_t tileDim);
  int64_t points() const { return (tileDim + 2) * (tileDim + 2); }
  void createGemm();
  void transform(const float *filter, void *transformed) const;
  void pack(const float *filter, const PackedCache &filters);
  PackedForms::Key keyOf(const char *algorithm, const dnnl::memory::desc &to) const;
  void multiply(const WinogradBlock &block, int64_t tiles) const;
  struct Run;
  void runBlocks(const Run &run, int64_t worker, int64_t first, int64_t last) const;

  ConvGeometry geometry; ///< of the convolution that it is
  RowPostOps postOps;
  bool transposed;
  int64_t tileDim;                                 ///< m
  int64_t tileCount;                               ///< of all samples
  int64_t workers;                                 ///< threads that compute blocks of their own
  int64_t blockSize;                               ///< tiles that are computed at once
  dnnl::memory::desc transformedDesc;              ///< U: [(m + 2)^2, in, out]
  std::shared_ptr<const PackedTensor> transformed; ///< null: the filter changes from run to run
  std::vector<std::unique_ptr<Execution>> gemms;   ///< by oneDNN, of each worker; none with `panels`
  PanelLayout layout;                              ///< of U at one point
  std::shared_ptr<const PackedTensor> panels;      ///< U, point by point
  size_t inputBytes = 0, outputBytes = 0;          ///< of a block's V and of its products
};

} // namespace proa::runtime
