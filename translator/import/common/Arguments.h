/// The arguments of an imported function.
#pragma once

#include "translator/legacy/Program.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace proa::import {

/// A feed, a parameter, or a level of the LoD of a feed.
struct Argument {
  std::string name;
  llvm::StringLiteral role; ///< pd::feedAttribute or pd::parameterAttribute
  std::string lodOwner;     ///< the feed that has the LoD; empty for other arguments
  const legacy::Variable *parameter = nullptr;
};

/// For each argument the attributes of ir/FunctionAttributes.h.
std::vector<mlir::DictionaryAttr> attributesOf(mlir::MLIRContext &context,
                                               llvm::ArrayRef<Argument> arguments);

} // namespace proa::import
