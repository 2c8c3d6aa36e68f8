/// Updates of scattered elements.
#pragma once

#include "dialects/pd/builders/ElementBuilder.h"
#include "dialects/pd/ir/Enums.h"

namespace proa::rt {

/// The element and an update of it, which have one type, combined.
mlir::Value combinedUpdate(pd::ElementBuilder &builder, pd::ScatterReduce reduce, mlir::Value held,
                           mlir::Value given, bool isUnsigned);

} // namespace proa::rt
