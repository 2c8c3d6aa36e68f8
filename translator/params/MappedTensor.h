/// Tensors over the bytes of a mapped file.
#pragma once

#include "lib/base/support/Files.h"
#include "proa/Tensor.h"

#include <memory>
#include <optional>

namespace proa::params {

/// Bytes of a tensor of these dims; nothing where they have no element count or the product overflows.
std::optional<size_t> byteCount(DType dtype, std::span<const int64_t> dims);

/// The tensor whose elements begin at `offset`, where all its bytes must be inside the file. It shares the
/// file's memory where that is aligned for the element type, else it is a copy. Errors: a bool that is
/// neither 0 nor 1.
Result<Tensor> mappedTensor(const std::shared_ptr<const MappedFile> &file, size_t offset, DType dtype,
                            std::vector<int64_t> dims);

} // namespace proa::params
