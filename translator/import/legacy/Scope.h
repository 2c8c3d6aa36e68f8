/// The values of variables at one point of a program.
#pragma once

#include "translator/import/legacy/VariableIndex.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/StringMap.h"

#include <vector>

namespace proa::import {

/// Values by name; null for a name without one. Values of declared variables are in a list: a lookup by
/// number is one access.
class Scope {
public:
  Scope() = default;
  explicit Scope(const VariableIndex &variables) : variables(&variables), declared(variables.size()) {}

  mlir::Value lookup(llvm::StringRef name) const {
    VariableNumber number = numberOf(name);
    return number == noVariable ? others.lookup(name) : declared[number];
  }
  /// `number`: the number of the name, or noVariable.
  mlir::Value lookup(llvm::StringRef name, VariableNumber number) const {
    return number == noVariable ? others.lookup(name) : declared[number];
  }
  bool contains(llvm::StringRef name) const { return lookup(name) != nullptr; }

  void set(llvm::StringRef name, mlir::Value value) { set(name, numberOf(name), value); }
  void set(llvm::StringRef name, VariableNumber number, mlir::Value value) {
    if (number != noVariable)
      declared[number] = value;
    else
      others[name] = value;
  }
  void erase(llvm::StringRef name) {
    if (VariableNumber number = numberOf(name); number != noVariable)
      declared[number] = {};
    else
      others.erase(name);
  }

private:
  VariableNumber numberOf(llvm::StringRef name) const {
    return variables ? variables->numberOf(name) : noVariable;
  }

  const VariableIndex *variables = nullptr;
  std::vector<mlir::Value> declared;
  /// Values of undeclared names: levels of LoDs, rows, damaged programs.
  llvm::StringMap<mlir::Value> others;
};

} // namespace proa::import
