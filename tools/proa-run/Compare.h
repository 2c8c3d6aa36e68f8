/// `--compare` and `--bisect` of proa-run.
#pragma once

#include "tools/proa-run/Options.h"

namespace proa::tools {

/// Compares the values of a run of the session with the values of `--compare`, searches for the first pass
/// that changes one (`--bisect`), and prints the reports, with --json as one line. Returns whether nothing
/// differs. Errors: as comparison::compareValues and comparison::bisectProgram.
Result<bool> compareRun(const Session &session, const ToolOptions &options, const params::Tensors &feeds);

} // namespace proa::tools
