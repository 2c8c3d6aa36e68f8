/// Random changes of modules.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <random>

namespace proa::fuzz {

using Random = std::mt19937_64;

/// A random number below `count`, which is not 0.
inline size_t pick(Random &random, size_t count) { return random() % count; }

template <class Range> auto pickFrom(Random &random, Range &&range) {
  auto begin = std::begin(range);
  return *std::next(begin, static_cast<ptrdiff_t>(
                               pick(random, static_cast<size_t>(std::distance(begin, std::end(range))))));
}

/// Changes one thing in `module`: an attribute, a type, an op, an operand, a result or a function. The result
/// need not verify. False if there is nothing of the selected kind.
bool mutate(mlir::ModuleOp module, Random &random);

} // namespace proa::fuzz
