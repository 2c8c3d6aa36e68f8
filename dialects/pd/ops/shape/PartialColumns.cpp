#include "dialects/pd/ops/shape/PartialColumns.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

FailureOr<int64_t> partialColumns(std::optional<Location> location, ValueRange x, int64_t start,
                                  int64_t length) {
  bool fits = !x.empty() && llvm::all_of(x, [&](Value value) {
    return tensorType(value).getRank() == 2 &&
           succeeded(verifyCompatibleShape(tensorType(value).getShape(), tensorType(x[0]).getShape()));
  });
  if (failed(require(location, fits, "C1: the operands must be matrices of one shape", x)))
    return failure();
  int64_t columns = tensorType(x[0]).getDimSize(1);
  if (columns == unknown)
    return length < 0 ? unknown : length;
  int64_t from = start < 0 ? start + columns : start, count = length < 0 ? columns - from : length;
  if (from < 0 || count <= 0 || from + count > columns)
    return inferenceError(location, "C2: the matrices have " + llvm::Twine(columns) +
                                        " columns, found start_index " + llvm::Twine(start) + " and length " +
                                        llvm::Twine(length));
  return count;
}

namespace {

/// The selected columns of each matrix.
llvm::SmallVector<Expression> chosenColumns(TensorBuilder &e, ValueRange x, int64_t start, int64_t length) {
  llvm::SmallVector<Expression> pieces;
  for (Value value : x) {
    Expression matrix = e.wrap(value);
    int64_t columns = matrix.type().getDimSize(1),
            from = start < 0 && columns != unknown ? start + columns : start;
    pieces.push_back(slice(matrix, 1, from, length < 0 ? toTheEnd : from + length));
  }
  return pieces;
}

} // namespace

Values PartialConcatOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return e.results({concat(chosenColumns(e, getX(), getStartIndex(), getLength()), 1)});
}

Values PartialSumOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<Expression> pieces = chosenColumns(e, getX(), getStartIndex(), getLength());
  Expression sum = e.computed(pieces.front());
  for (Expression piece : llvm::drop_begin(pieces))
    sum = sum + e.computed(piece);
  return e.results({sum});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/shape/PartialColumns.cpp.inc"
#include "dialects/pd/ops/shape/PartialColumns.methods.inc"
#include "dialects/pd/ops/shape/PartialColumns.scalar.inc"
