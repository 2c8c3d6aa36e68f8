#include "lib/base/support/Verification.h"

#include <cstdlib>
#include <string_view>

namespace proa {

bool verifiesPasses() {
#ifdef NDEBUG
  static const bool verifies = [] {
    const char *value = std::getenv("PROA_VERIFY_PASSES");
    return value && std::string_view(value) == "1";
  }();
  return verifies;
#else
  return true;
#endif
}

} // namespace proa
