/// Lengths of tensor arrays that counters of loops equal.
#pragma once

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace proa::exporter {

/// The length of `array` minus the integer `index` (one element), if it is the same in every run and
/// iteration: a loop that writes element i of an array and increments i keeps it. None if it is unknown.
std::optional<int64_t> lengthMinus(mlir::Value array, mlir::Value index);

} // namespace proa::exporter
