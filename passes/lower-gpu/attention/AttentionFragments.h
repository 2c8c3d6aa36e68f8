/// Which scores and outputs the threads of a block hold.
#pragma once

#include "passes/lower-gpu/LayoutCode.h"
#include "passes/lower-gpu/attention/AttentionForm.h"

namespace proa {

/// Each thread holds some columns of scores in some rows, and some elements of the same rows of sums. Numbers
/// of a thread are in the order [row][column].
class AttentionFragments : public CodeBuilder {
public:
  /// With the threads of the choice that have scores. `thread` is an index among them.
  AttentionFragments(mlir::OpBuilder &b, mlir::Location loc, const AttentionChoice &choice,
                     mlir::Value thread);

  const ThreadLayout &scoreLayout() const { return scores.threadLayout(); }
  /// The sums of weighted rows of `elements`.
  ThreadLayout outputLayout(int64_t elements) const;

  /// Rows of a thread, and its scores in each of them.
  int64_t rows() const { return scoreLayout().sizeOfThread(MatrixDim::Row); }
  int64_t columns() const { return scoreLayout().sizeOfThread(MatrixDim::Column); }
  /// Adjacent lanes, a power of two, that share a row.
  int64_t lanesOfRow() const { return scoreLayout().lanesOfRow(); }
  /// Scores of a thread with adjacent columns.
  int64_t adjacentColumns() const { return scoreLayout().adjacentColumns(); }
  /// The lanes that hold the scores of four adjacent keys, which share a block of Philox.
  AdjacentLanes lanesOfFourKeys() const;
  /// The index in its tile of a row of the thread, and of a column.
  mlir::Value rowOf(int64_t row) const { return scores.rowOf(row); }
  mlir::Value columnOf(int64_t column) const { return scores.columnOf(column); }

  /// Outputs of a thread in each of its rows, which have `elements`; how many of them are adjacent; and the
  /// index of one.
  int64_t outputsOfRow(int64_t elements) const { return elements / lanesOfRow(); }
  int64_t adjacentOutputs(int64_t elements) const { return outputLayout(elements).adjacentColumns(); }
  mlir::Value outputOf(int64_t output, int64_t elements) const {
    return code(outputLayout(elements)).columnOf(output);
  }

  /// Scores or outputs, of which `count` are in a row of the tile, from the registers of an instruction's
  /// sums, and back.
  Values byRows(mlir::ValueRange registers, int64_t count) const {
    return code(outputLayout(count)).byRows(registers);
  }
  Values byRegisters(mlir::ValueRange values, int64_t count) const {
    return code(outputLayout(count)).byRegisters(values);
  }
  /// The registers of 16 columns from column `first` on, as operand x of the next instruction, rounded to
  /// `element`.
  Values operand(mlir::ValueRange values, int64_t first, mlir::Type element) const;

private:
  LayoutCode code(ThreadLayout layout) const { return {b, loc, std::move(layout), thread}; }

  MatmulKind kind;
  int64_t rowsOfTile;
  bool isByKeys;
  mlir::Value thread;
  LayoutCode scores;
};

} // namespace proa
