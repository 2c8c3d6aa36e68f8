/// Tensors over bytes that a file or a buffer holds.
#pragma once

#include "proa/Result.h"
#include "proa/Tensor.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace proa {

/// The tensor of these dims whose elements are `bytes`, as many as it needs. It shares the memory and holds
/// `owner` where the bytes are aligned for the element type, else it is a copy. Error: a bool that is neither
/// 0 nor 1.
Result<Tensor> sharedTensor(std::shared_ptr<const void> owner, std::span<const std::byte> bytes, DType dtype,
                            std::vector<int64_t> dims);

} // namespace proa
