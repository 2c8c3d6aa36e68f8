/// Strings as bytes.
#pragma once

#include "proa/Tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace proa::onnx {

/// The UTF-8 bytes of strings with these dims, as uint8: one more dimension has the bytes of a string,
/// followed by zeros. Its size is the length of the longest string, at least 1. A string ends before its
/// first zero byte.
Tensor bytesOf(const std::vector<std::string> &strings, std::vector<int64_t> dims);

} // namespace proa::onnx
