/// Imports and verifies a program without running it.
#pragma once

#include "lib/check/CaseMeta.h"
#include "proa/Diagnostic.h"

#include <functional>

namespace proa::check {

/// For cases that have no expected outputs: the program in `folder` must import, and the module verify.
/// Errors: those of the reader, the importer and the verifier.
Result<void> importAndVerify(const std::string &folder, const CaseMeta &meta,
                             const std::function<void(const Diagnostic &)> &onDiagnostic = {});

} // namespace proa::check
