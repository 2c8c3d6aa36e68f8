/// Random changes of attributes and types.
#pragma once

#include "test/fuzz/ir/Mutations.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"

namespace proa::fuzz {

/// Mostly small numbers, sometimes the smallest, the largest or another extreme one.
int64_t randomInteger(Random &random);

/// An attribute of the same kind with another value; null for kinds that are not changed.
mlir::Attribute mutateAttribute(mlir::Attribute attribute, Random &random);

/// A tensor type with another dim, rank or element type; other types are kept, or become scalars.
mlir::Type mutateType(mlir::Type type, Random &random);

} // namespace proa::fuzz
