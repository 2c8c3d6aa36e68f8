/// The LoDs of variables during an import.
#pragma once

#include "translator/import/legacy/LegacyTable.h"
#include "translator/import/legacy/Scope.h"

namespace proa::import {

/// The LoD of a variable at one point of the program.
struct VariableLod {
  llvm::SmallVector<mlir::Value> levels; ///< the outermost first
  /// The variable has a LoD with another number of levels, or none, on some paths to this point.
  bool isAmbiguous = false;
  /// The variable is empty or an empty array, which is compatible with any LoD.
  bool isAny = false;
};

/// Keeps the levels of each variable's LoD in the scope, as variables "x@LOD0" (the outermost), "x@LOD1",
/// ...: int64 vectors of offsets. The levels of a tensor array are arrays, element by element the levels of
/// its elements.
class LodTracker {
public:
  explicit LodTracker(Scope &scope) : scope(scope) {}

  /// Whether any variable has a LoD. Most programs have none and skip the bookkeeping.
  bool isActive = false;

  llvm::SmallVector<mlir::Value> levels(llvm::StringRef name) const;
  VariableLod of(llvm::StringRef name) const;
  void set(llvm::StringRef name, llvm::ArrayRef<mlir::Value> levels);
  void set(llvm::StringRef name, const VariableLod &lod);
  void clear(llvm::StringRef name) { set(name, llvm::ArrayRef<mlir::Value>()); }

  /// The LoD that the results of an op may share, and the tensor that has it: the op's first one.
  struct Source {
    VariableLod lod;
    mlir::Value tensor;
  };
  Source source(const legacy::Operation &op, const LegacyOp *entry) const;
  /// Gives the results without a LoD of their own the one that the op's rule says (LodRule), and gradients
  /// the LoD of their variable. `entry` may be null.
  void share(const legacy::Operation &op, const LegacyOp *entry, const Source &source);

private:
  Scope &scope;
};

} // namespace proa::import
