/// The variables of a program by name, and by numbers that replace the names.
#pragma once

#include "translator/legacy/Program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/CachedHashString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace proa::import {

/// The number of a name that some block declares, the same in all blocks.
using VariableNumber = uint32_t;
inline constexpr VariableNumber noVariable = UINT32_MAX;

/// Looks up variables in a block and then in its parents. A lookup by name is slow in a large program,
/// because neither the table nor the name is in a cache: all names of all ops are looked up once, by all
/// cores.
class VariableIndex {
public:
  explicit VariableIndex(const legacy::Program &program);
  VariableIndex(const VariableIndex &) = delete;
  VariableIndex &operator=(const VariableIndex &) = delete;

  /// Null if no variable has this name.
  const legacy::Variable *find(int32_t block, llvm::StringRef name) const {
    return find(block, numberOf(name));
  }
  const legacy::Variable *find(int32_t block, VariableNumber number) const;

  /// `noVariable` for a name that no block declares.
  VariableNumber numberOf(llvm::StringRef name) const;
  /// The number of a variable that find(0, ...) returned.
  VariableNumber numberOf(const legacy::Variable &ofFirstBlock) const {
    return static_cast<VariableNumber>(&ofFirstBlock - program.blocks.front().variables.data());
  }
  /// All numbers are less than this.
  size_t size() const { return count; }

  /// The variables in the slots of an op, slot after slot.
  struct OpNumbers {
    llvm::ArrayRef<VariableNumber> inputs, outputs;
  };
  OpNumbers numbersOf(int32_t block, size_t op) const;

private:
  /// A part of the names: several threads build the table.
  using Names = llvm::DenseMap<llvm::CachedHashStringRef, VariableNumber>;
  /// The numbers of some ops, and the offsets of the inputs and outputs of each; the last offset is the end.
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
  /// Tables of all blocks except the first one, whose variables have their indices as numbers.
  std::vector<llvm::DenseMap<VariableNumber, const legacy::Variable *>> ofBlock;
  /// By block.
  std::vector<std::vector<Numbers>> ofOps;
};

} // namespace proa::import
