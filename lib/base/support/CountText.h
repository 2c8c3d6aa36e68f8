/// Numbers of things in messages.
#pragma once

#include <cstdint>
#include <string>

namespace proa {

/// "1 run", "2 runs"; `several` is the plural if it is not `one` with an s.
inline std::string countText(int64_t count, const std::string &one, const std::string &several = "") {
  return std::to_string(count) + " " + (count == 1 ? one : several.empty() ? one + "s" : several);
}

} // namespace proa
