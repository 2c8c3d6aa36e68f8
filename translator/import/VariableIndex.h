/// The variables of a program by name, and by indices in place of names.
#pragma once

#include "translator/legacy/Program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace proa::import {

/// Stands for a name that some block declares, the same one in all blocks.
using VariableNumber = uint32_t;
inline constexpr VariableNumber noVariable = UINT32_MAX;

/// Looks variables up in a block and then along its parents. To look a name up in a large program is slow, as
/// neither the table nor the name is in a cache: all cores do that once for what all ops name.
class VariableIndex {
public:
  explicit VariableIndex(const legacy::Program &program);
  VariableIndex(const VariableIndex &) = delete;
  VariableIndex &operator=(const VariableIndex &) = delete;

  /// Null where no variable has this name.
  const legacy::Variable *find(int32_t block, llvm::StringRef name) const {
    return find(block, numberOf(name));
  }
  const legacy::Variable *find(int32_t block, VariableNumber number) const;

  /// `noVariable` for a name that no block declares.
  VariableNumber numberOf(llvm::StringRef name) const;
  /// Of a variable that `find(0, ...)` gave.
  VariableNumber numberOf(const legacy::Variable &ofFirstBlock) const {
    return static_cast<VariableNumber>(&ofFirstBlock - program.blocks.front().variables.data());
  }
  /// All numbers are below.
  size_t size() const { return count; }

  /// The variables in the slots of an op, slot after slot.
  struct OpNumbers {
    llvm::ArrayRef<VariableNumber> inputs, outputs;
  };
  OpNumbers numbersOf(int32_t block, size_t op) const;

private:
  /// Some of the names: several threads make the table.
  using Names = llvm::DenseMap<llvm::CachedHashStringRef, VariableNumber>;
  /// The numbers of a few ops, and where those of the inputs and of the outputs of each begin; the end is
  /// last.
  struct Numbers {
    std::vector<VariableNumber> all;
    std::vector<uint32_t> begins;
  };

  void addNames(llvm::ArrayRef<llvm::StringRef> all);
  size_t partOf(uint32_t hash) const;
  Numbers numbersOf(llvm::ArrayRef<legacy::Operation> ops) const;

  const legacy::Program &program;
  size_t count = 0;
  std::vector<Names> names = std::vector<Names>(1);
  /// Of each block but the first one, whose variables have their places as numbers.
  std::vector<llvm::DenseMap<VariableNumber, const legacy::Variable *>> ofBlock;
  /// By block.
  std::vector<std::vector<Numbers>> ofOps;
};

} // namespace proa::import
