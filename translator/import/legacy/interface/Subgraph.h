/// The subgraph of a program between some fed and some fetched variables.
#pragma once

#include "translator/legacy/Program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace proa::import {

/// The ops of block 0 that are imported. With the program's own feeds and fetches these are all ops. A
/// subgraph is requested if a fed variable is computed by an op, if a feed of the program is not fed, or if
/// other variables are fetched. Then only the ops that the fetches need are imported: an op that updates a
/// persistable variable, or prints, is kept only if a fetch needs its result.
class Subgraph {
public:
  /// The whole program.
  Subgraph() = default;
  /// Finds the subgraph. `fedByProgram` and `fetchedByProgram` are the variables of its own feed and fetch
  /// ops; `feeds` and `fetches` are the requested ones; empty: the program's own.
  Subgraph(const legacy::Program &program, llvm::ArrayRef<std::string> fedByProgram,
           llvm::ArrayRef<std::string> fetchedByProgram, llvm::ArrayRef<std::string> feeds,
           llvm::ArrayRef<std::string> fetches);

  bool isWhole() const { return needed.empty(); }
  bool hasOp(size_t index) const { return isWhole() || needed[index]; }
  /// Whether an op of the subgraph runs the block.
  bool hasBlock(size_t index) const { return isWhole() || neededBlocks[index]; }
  /// Whether an op of the subgraph reads the variable before another one writes it.
  bool reads(llvm::StringRef name) const { return isWhole() || read.contains(name); }
  /// Fed variables that ops of the program compute. These results are dropped.
  const llvm::StringSet<> &cutFeeds() const { return cut; }
  /// Persistable variables that ops outside of the subgraph would update.
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
