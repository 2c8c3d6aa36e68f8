/// Helpers of reference kernels (ReferenceOpInterface), which compute in double precision with plain loops
/// and share no code with the runtime's kernels. The reference kernels are in the folders of the op families.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/reference/RandomStream.h"
#include "proa/Tensor.h"

#include "mlir/IR/Operation.h"

#include <vector>

namespace proa::pd {

/// A view of a tensor of images or volumes with dims in the order batch, channels, spatial..., for any
/// layout.
class Images {
public:
  Images(const Tensor &tensor, DataFormat format);

  llvm::ArrayRef<int64_t> dims() const { return sizes; }
  llvm::ArrayRef<int64_t> spatial() const { return llvm::ArrayRef(sizes).drop_front(2); }
  /// The linear index of an element in the tensor.
  int64_t at(int64_t batch, int64_t channel, llvm::ArrayRef<int64_t> position) const;

private:
  llvm::SmallVector<int64_t> sizes, strides;
};

/// The padding before the input along each spatial axis, from the attributes `paddings` and
/// `padding_algorithm`; with SAME, dilations are 1. `dims` are the spatial dims of the input.
llvm::SmallVector<int64_t> paddingsBefore(PaddingAlgorithm algorithm, llvm::ArrayRef<int64_t> paddings,
                                          llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> kernel,
                                          llvm::ArrayRef<int64_t> strides);

double realAt(const Tensor &tensor, int64_t index);
void setReal(Tensor &tensor, int64_t index, double value);

/// The tensor of an optional operand; null if the operand is absent.
const Tensor *operandOf(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, mlir::Value operand);

/// The rows of a sequence in a tensor: [begin, end).
struct Rows {
  int64_t begin, end;
};
/// The sequences delimited by `offsets`; without offsets, the first lengths[i] elements of each x[i], or all
/// of them. Failure if offsets or lengths do not match the dims of x.
llvm::FailureOr<std::vector<Rows>> sequencesOf(const Tensor &x, const Tensor *lengths, const Tensor *offsets);

std::vector<int64_t> integersOf(const Tensor &tensor);
Tensor vectorOf(DType dtype, llvm::ArrayRef<int64_t> values);

} // namespace proa::pd
