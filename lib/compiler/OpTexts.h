/// Text of many ops, most of which are equal except for value names.
#pragma once

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace proa {

/// Prints ops as `Operation::print` does. If ops print by declarative formats, the texts of two ops with the
/// same name, attributes and types differ only in value names: the text is printed once, with gaps for the
/// names. Printing floats takes most of the time otherwise.
class OpTexts {
public:
  explicit OpTexts(mlir::AsmState &state) : state(state) {}

  /// Prints an op without regions.
  void print(llvm::raw_ostream &stream, mlir::Operation *op);

private:
  /// Text followed by the name of a value, given by its index among the results and then the operands.
  struct Piece {
    std::string text;
    unsigned value;
  };
  struct Template {
    llvm::SmallVector<Piece, 6> pieces;
    std::string end;
  };
  /// Compares ops by everything that their texts show, except value names.
  struct SameText {
    using Pointers = llvm::DenseMapInfo<mlir::Operation *>;
    static mlir::Operation *getEmptyKey() { return Pointers::getEmptyKey(); }
    static mlir::Operation *getTombstoneKey() { return Pointers::getTombstoneKey(); }
    static unsigned getHashValue(mlir::Operation *op);
    static bool isEqual(mlir::Operation *left, mlir::Operation *right);
  };
  struct Known {
    bool isTried = false; ///< whether a template was tried: with the second op of this text
    std::optional<Template> text;
  };

  std::optional<Template> templateOf(mlir::Operation *op, llvm::StringRef text);

  mlir::AsmState &state;
  llvm::DenseMap<mlir::Operation *, Known, SameText> known;
};

} // namespace proa
