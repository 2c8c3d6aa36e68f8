/// The choice of the kernel that computes a convolution: the one with the least estimated time on one core of
/// the target.
#pragma once

#include "lib/base/target/TargetFacts.h"
#include "lib/runtime/kernels/common/Vectors.h"
#include "lib/runtime/kernels/conv/ConvGeometry.h"

namespace proa::runtime {

enum class ConvMethod : uint8_t {
  Library,   ///< oneDNN's convolution (ConvPlan)
  Winograd2, ///< WinogradConv with tiles of 2 x 2 results
  Winograd4, ///< and of 4 x 4
  Indirect,  ///< IndirectConv
  Grouped,   ///< GroupedConv
  Planes,    ///< PlaneConv
  Pixels,    ///< PixelConv
  Columns,   ///< ColumnConv
  Blas,      ///< blasConv
};
const char *nameOf(ConvMethod method);

struct ConvProblem {
  const ConvConfig &attributes;
  const ConvGeometry &geometry;
  std::span<const OperandType> inputs;
  bool isConstant = true; ///< the filter is
};

/// Why a kernel for two dimensions in float32, not transposed, does not compute a convolution; null: it may.
const char *whyNotPlanar(const ConvProblem &problem);
/// Why a kernel of our own does not compute a convolution whose post-ops RowPostOps does not have.
inline constexpr const char *postOpsReason = "a fused op has no form on rows";

/// How oneDNN computes a convolution. Only its plan knows, so that the first choice assumes Direct.
enum class LibraryForm : uint8_t {
  Direct,
  Windows, ///< writes the windows to memory and multiplies them
  None,    ///< it has no fast implementation
};

struct ConvMachine {
  CpuFacts cpu;
  bool keepsTiles = keepsTilesInRegisters;

  /// This machine, with the facts of the program if they are of a CPU with the same instructions.
  static ConvMachine of(const KernelRequest &request);
};

/// Whether oneDNN's second kernel of a convolution in float32 is faster with AVX-512. The first that
/// oneDNN 2.6 offers calls a small GEMM for each tap and row of the result ("brgconv", "brdgmm_dw"); the
/// second is one loop over a row ("jit", "jit_dw").
bool prefersLoop(const ConvGeometry &geometry, const CpuFacts &cpu);

struct ConvEstimate {
  ConvMethod method;
  double nanoseconds = 0;
  const char *whyNot = nullptr; ///< the method does not apply; null: it does
};

struct ConvChoice {
  std::vector<ConvEstimate> estimates; ///< by time, then the methods that do not apply

  ConvMethod method() const { return estimates.front().method; }
  /// "indirect: 12.3 us; library 20.1 us; winograd 2x2: the filter is not 3x3"
  std::string text() const;
};

ConvChoice chooseConv(const ConvProblem &problem, const ConvMachine &machine,
                      LibraryForm form = LibraryForm::Direct);

/// The rate of a large matmul.
double operationsPerNanosecond(const CpuFacts &cpu);
/// The operations of a convolution; of a transposed one, the operations of the convolution that it reverses.
double convOperations(const ConvProblem &problem);

} // namespace proa::runtime
