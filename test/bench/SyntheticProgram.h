/// Synthetic programs, to measure how time grows with the number of ops.
#pragma once

#include <cstddef>
#include <string>

namespace proa::bench {

/// JSON of a program with `operations` ops and one feed `x`: residual blocks of matmul_v2, elementwise_add,
/// gelu and layer_norm as Paddle 2.6 writes them, with about as many bytes per op as the programs of the
/// corpus. The last op writes the variable `lastVariable(operations)`.
std::string syntheticProgram(size_t operations);
std::string lastVariable(size_t operations);

} // namespace proa::bench
