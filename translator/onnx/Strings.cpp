#include "translator/onnx/Strings.h"

#include <algorithm>
#include <cstring>

namespace proa::onnx {

Tensor bytesOf(const std::vector<std::string> &strings, std::vector<int64_t> dims) {
  size_t width = 1;
  for (const std::string &text : strings)
    width = std::max(width, text.size());
  dims.push_back(static_cast<int64_t>(width));
  Tensor out(DType::UInt8, std::move(dims));
  auto *bytes = out.as<uint8_t>();
  std::memset(bytes, 0, strings.size() * width);
  for (size_t i = 0; i < strings.size(); ++i)
    std::memcpy(bytes + i * width, strings[i].data(), strings[i].size());
  return out;
}

} // namespace proa::onnx
