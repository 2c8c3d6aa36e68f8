/// The variables of a program by name, and by ids that replace the names.
#pragma once

#include "translator/legacy/Program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace proa::import {

/// The id of a name that some block declares, the same in all blocks.
using VariableId = uint32_t;
inline constexpr VariableId noVariable = UINT32_MAX;

/// Looks up variables in a block and then in its parents. A lookup by name is slow in a large program,
/// because neither the table nor the name is in a cache: all names of all ops are looked up once, by all
/// cores.
class VariableIndex {
public:
  explicit VariableIndex(const legacy::Program &program);
  VariableIndex(const VariableIndex &) = delete;
  VariableIndex &operator=(const VariableIndex &) = delete;

  /// Null if no variable has this name.
  const legacy::Variable *find(int32_t block, llvm::StringRef name) const { return find(block, idOf(name)); }
  const legacy::Variable *find(int32_t block, VariableId id) const;

  /// `noVariable` for a name that no block declares.
  VariableId idOf(llvm::StringRef name) const;
  /// The id of a variable that find(0, ...) returned.
  VariableId idOf(const legacy::Variable &ofFirstBlock) const {
    return static_cast<VariableId>(&ofFirstBlock - program.blocks.front().variables.data());
  }
  /// All ids are less than this.
  size_t size() const { return count; }

  /// The variables in the slots of an op, slot after slot.
  struct OpVariables {
    llvm::ArrayRef<VariableId> inputs, outputs;
  };
  OpVariables idsOf(int32_t block, size_t op) const;

private:
  /// A bucket of the names: several threads build the table.
  using Names = llvm::DenseMap<llvm::CachedHashStringRef, VariableId>;
  /// The ids of some ops, and the offsets of the inputs and outputs of each; the last offset is the end.
  struct Ids {
    std::vector<VariableId> all;
    std::vector<uint32_t> begins;
  };

  void addNames(llvm::ArrayRef<llvm::StringRef> all);
  size_t bucketOf(uint32_t hash) const;
  Ids idsOf(llvm::ArrayRef<legacy::Operation> ops) const;

  const legacy::Program &program;
  size_t count = 0;
  std::vector<Names> names = std::vector<Names>(1);
  /// Tables of all blocks except the first one, whose variables have their indices as ids.
  std::vector<llvm::DenseMap<VariableId, const legacy::Variable *>> ofBlock;
  /// By block.
  std::vector<std::vector<Ids>> ofOps;
};

} // namespace proa::import
