/// The values of variables at one point of a program.
#pragma once

#include "translator/import/legacy/VariableIndex.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/StringMap.h"

#include <vector>

namespace proa::import {

/// Values by name; null for a name without one. Values of declared variables are in a list: a lookup by
/// id is one access.
class Scope {
public:
  Scope() = default;
  explicit Scope(const VariableIndex &variables) : variables(&variables), declared(variables.size()) {}

  mlir::Value lookup(llvm::StringRef name) const {
    VariableId id = idOf(name);
    return id == noVariable ? others.lookup(name) : declared[id];
  }
  /// `id`: the id of the name, or noVariable.
  mlir::Value lookup(llvm::StringRef name, VariableId id) const {
    return id == noVariable ? others.lookup(name) : declared[id];
  }
  bool contains(llvm::StringRef name) const { return lookup(name) != nullptr; }

  void set(llvm::StringRef name, mlir::Value value) { set(name, idOf(name), value); }
  void set(llvm::StringRef name, VariableId id, mlir::Value value) {
    if (id != noVariable)
      declared[id] = value;
    else
      others[name] = value;
  }
  void erase(llvm::StringRef name) {
    if (VariableId id = idOf(name); id != noVariable)
      declared[id] = {};
    else
      others.erase(name);
  }

private:
  VariableId idOf(llvm::StringRef name) const { return variables ? variables->idOf(name) : noVariable; }

  const VariableIndex *variables = nullptr;
  std::vector<mlir::Value> declared;
  /// Values of undeclared names: levels of LoDs, rows, damaged programs.
  llvm::StringMap<mlir::Value> others;
};

} // namespace proa::import
