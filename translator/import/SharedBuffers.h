/// Tensors that coalesce_tensor has laid out in one buffer.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <string>
#include <vector>

namespace proa::import {

/// One memory under several names: the buffer's and those of its parts. Values have no memory; a write to one
/// name makes the values of others old.
struct SharedBuffer {
  struct Part {
    std::string name;
    mlir::RankedTensorType type;
    int64_t begin;        ///< its first element in the buffer
    bool isOld = false;   ///< the buffer was written since
    bool isNewer = false; ///< it was written since the buffer was
  };
  int32_t block; ///< that of the coalesce_tensor
  std::string buffer;
  std::vector<Part> parts;

  bool isBufferOld() const {
    return std::any_of(parts.begin(), parts.end(), [](const Part &part) { return part.isNewer; });
  }
};

} // namespace proa::import
