/// Random changes of attributes and types.
#pragma once

#include "test/fuzz/ir/Mutations.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"

namespace proa::fuzz {

/// Mostly small; now and then the least, the greatest or another extreme one.
int64_t randomInteger(Random &random);

/// An attribute of the same kind with another value; null for kinds that stay.
mlir::Attribute mutateAttribute(mlir::Attribute attribute, Random &random);

/// A tensor type with another dim size, rank or element type; other types stay, or become scalars.
mlir::Type mutateType(mlir::Type type, Random &random);

} // namespace proa::fuzz
