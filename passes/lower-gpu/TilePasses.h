/// The passes in which the sums of a tile go through shared memory.
#pragma once

#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/LayoutCode.h"

namespace proa {

/// Divides the elements of each thread by digits of their indices: a pass has the elements with one value of
/// these digits. Its rows and columns follow each other in shared memory.
class TilePasses {
public:
  /// `digits` are some of the layout's element digits.
  TilePasses(const ThreadLayout &whole, ThreadLayout::Digits digits);
  /// The passes of the tile of a contraction.
  static TilePasses of(const ContractionChoice &choice);

  /// The elements of the tile in registers.
  const ThreadLayout &wholeLayout() const { return whole; }

  int64_t count() const;
  /// The elements of a pass in shared memory.
  const ThreadLayout &layout() const { return ofPass; }
  /// The number in the tile of element `element` of a pass.
  int64_t elementOf(int64_t pass, int64_t element) const;
  /// The index in the tile of an index of a pass.
  mlir::Value indexInTile(const CodeBuilder &code, MatrixDim dim, int64_t pass, mlir::Value index) const;

private:
  bool isOfPass(const LayoutDigit &digit) const { return llvm::is_contained(digits, digit); }

  ThreadLayout whole, ofPass;
  ThreadLayout::Digits digits;
};

} // namespace proa
