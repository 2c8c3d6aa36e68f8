/// What the importer knows of a `while` that it turns into scf.while.
#pragma once

#include "translator/import/ProgramImporter.h"

namespace proa::import {

/// A loop in the making.
struct ControlFlowImporter::Loop {
  struct Carried {
    std::string name;
    mlir::Value before;   ///< the value when the loop begins; null: the block defines it before it reads it
    mlir::Type type;      ///< in the loop; null as long as `before` is
    bool isReadFirst;     ///< the block may read it before it writes it
    bool isUndefined;     ///< before the loop it has no value
    bool isLevel = false; ///< a level of the LoD of another one
    VariableLod lod = {}; ///< of a variable: the LoD before the loop
    size_t levelCount =
        0; ///< of a variable: how many levels the loop carries for it; 0: `lod` holds in the loop too
    std::string lost = {};   ///< why a loop of no iterations does not leave what was there before it
    bool isReshaped = false; ///< `before` got the rank that the body gives it
  };
  const legacy::Operation *op;
  int32_t block;
  mlir::Location location;
  std::string condition;
  std::vector<Carried> carried;
  bool changesType = false; ///< an iteration gives a variable another rank or element type
  mlir::Region body;
  llvm::SmallVector<mlir::Value> results; ///< of the body, for each carried variable that has a type

  llvm::SmallVector<mlir::Type> types() const {
    llvm::SmallVector<mlir::Type> out;
    for (const Carried &variable : carried)
      if (variable.type)
        out.push_back(variable.type);
    return out;
  }
};

} // namespace proa::import
