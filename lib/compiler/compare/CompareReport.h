/// The report of a comparison of values, as text and as JSON.
#pragma once

#include "lib/compiler/compare/CompareValues.h"

#include <nlohmann/json.hpp>

#include <string>

namespace proa::comparison {

/// The first op whose result differs, with the errors of its elements and the state of its operands; further
/// differences, at most `mostValues` of them; the values that are not compared; a summary.
std::string reportText(const ValueComparison &comparison, size_t mostValues = 10);

/// {"tested", "expected", "passed", "values": [{"name", "op", "line", "type", "passed", "max_abs", "max_rel",
/// "mismatches", "elements", "not_compared"}]}. Numbers that are not finite are null.
nlohmann::json reportJson(const ValueComparison &comparison);

} // namespace proa::comparison
