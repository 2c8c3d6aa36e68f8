#include "proa/Model.h"

namespace proa {

std::string version() { return PROA_VERSION; }

} // namespace proa
