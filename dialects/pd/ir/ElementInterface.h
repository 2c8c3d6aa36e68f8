/// The interface of ops whose result is given element by element.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace proa::pd {
class ElementBuilder;
} // namespace proa::pd

#include "dialects/pd/ir/ElementInterface.h.inc"
