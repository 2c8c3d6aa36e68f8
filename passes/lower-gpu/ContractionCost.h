/// A static cost model of matmuls on a GPU.
#pragma once

#include "lib/base/target/TargetFacts.h"
#include "passes/lower-gpu/ContractionForm.h"

namespace proa {

/// A matmul of known or assumed sizes.
struct ContractionSizes {
  int64_t m = 1, n = 1, k = 1, batch = 1;
  int64_t operandBits = 32, sumBits = 32;
  bool canShareSums = false; ///< blocks may divide k among them
  bool isOfFloat8 = false;   ///< the operands are 8-bit floats
  bool findsRows = false;    ///< a block finds the rows of a tile at run time
};

/// One way to compute a contraction, which #proa.contraction describes.
struct ContractionTile {
  MatmulKind kind = MatmulKind::Fma;
  int64_t m = 0, n = 0, k = 0, warpM = 0, warpN = 0;
  int64_t stages = 1;
  int64_t residentBlocks = 0; ///< with Wgmma: blocks of a multiprocessor, each of which computes many tiles
  int64_t splitK = 1;         ///< with Wgmma: blocks that divide k of a tile among them

  int64_t threads() const;
  int64_t sharedBytes(const ContractionSizes &sizes) const;
};

/// The tiles that may be chosen for a kind, from the largest to the smallest.
llvm::SmallVector<ContractionTile> tilesOf(MatmulKind kind, const ContractionSizes &sizes,
                                           const GpuFacts &gpu);

/// Estimated clocks of the kernel on all multiprocessors.
///
/// Each multiprocessor computes its share of the tiles one after the other. A tile takes the time of its
/// products or of the copies of its operands, whichever is longer, and a fixed time in which the pipeline
/// fills and the results are stored. If several blocks divide k of a tile among them, the last of them adds
/// their sums.
double clocksOf(const ContractionTile &tile, const ContractionSizes &sizes, const GpuFacts &gpu);

} // namespace proa
