/// The text of many ops of which most are alike.
#pragma once

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace proa {

/// Prints ops as `Operation::print` does. The text of two ops that have the same name, attributes and types
/// differs in the names of their values alone, where the ops print by declarative formats: it is made once,
/// with gaps for those names. Printing a float again takes longer than all else of an op's text.
class OpTexts {
public:
  explicit OpTexts(mlir::AsmState &state) : state(state) {}

  /// Prints an op without regions.
  void print(llvm::raw_ostream &stream, mlir::Operation *op);

private:
  /// A text, and the value whose name follows it: a number among the results and then the operands.
  struct Piece {
    std::string text;
    unsigned value;
  };
  struct Template {
    llvm::SmallVector<Piece, 6> pieces;
    std::string end;
  };
  /// Compares ops by all that their texts show but the names of their values.
  struct SameText {
    using Pointers = llvm::DenseMapInfo<mlir::Operation *>;
    static mlir::Operation *getEmptyKey() { return Pointers::getEmptyKey(); }
    static mlir::Operation *getTombstoneKey() { return Pointers::getTombstoneKey(); }
    static unsigned getHashValue(mlir::Operation *op);
    static bool isEqual(mlir::Operation *left, mlir::Operation *right);
  };
  struct Known {
    bool isTried = false; ///< whether a template was looked for: with the second op that has this text
    std::optional<Template> text;
  };

  std::optional<Template> templateOf(mlir::Operation *op, llvm::StringRef text);

  mlir::AsmState &state;
  llvm::DenseMap<mlir::Operation *, Known, SameText> known;
};

} // namespace proa
