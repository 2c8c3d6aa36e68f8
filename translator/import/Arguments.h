/// What the arguments of an imported function are.
#pragma once

#include "translator/legacy/Program.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace proa::import {

/// What a run is fed or a parameter ("pd.feed", "pd.param"), or a level of the LoD of what it is fed.
struct Argument {
  std::string name;
  const char *role;
  std::string lodOwner;
  const legacy::Variable *parameter = nullptr;
};

/// The attributes that say so, a dictionary for each.
std::vector<mlir::DictionaryAttr> attributesOf(mlir::MLIRContext &context,
                                               llvm::ArrayRef<Argument> arguments);

/// Writes the text that MLIR prints for such a dictionary.
void printAttributes(llvm::raw_ostream &stream, const Argument &argument);

} // namespace proa::import
