/// The import of gradient ops. Legacy `X_grad` computes the gradients of the inputs of X. It becomes a pd.vjp
/// whose region holds X, imported again by the mapping or hook of X, so that no gradient op needs a record.
/// The gradient of a gradient op, `X_grad_grad`, is a pd.vjp around X_grad.
#pragma once

#include "translator/import/legacy/LegacyTable.h"
#include "translator/import/legacy/OpImporter.h"

#include "llvm/ADT/StringMap.h"

#include <vector>

namespace proa::import {

class ProgramImporter;

class GradientImporter {
public:
  explicit GradientImporter(ProgramImporter &program) : program(program) {}

  /// Finds out whether the program has gradient ops.
  void scan(const legacy::Program &source);
  /// Whether the program has gradient ops. Others skip the bookkeeping.
  bool isActive() const { return hasGradients; }

  /// Keeps the values of the op's inputs, for its gradient op.
  void recordProducer(const legacy::Operation &op);
  size_t producerCount() const { return producers.size(); }
  /// Keeps only the first `count` ops: values of a block do not exist outside of it.
  void truncateProducers(size_t count);
  /// Imports a gradient op and defines its outputs.
  void import(const legacy::Operation &op);

private:
  /// An op that ran, with the values that its inputs had.
  struct Producer {
    const legacy::Operation *op;
    SlotValues inputs;
  };
  struct GradientImport;
  struct ReceivedResults;

  SlotValues inputValues(const legacy::Operation &op) const;
  const Producer *findProducer(const legacy::Operation &op, llvm::ArrayRef<std::string> forwardTypes,
                               const Producer *before) const;
  bool checkCotangents(const legacy::Operation &op);
  bool createGradient(GradientImport &gradient, mlir::Location location, SlotResults &results);
  bool collectForward(GradientImport &gradient);
  bool findRequests(GradientImport &gradient);
  bool importForward(const GradientImport &gradient, mlir::Location location, mlir::Block &body,
                     SlotResults &results);
  ReceivedResults receivedResults(const GradientImport &gradient, const SlotResults &results) const;
  bool castCotangents(const GradientImport &gradient, mlir::Location location, ReceivedResults &received);

  ProgramImporter &program;
  bool hasGradients = false;
  /// Whether there are gradients of gradient ops.
  bool hasHigherGradients = false;
  std::vector<Producer> producers;
  /// By variable, the indices of the ops that wrote it.
  llvm::StringMap<llvm::SmallVector<size_t, 1>> producersOf;
};

} // namespace proa::import
