/// The part of a program between some fed and some fetched variables.
#pragma once

#include "translator/legacy/Program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace proa::import {

/// Which ops of block 0 are imported. A program is imported as a whole where it is fed and fetched what it
/// says itself. A part of it is asked for where a variable is fed that an op computes, where one that the
/// program feeds is not fed, or where others are fetched than the program fetches. Then only the ops that the
/// fetches need are imported: an op that updates a persistable variable, or prints, stays only where a fetch
/// needs what it writes.
class Subgraph {
public:
  /// The whole program.
  Subgraph() = default;
  /// Finds the part. `fedByProgram` and `fetchedByProgram` are the variables of its own feed and fetch ops;
  /// `feeds` and `fetches` what is asked for, empty: what the program says.
  Subgraph(const legacy::Program &program, llvm::ArrayRef<std::string> fedByProgram,
           llvm::ArrayRef<std::string> fetchedByProgram, llvm::ArrayRef<std::string> feeds,
           llvm::ArrayRef<std::string> fetches);

  bool isWhole() const { return needed.empty(); }
  bool hasOp(size_t index) const { return isWhole() || needed[index]; }
  /// Whether an op of the part runs the block.
  bool hasBlock(size_t index) const { return isWhole() || neededBlocks[index]; }
  /// Whether an op of the part reads the variable before another one has written it.
  bool reads(llvm::StringRef name) const { return isWhole() || read.contains(name); }
  /// Fed variables that ops of the program compute: what these write is dropped.
  const llvm::StringSet<> &cutFeeds() const { return cut; }
  /// Persistable variables that ops outside of the part would update.
  llvm::ArrayRef<std::string> droppedStates() const { return dropped; }

private:
  void findCutFeeds(const legacy::Program &program, llvm::ArrayRef<std::string> fedByProgram,
                    llvm::ArrayRef<std::string> feeds);
  void findNeeded(const legacy::Program &program, llvm::ArrayRef<std::string> fetches);
  void findBlocks(const legacy::Program &program);

  std::vector<bool> needed;       ///< by op of block 0; empty: all
  std::vector<bool> neededBlocks; ///< by block
  llvm::StringSet<> cut, read;
  std::vector<std::string> dropped;
};

} // namespace proa::import
