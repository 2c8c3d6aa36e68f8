/// State of the import of a `while` as scf.while.
#pragma once

#include "translator/import/legacy/ProgramImporter.h"

namespace proa::import {

/// A loop under construction.
struct ControlFlowImporter::Loop {
  struct Carried {
    std::string name;
    mlir::Value before;      ///< the initial value; null: the block defines it before it reads it
    mlir::Type type;         ///< in the loop; null if `before` is
    bool isReadFirst;        ///< the block may read it before it writes it
    bool isUndefined;        ///< it has no value before the loop
    bool isLevel = false;    ///< it is a level of the LoD of another variable
    VariableLod lod = {};    ///< the LoD before the loop
    size_t levelCount = 0;   ///< number of levels that the loop carries for it; 0: the LoD does not change
    std::string lost = {};   ///< why a loop of no iterations does not keep the value before it
    bool isReshaped = false; ///< `before` was reshaped to the rank in the body
  };
  const legacy::Operation *op;
  int32_t block;
  mlir::Location location;
  std::string condition;
  std::vector<Carried> carried;
  bool changesType = false; ///< an iteration gives a variable another rank or element type
  mlir::Region body;
  llvm::SmallVector<mlir::Value> results; ///< results of the body, for each carried variable that has a type

  llvm::SmallVector<mlir::Type> types() const {
    llvm::SmallVector<mlir::Type> out;
    for (const Carried &variable : carried)
      if (variable.type)
        out.push_back(variable.type);
    return out;
  }
};

} // namespace proa::import
