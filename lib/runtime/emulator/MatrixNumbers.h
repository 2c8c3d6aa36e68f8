/// Elements of matrices in registers and shared memory, as numbers.
#pragma once

#include "lib/base/target/MatrixInstruction.h"

#include <cstddef>

namespace proa::emulator {

/// Element `index` after `memory` as a number. Products of two of these are exact in double, but for F64.
double numberAt(MatrixElement type, const void *memory, size_t index);
/// Stores a sum, rounded to the type. Integers wrap, or saturate.
void storeNumber(MatrixElement type, void *memory, size_t index, double value, bool saturates);

} // namespace proa::emulator
