/// Recurrences in decompositions: a loop over steps, and sequences of rows side by side as such steps.
#pragma once

#include "dialects/pd/ops/sequence/Rows.h"

namespace proa::pd {

/// The states behind a step, from its number (a vector of one int64), its part of each input and the states
/// before it.
using Step = llvm::function_ref<llvm::SmallVector<Expression>(
    Expression number, llvm::ArrayRef<Expression> inputs, llvm::ArrayRef<Expression> states)>;

struct Recurrence {
  /// The states behind the last step.
  llvm::SmallVector<Expression> last;
  /// Of each recorded state what it was before the first step and behind each one: [steps + 1, ...].
  llvm::SmallVector<Expression> history;
};

/// A loop over `steps` steps, whose number may be known only at run time. Inputs have as many indices in
/// front. Of the states the first `recorded` are kept.
Recurrence runSteps(const Extent &steps, llvm::ArrayRef<Expression> inputs, llvm::ArrayRef<Expression> states,
                    unsigned recorded, Step step);

/// Sequences of rows side by side: step t has row t of each.
class SequenceSteps {
public:
  /// `rows` [rows, ...] by `offsets`; `backward`: step 0 has the last row of each sequence.
  SequenceSteps(Expression rows, Expression offsets, bool backward = false);

  const Extent &count() const { return steps; }
  /// How many rows each sequence has: an int64 vector.
  Expression getLengths() const { return sequences.lengths; }
  /// [rows, ...] as [steps, sequences, ...]. Behind the end of a sequence stand rows of others.
  Expression fromRows(Expression x) const;
  /// Back to rows, from [first + steps, sequences, ...].
  Expression toRows(Expression x, int64_t first = 0) const;

private:
  Expression rows, offsets;
  bool backward;
  Sequences sequences;
  Extent steps;
};

/// Whether each sequence has a step of this number, as a column.
Expression hasStep(Expression lengths, Expression number, int64_t rank = 2);

/// Zeros [n, width] for a vector of n integers.
Expression zeroRows(Expression vector, const Extent &width, mlir::Type element);

} // namespace proa::pd
