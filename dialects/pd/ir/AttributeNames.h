/// Trait of ops that have only the attributes declared by their record.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace proa::pd {

/// Reports each attribute of `op` that is neither declared by its record nor prefixed with a dialect's name.
llvm::LogicalResult verifyAttributeNames(mlir::Operation *op);

/// See AttributeNames.td.
template <class ConcreteOp>
class DeclaredAttributesOnly : public mlir::OpTrait::TraitBase<ConcreteOp, DeclaredAttributesOnly> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyAttributeNames(op); }
};

} // namespace proa::pd
