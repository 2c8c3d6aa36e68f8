/// Whether the compiler checks its own passes.
#pragma once

namespace proa {

/// Whether pipelines verify the IR after each pass: always in builds with assertions, otherwise only if
/// $PROA_VERIFY_PASSES is "1", as in the tests. IR of users is always verified when it is read.
bool verifiesPasses();

} // namespace proa
