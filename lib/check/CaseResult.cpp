#include "lib/check/CaseResult.h"

#include <array>

namespace proa::check {

std::string_view nameOf(Stage stage) {
  constexpr std::array<std::string_view, 6> names{"read", "import", "export", "compile", "run", "compare"};
  return names[static_cast<size_t>(stage)];
}

} // namespace proa::check
