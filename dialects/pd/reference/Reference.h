/// ReferenceKernels computations, in double precision and by plain loops, of ops that are neither primitives
/// nor composites: what the kernels of the runtime are compared with. They share nothing with those kernels.
/// Ops here are not folded by them: a program would wait for them.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/reference/RandomStream.h"
#include "proa/Tensor.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringMap.h"

#include <vector>

namespace proa::pd {

class ReferenceKernels {
public:
  /// Computes the results from the operands. Results come allocated where their types are static; the others
  /// have the right element type and rank, and the computation replaces them. Failure where it does not cover
  /// this use.
  using Computation = llvm::LogicalResult (*)(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                                              llvm::MutableArrayRef<Tensor> results);
  /// The same of an op that draws random numbers.
  using RandomComputation = llvm::LogicalResult (*)(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                                                    llvm::MutableArrayRef<Tensor> results,
                                                    RandomState &draws);
  /// The computations of the whole dialect.
  static const ReferenceKernels &get();

  template <class... Ops> void add(Computation computation) {
    (computations.try_emplace(Ops::getOperationName(), computation), ...);
  }
  Computation find(mlir::Operation *op) const { return computations.lookup(op->getName().getStringRef()); }
  template <class... Ops> void addRandom(RandomComputation computation) {
    (random.try_emplace(Ops::getOperationName(), computation), ...);
  }
  RandomComputation findRandom(mlir::Operation *op) const {
    return random.lookup(op->getName().getStringRef());
  }

private:
  llvm::StringMap<Computation> computations;
  llvm::StringMap<RandomComputation> random;
};

void addConvolutions(ReferenceKernels &kernels);
void addPoolings(ReferenceKernels &kernels);
void addRowComputations(ReferenceKernels &kernels);
void addTransforms(ReferenceKernels &kernels);
void addInterpolations(ReferenceKernels &kernels);
void addCounts(ReferenceKernels &kernels);
void addMatrices(ReferenceKernels &kernels);
void addRecurrences(ReferenceKernels &kernels);
void addRegions(ReferenceKernels &kernels);
void addBoxes(ReferenceKernels &kernels);
void addLabels(ReferenceKernels &kernels);
void addMetrics(ReferenceKernels &kernels);
void addSelections(ReferenceKernels &kernels);
void addTargets(ReferenceKernels &kernels);
void addProposalTargets(ReferenceKernels &kernels);
void addDistributions(ReferenceKernels &kernels);
void addSamples(ReferenceKernels &kernels);
void addNeighbors(ReferenceKernels &kernels);

/// A tensor of images or volumes with its dims in the order batch, channels, spatial..., however it is
/// stored.
class Images {
public:
  Images(const Tensor &tensor, DataFormat format);

  llvm::ArrayRef<int64_t> dims() const { return extents; }
  llvm::ArrayRef<int64_t> spatial() const { return llvm::ArrayRef(extents).drop_front(2); }
  /// The position of an element in the tensor.
  int64_t at(int64_t batch, int64_t channel, llvm::ArrayRef<int64_t> position) const;

private:
  llvm::SmallVector<int64_t> extents, strides;
};

/// What stands before the input along each spatial axis, for the attributes `paddings` and
/// `padding_algorithm`; SAME makes dilations 1.
llvm::SmallVector<int64_t> paddingsBefore(PaddingAlgorithm algorithm, llvm::ArrayRef<int64_t> paddings,
                                          llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> kernel,
                                          llvm::ArrayRef<int64_t> strides);

double realAt(const Tensor &tensor, int64_t index);
void setReal(Tensor &tensor, int64_t index, double value);

/// The tensor of an optional operand; null where the op does not have it.
const Tensor *operandOf(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, mlir::Value operand);

/// Where a sequence stands among the rows of a tensor: [begin, end).
struct Rows {
  int64_t begin, end;
};
/// The sequences that offsets name, or the first lengths[i] elements of each x[i], or all of them. Failure
/// where they do not fit.
llvm::FailureOr<std::vector<Rows>> sequencesOf(const Tensor &x, const Tensor *lengths, const Tensor *offsets);

std::vector<int64_t> integersOf(const Tensor &tensor);
Tensor vectorOf(DType dtype, llvm::ArrayRef<int64_t> values);

} // namespace proa::pd
