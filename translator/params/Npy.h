/// NumPy's .npy files.
#pragma once

#include "proa/Tensor.h"

#include <string>

namespace proa::params {

/// Reads format versions 1 to 3 with little-endian numbers, bools and complex numbers, in C or Fortran order.
/// Errors: the file is missing or too short, is not a .npy file, has a damaged header, big-endian numbers or
/// an element type that proa does not have (objects, strings, long doubles).
Result<Tensor> readNpy(const std::string &path);

} // namespace proa::params
