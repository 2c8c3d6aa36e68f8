/// Which variables a program takes from outside and leaves behind.
#pragma once

#include "translator/import/Subgraph.h"
#include "translator/import/VariableIndex.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace proa::import {

/// An op that hands a variable of a run's caller to the program, or back.
bool isFeed(const legacy::Operation &op);
bool isFetch(const legacy::Operation &op);

/// Follows which variables that outlive a run, or that it is fed, the ops of a program read and write. Of all
/// variables only these matter: temporaries are most of a program.
class InterfaceFinder {
public:
  /// Ops outside of the part are not there.
  InterfaceFinder(const legacy::Program &program, const VariableIndex &variables, const Subgraph &part);

  /// A variable of block 0 that has a value before the first op, or is read after the last one.
  void feed(llvm::StringRef name);
  void fetch(llvm::StringRef name) { readVariable(variables.numberOf(name)); }
  /// The ops of a block, in order. Blocks other than 0 may not run.
  void addBlock(int32_t block);

  bool isWritten(const legacy::Variable &variable) const { return written.contains(&variable); }
  /// Persistable variables that are read before they are written, in the order in which they are.
  llvm::ArrayRef<const legacy::Variable *> parameters() const { return read.getArrayRef(); }
  /// Persistable variables that are written, in the order in which they are.
  llvm::ArrayRef<const legacy::Variable *> states() const { return kept.getArrayRef(); }

private:
  const legacy::Variable *mattering(VariableNumber number) const;
  void readVariable(VariableNumber number);
  void readOutputs(const legacy::Operation &op);
  void write(VariableNumber number, bool mayNotRun);

  const legacy::Program &program;
  const VariableIndex &variables;
  const Subgraph &part;
  /// Of the variables of block 0, by number.
  std::vector<bool> matters;
  llvm::DenseSet<const legacy::Variable *> written;
  llvm::SetVector<const legacy::Variable *> read, kept;
};

} // namespace proa::import
