/// Variables of a program by name.
#pragma once

#include "translator/legacy/Program.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace proa::import {

/// Looks variables up in a block and then along its parents.
class VariableIndex {
public:
  explicit VariableIndex(const legacy::Program &program);
  /// Null where no variable has this name.
  const legacy::Variable *find(int32_t block, llvm::StringRef name) const;

private:
  const legacy::Program &program;
  std::vector<llvm::DenseMap<llvm::StringRef, const legacy::Variable *>> byName;
};

} // namespace proa::import
