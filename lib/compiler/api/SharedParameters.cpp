#include "lib/compiler/api/SharedParameters.h"

#include <algorithm>
#include <cstring>

namespace proa {
namespace {

/// Calls `visit` with each member and its offset in the buffer; false if they do not fit or some are missing.
template <class Visit>
bool forEachMember(const legacy::SharedStorage &storage, const Tensor &buffer,
                   std::map<std::string, Tensor> &values, Visit visit) {
  size_t at = 0;
  for (const std::string &name : storage.members) {
    auto member = values.find(name);
    if (member == values.end() || member->second.dtype() != buffer.dtype() ||
        buffer.bytes() - at < member->second.bytes())
      return false;
    visit(member->second, at);
    at += member->second.bytes();
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
    if (buffer == values.end() || !std::ranges::all_of(storage.members, isThere))
      continue;
    Tensor whole = copyOf(buffer->second);
    auto *to = static_cast<std::byte *>(whole.data());
    if (!forEachMember(storage, whole, values, [&](const Tensor &member, size_t at) {
          std::memcpy(to + at, member.data(), member.bytes());
        }))
      return errorAt(
          "variable '" + storage.buffer + "'",
          "its members do not fit into it as coalesce_tensor of the startup program puts them there");
    buffer->second = std::move(whole);
  }
  return {};
}

void updateMembers(const std::vector<legacy::SharedStorage> &shared, const std::string &buffer,
                   std::map<std::string, Tensor> &values) {
  for (const legacy::SharedStorage &storage : shared) {
    if (storage.buffer != buffer)
      continue;
    const Tensor whole = values.at(buffer);
    forEachMember(storage, whole, values, [&](Tensor &member, size_t at) {
      Tensor changed(member.dtype(), member.dims());
      std::memcpy(changed.data(), static_cast<const std::byte *>(whole.data()) + at, member.bytes());
      member = std::move(changed);
    });
  }
}

} // namespace proa
