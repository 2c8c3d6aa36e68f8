/// Recurrences in decompositions: a loop over steps, and sequences of rows in parallel as such steps.
#pragma once

#include "dialects/pd/ops/sequence/Rows.h"

namespace proa::pd {

/// The states after a step, from its index (a vector of one int64), its slice of each input and the states
/// before it.
using Step = llvm::function_ref<llvm::SmallVector<Expression>(
    Expression value, llvm::ArrayRef<Expression> inputs, llvm::ArrayRef<Expression> states)>;

struct Recurrence {
  /// The states after the last step.
  llvm::SmallVector<Expression> last;
  /// For each recorded state its values before the first step and after each step: [steps + 1, ...].
  llvm::SmallVector<Expression> history;
};

/// A loop over a static or dynamic number of steps. Inputs have the step as leading dimension. The first
/// `recorded` states are recorded.
Recurrence runSteps(const DimSize &steps, llvm::ArrayRef<Expression> inputs,
                    llvm::ArrayRef<Expression> states, unsigned recorded, Step step);

/// Sequences of rows in parallel: step t has row t of each.
class SequenceSteps {
public:
  /// `rows` [rows, ...] by `offsets`; `backward`: step 0 has the last row of each sequence.
  SequenceSteps(Expression rows, Expression offsets, bool backward = false);

  const DimSize &count() const { return steps; }
  /// The number of rows of each sequence: an int64 vector.
  Expression getLengths() const { return sequences.lengths; }
  /// [rows, ...] as [steps, sequences, ...]. After the end of a sequence there are rows of others.
  Expression fromRows(Expression x) const;
  /// Back to rows, from [first + steps, sequences, ...].
  Expression toRows(Expression x, int64_t first = 0) const;

private:
  Expression rows, offsets;
  bool backward;
  Sequences sequences;
  DimSize steps;
};

Expression activate(Expression x, Activation activation);

/// Whether each sequence has a step of this index, as a column.
Expression hasStep(Expression lengths, Expression value, int64_t rank = 2);

/// Zeros [n, width] for a vector of n integers.
Expression zeroRows(Expression vector, const DimSize &width, mlir::Type element);

} // namespace proa::pd
