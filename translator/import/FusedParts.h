/// What Paddle's inference passes fuse into an op by attributes: an activation after it, an addend, scales
/// of quantized kernels, reshapes and transposes around a matrix product.
///
/// Paddle honours them in its oneDNN kernels and ignores them in all others. Here they always hold: whoever
/// wrote them removed the ops that they replace. An entry of the legacy table that names such an attribute
/// among `ignored` has the part; on other ops, and with values that are not known, it is refused. An
/// attribute with its neutral value may be on any op.
#pragma once

#include "translator/import/OpImporter.h"

#include "llvm/ADT/StringSet.h"

namespace proa::import {

struct LegacyOp;

/// Whether an attribute is one of those parts, or a parameter of one.
bool isFusedPart(llvm::StringRef attribute);

class FusedParts {
public:
  /// Finds the parts and reports those that cannot be imported.
  FusedParts(OpImporter &importer, const LegacyOp &entry);

  bool empty() const { return present.empty(); }
  /// Replaces the op's inputs by what the parts make of them.
  void applyToInputs();
  /// What the parts make of the op's result; null, and a report, where that failed.
  mlir::Value applyToResult(mlir::Value result);

private:
  bool has(llvm::StringRef name) const { return present.contains(name); }
  double scaleOf(llvm::StringRef name);
  mlir::Value rearrangedInput(llvm::StringRef slot);
  mlir::Value rearrangedResult(mlir::Value result);
  mlir::Value withBias(mlir::Value result);
  mlir::Value withResidual(mlir::Value result);
  mlir::Value activated(mlir::Value result);
  void checkActivation();
  void checkRearrangement(llvm::StringRef slot);

  OpImporter &importer;
  const LegacyOp &entry;
  /// Names of attributes with other than neutral values, and of input slots.
  llvm::StringSet<> present;
};

} // namespace proa::import
