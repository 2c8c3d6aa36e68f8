#include "lib/check/CaseResult.h"

#include <array>

namespace proa::check {

std::string_view nameOf(Stage stage) {
  constexpr std::array<std::string_view, 5> names{"read", "import", "compile", "run", "compare"};
  return names[static_cast<size_t>(stage)];
}

} // namespace proa::check
