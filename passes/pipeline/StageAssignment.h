/// The stage and the job of each op of a training step.
#pragma once

#include "lib/base/pipeline/Schedule.h"
#include "lib/base/target/TargetFacts.h"
#include "passes/pipeline/MicroBatchLoop.h"

namespace proa {

/// The ops of a stage in one job for one micro-batch, in program order.
struct StageJobs {
  llvm::SmallVector<mlir::Operation *> ops[pipeline::stepCount]; ///< by pipeline::Step
};

/// Divides the ops of a loop over micro-batches among stages.
///
/// Forward ops are those that losses need, or, if the loop has no result besides gradients, all that no
/// cotangent reaches. Ops on feeds and constants alone (`shared` ops) run on each stage that uses them. The
/// stages of the other forward ops are segments of the program, sorted by the stages that they are given. A
/// backward op is on the last stage that has the forward values and the parameters that it reads, and that is
/// not after the stages of the cotangents that it reads.
class StageAssignment {
public:
  /// Errors: fewer forward ops than stages; given stages that contradict each other; values between stages
  /// that cannot move.
  static llvm::FailureOr<StageAssignment> create(mlir::func::FuncOp function, const MicroBatchLoop &loop,
                                                 int64_t stageCount);

  const std::vector<StageJobs> &stages() const { return jobs; }
  /// The stage that computes a value of the loop's body; none for values of shared ops and constants.
  std::optional<int64_t> stageOf(mlir::Value value) const;
  /// The stages of ops that read a value of the loop's body, or a value from outside.
  llvm::ArrayRef<int64_t> readersOf(mlir::Value value) const;
  /// The stage of a sum; if its addend is a sum of values on several stages, the terms, otherwise none.
  int64_t stageOfSum(unsigned sum) const { return sumStages[sum]; }
  llvm::ArrayRef<mlir::Value> termsOfSum(unsigned sum) const { return sumTerms[sum]; }

private:
  class Builder;

  std::vector<StageJobs> jobs;
  llvm::DenseMap<mlir::Operation *, int64_t> stageOfOp;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 2>> readers;
  llvm::SmallVector<int64_t> sumStages; ///< by index in MicroBatchLoop::sums
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> sumTerms;
};

/// Whether each mesh may have an op of its own: a constant.
bool isCreatedAnywhere(mlir::Operation *op);
/// The bytes of a tensor; 0 for other types.
double bytesOf(mlir::Type type);
/// Time of an op on the target of its module, by its arithmetic and the bytes that it reads and writes.
double secondsOf(mlir::Operation *op);

} // namespace proa
