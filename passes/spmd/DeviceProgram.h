/// The ops of a program on several meshes that one device runs.
#pragma once

#include "passes/spmd/CopyConditions.h"

namespace proa {

/// Decides which ops and values of the sharded form a device has, and removes the others. An op runs on the
/// devices of the mesh of its tensors; an op without tensors on all devices that have its operands. Random
/// ops of others are counted by pd.skip_random, so that own ones sample as on one device.
class DeviceProgram {
public:
  DeviceProgram(GlobalForm &form, LocalTypes types, const ScalarCopies &copies)
      : form(form), types(types), copies(copies) {}

  /// Whether the device lacks the op. Its results are noted as absent. Failure, after an error, if the device
  /// needs a value that only others have.
  mlir::FailureOr<bool> lacks(mlir::Operation *op);
  /// States that the device lacks the results of an op that it takes part in. The op is removed with the
  /// others.
  void lose(mlir::Operation *op);
  /// Whether the device has a value: an argument or result of a function, a region or an op.
  bool has(mlir::Value value) const;

  /// Removes what the device lacks from the operands and results of an op that it has: a call, an op of scf,
  /// or a terminator. Types of kept results do not change. Returns the op, which may be a new one. Failure,
  /// after an error, for another op with regions.
  mlir::FailureOr<mlir::Operation *> removeOthers(mlir::Operation *op);
  /// Removes the absent ops of a block, which has been rewritten.
  void eraseOthers(mlir::Block &block);

private:
  bool hasValuesIn(mlir::Operation *op) const;
  /// Replaces scalars that others extract by the scalars of the device.
  void useCopies(mlir::Operation *op);
  /// Takes the places in the sequence of the model's seed that an op of others takes.
  mlir::LogicalResult skipRandomOf(mlir::Operation *op);
  mlir::Operation *replace(mlir::Operation *op, mlir::Operation *by);
  void forget(mlir::Value value);
  void eraseArguments(mlir::Block &block);

  GlobalForm &form;
  LocalTypes types;
  const ScalarCopies &copies;
  llvm::DenseSet<mlir::Value> absent;
  llvm::DenseSet<mlir::Operation *> absentOps;
};

} // namespace proa
