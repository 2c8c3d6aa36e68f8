/// The persistable variables that a program reads and writes.
#pragma once

#include "translator/import/legacy/VariableIndex.h"
#include "translator/import/legacy/interface/Subgraph.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace proa::import {

/// Whether an op is a feed or a fetch.
bool isFeed(const legacy::Operation &op);
bool isFetch(const legacy::Operation &op);

/// Finds the reads and writes of fed and persistable variables. Temporaries, most variables of a program, are
/// ignored.
class InterfaceFinder {
public:
  /// Ignores ops outside of the subgraph.
  InterfaceFinder(const legacy::Program &program, const VariableIndex &variables, const Subgraph &subgraph);

  /// A variable of block 0 that has a value before the first op, or is read after the last one.
  void feed(llvm::StringRef name);
  void fetch(llvm::StringRef name) { readVariable(variables.idOf(name)); }
  /// The ops of a block, in order. Blocks other than 0 may not run.
  void addBlock(int32_t block);

  bool isWritten(const legacy::Variable &variable) const { return written.contains(&variable); }
  /// Persistable variables that are read before they are written, in the order of their first read.
  llvm::ArrayRef<const legacy::Variable *> parameters() const { return read.getArrayRef(); }
  /// Persistable variables that are written, in the order of their first write.
  llvm::ArrayRef<const legacy::Variable *> states() const { return kept.getArrayRef(); }

private:
  const legacy::Variable *mattering(VariableId id) const;
  void readVariable(VariableId id);
  void readOutputs(const legacy::Operation &op);
  void write(VariableId id, bool mayNotRun);

  const legacy::Program &program;
  const VariableIndex &variables;
  const Subgraph &subgraph;
  /// For each variable of block 0, by number: whether it is fed or persistable.
  std::vector<bool> matters;
  llvm::DenseSet<const legacy::Variable *> written;
  llvm::SetVector<const legacy::Variable *> read, kept;
};

} // namespace proa::import
