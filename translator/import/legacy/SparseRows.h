/// The rows of sparse gradients (SELECTED_ROWS). A variable of that kind is the dense tensor with zeros in
/// its other rows, and a second variable, "x@ROWS", the indices of its rows: an int64 vector with possible
/// duplicates.
#pragma once

#include "translator/import/legacy/OpImporter.h"

namespace proa::import {

class SparseRows {
public:
  explicit SparseRows(ProgramImporter &program) : program(program) {}

  /// Finds out whether the program has SELECTED_ROWS variables.
  void scan(const legacy::Program &source);
  /// Whether the program has SELECTED_ROWS variables. Others skip the bookkeeping.
  bool isActive() const { return hasVariables; }

  /// Whether a variable of the current block is declared as SELECTED_ROWS.
  bool isSparse(llvm::StringRef name) const;
  /// The rows of a variable; null if they are unknown.
  mlir::Value rowsOf(llvm::StringRef name) const;
  /// Null: the rows are unknown.
  void set(llvm::StringRef name, mlir::Value rows);

  /// The rows that the inputs of an op touch, by slot. To be called before the op, which may write what it
  /// reads.
  SlotValues inputRows(const legacy::Operation &op) const;
  /// Gives the sparse outputs of an op the rows of its inputs. The gradient of a lookup has the rows that
  /// were looked up.
  void share(const legacy::Operation &op, const SlotValues &inputs);

private:
  void share(OpImporter &importer, const SlotValues &inputs);

  ProgramImporter &program;
  bool hasVariables = false;
};

} // namespace proa::import
