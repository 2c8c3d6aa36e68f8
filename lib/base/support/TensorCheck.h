/// Validity of tensors from the caller of the API.
#pragma once

#include "proa/Tensor.h"

#include <string>

namespace proa {

/// Why a run refuses the tensor, or "": its dims have no elementCount, or it has elements and no data. Its
/// constructor and reshaped() with another element count create such tensors.
std::string whyInvalid(const Tensor &tensor);

} // namespace proa
