/// How a block computes tiles of a contraction.
#pragma once

#include "passes/lower-gpu/TileResults.h"

namespace proa {

/// The loop over k of one contraction, in code of one thread.
class TileLoop {
public:
  /// Stores the sums that a thread has of a tile. `memory` is shared memory for a pass of them.
  using Store = llvm::function_ref<void(mlir::ValueRange sums, mlir::Value memory)>;

  virtual ~TileLoop() = default;
  /// The tile that starts at `indices` of the loops. All threads of the block execute the code; those that
  /// have sums store them.
  virtual void tile(mlir::ValueRange indices, Store store) = 0;
};

/// A contraction that is being replaced, and the place of its code.
struct ContractionSite {
  mlir::OpBuilder &b;
  mlir::Location loc;
  TileResults::Target target;
  TileResults &results;
  mlir::Value thread;
};

/// The threads copy tiles of the operands to shared memory and multiply them there.
std::unique_ptr<TileLoop> makeStagedLoop(const ContractionSite &site);
/// The tensor memory accelerator fills a circular buffer of stages in shared memory, for which one warp asks;
/// the others multiply them with wgmma. Error: the accelerator cannot address an operand.
mlir::FailureOr<std::unique_ptr<TileLoop>> makeTmaLoop(const ContractionSite &site);

} // namespace proa
