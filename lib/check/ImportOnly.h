/// Import and verification of a program without a run.
#pragma once

#include "lib/check/CaseMeta.h"
#include "proa/Diagnostic.h"

#include <functional>

namespace proa::check {

/// For cases without expected outputs: imports and verifies the program in `folder`. Errors: from the
/// reader, the importer and the verifier.
Result<void> importAndVerify(const std::string &folder, const CaseMeta &meta,
                             const std::function<void(const Diagnostic &)> &onDiagnostic = {});

} // namespace proa::check
