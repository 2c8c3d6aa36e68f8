#include "dialects/pd/ops/linalg/IntegerMatmul.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

using namespace mlir;

namespace proa::pd {

std::optional<int64_t> IntegerMatmulOp::getMultiplyAdds() {
  return multiplyAddsOfMatmul(getX(), getOut(), getTransposeX());
}

namespace {

/// The matrices along the last two dimensions of a factor; a vector is a row or a column.
struct Factor {
  Factor(const Tensor &tensor, bool transpose, bool isColumn) : tensor(tensor) {
    llvm::SmallVector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
    bool isVector = dims.size() == 1;
    if (isVector)
      dims.insert(isColumn ? dims.end() : dims.begin(), 1);
    columns = rowStep = dims.pop_back_val();
    rows = dims.pop_back_val();
    if (transpose && !isVector) {
      std::swap(rows, columns);
      std::swap(rowStep, columnStep);
    }
    batch = dims;
  }

  /// An element of the matrix that belongs to matrix `index` of the result.
  int64_t at(llvm::ArrayRef<int64_t> index, int64_t row, int64_t column) const {
    int64_t matrix = 0;
    for (size_t i = 0; i < batch.size(); ++i) {
      int64_t own = index[index.size() - batch.size() + i];
      matrix = matrix * batch[i] + (batch[i] == 1 ? 0 : own);
    }
    return static_cast<int64_t>(
        realAt(tensor, matrix * rows * columns + row * rowStep + column * columnStep));
  }

  const Tensor &tensor;
  llvm::SmallVector<int64_t> batch;
  int64_t rows = 0, columns = 0, rowStep = 0, columnStep = 1;
};

} // namespace

LogicalResult IntegerMatmulOp::computeReference(ArrayRef<Tensor> operands, MutableArrayRef<Tensor> results,
                                                RandomState *) {
  Factor x(operands[0], getTransposeX(), false), y(operands[1], getTransposeY(), true);
  llvm::SmallVector<int64_t> batch(results[0].dims().begin(), results[0].dims().end());
  batch.pop_back_n((operands[0].dims().size() > 1) + (operands[1].dims().size() > 1));
  int64_t position = 0;
  forEachIndex(batch, [&](llvm::ArrayRef<int64_t> index, int64_t) {
    for (int64_t row = 0; row < x.rows; ++row)
      for (int64_t column = 0; column < y.columns; ++column) {
        int64_t sum = 0;
        for (int64_t k = 0; k < x.columns; ++k)
          sum += x.at(index, row, k) * y.at(index, k, column);
        setReal(results[0], position++, static_cast<int32_t>(sum));
      }
  });
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/linalg/IntegerMatmul.cpp.inc"
#include "dialects/pd/ops/linalg/IntegerMatmul.methods.inc"
