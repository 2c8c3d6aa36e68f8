/// Attributes of a function's arguments and results.
#pragma once

#include "dialects/dist/Dist.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace proa::dist {

/// The sharding of an argument or a result; null without one.
ShardingAttr argumentSharding(mlir::FunctionOpInterface function, unsigned index);
ShardingAttr resultSharding(mlir::FunctionOpInterface function, unsigned index);

/// Collects changes and makes them at once: each change of one argument would copy the list of all.
class InterfaceAttributes {
public:
  explicit InterfaceAttributes(mlir::FunctionOpInterface function);

  void setArgument(unsigned index, llvm::StringRef name, mlir::Attribute value) {
    arguments[index].set(name, value);
  }
  void setResult(unsigned index, llvm::StringRef name, mlir::Attribute value) {
    results[index].set(name, value);
  }
  /// Makes the changes.
  void apply();

private:
  mlir::FunctionOpInterface function;
  llvm::SmallVector<mlir::NamedAttrList> arguments, results;
};

} // namespace proa::dist
