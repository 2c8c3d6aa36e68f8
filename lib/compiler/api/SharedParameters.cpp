#include "lib/compiler/api/SharedParameters.h"

#include <algorithm>
#include <cstring>

namespace proa {
namespace {

/// Calls `visit` with each part and its offset in the buffer; false if they do not fit or some are missing.
template <class Visit>
bool forEachPart(const legacy::SharedStorage &storage, const Tensor &buffer,
                 std::map<std::string, Tensor> &values, Visit visit) {
  size_t at = 0;
  for (const std::string &name : storage.parts) {
    auto part = values.find(name);
    if (part == values.end() || part->second.dtype() != buffer.dtype() ||
        buffer.bytes() - at < part->second.bytes())
      return false;
    visit(part->second, at);
    at += part->second.bytes();
  }
  return true;
}

Tensor copyOf(const Tensor &tensor) {
  Tensor copy(tensor.dtype(), tensor.dims());
  std::memcpy(copy.data(), tensor.data(), tensor.bytes());
  return copy;
}

} // namespace

Result<void> updateBuffers(const std::vector<legacy::SharedStorage> &shared,
                           std::map<std::string, Tensor> &values) {
  for (const legacy::SharedStorage &storage : shared) {
    auto buffer = values.find(storage.buffer);
    auto isThere = [&](const std::string &name) { return values.contains(name); };
    if (buffer == values.end() || !std::ranges::all_of(storage.parts, isThere))
      continue;
    Tensor whole = copyOf(buffer->second);
    auto *to = static_cast<std::byte *>(whole.data());
    if (!forEachPart(storage, whole, values,
                     [&](const Tensor &part, size_t at) { std::memcpy(to + at, part.data(), part.bytes()); }))
      return errorAt(
          "variable '" + storage.buffer + "'",
          "its parts do not fit into it as coalesce_tensor of the startup program puts them there");
    buffer->second = std::move(whole);
  }
  return {};
}

void updateParts(const std::vector<legacy::SharedStorage> &shared, const std::string &buffer,
                 std::map<std::string, Tensor> &values) {
  for (const legacy::SharedStorage &storage : shared) {
    if (storage.buffer != buffer)
      continue;
    const Tensor whole = values.at(buffer);
    forEachPart(storage, whole, values, [&](Tensor &part, size_t at) {
      Tensor changed(part.dtype(), part.dims());
      std::memcpy(changed.data(), static_cast<const std::byte *>(whole.data()) + at, part.bytes());
      part = std::move(changed);
    });
  }
}

} // namespace proa
