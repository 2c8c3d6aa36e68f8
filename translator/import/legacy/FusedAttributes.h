/// Ops that Paddle's inference passes fuse into another op by attributes: an activation, an addend, scales
/// of quantized kernels, reshapes and transposes around a matmul.
///
/// Paddle's oneDNN kernels apply them and all other kernels ignore them. The import always applies them,
/// because the pass that wrote them removed the ops that they replace. An entry of the legacy table that
/// lists such an attribute in `ignored` supports it. On other ops, and for unknown values, it is refused. Any
/// op may have an attribute with its neutral value.
#pragma once

#include "translator/import/legacy/OpImporter.h"

#include "llvm/ADT/StringSet.h"

namespace proa::import {

struct LegacyOp;

/// Whether an attribute is a fused op, or a parameter of one.
bool isFusedAttribute(llvm::StringRef attribute);

class FusedAttributes {
public:
  /// Finds the attributes and reports those that cannot be imported.
  FusedAttributes(OpImporter &importer, const LegacyOp &entry);

  bool empty() const { return present.empty(); }
  /// Applies the fused ops to the op's inputs.
  void applyToInputs();
  /// The op's result after the fused ops; null, and a report, after an error.
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
  /// Names of attributes without neutral values, and of input slots.
  llvm::StringSet<> present;
};

} // namespace proa::import
