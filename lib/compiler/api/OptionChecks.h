/// Checks of the options of a model, and of what it finds in its folder.
#pragma once

#include "lib/runtime/plan/Plan.h"
#include "proa/Model.h"

#include <map>
#include <string>

namespace proa {

/// Errors of option values. `path` is the location.
Result<void> checkOptions(const ModelOptions &options, const std::string &path);
/// Errors of options that an IR file does not have: they change how a legacy program is imported.
Result<void> checkIrOptions(const ModelOptions &options, const std::string &path);

/// The error that parameters of the plan have no value, where no file of weights was found beside the file
/// `program`.
Result<void> checkParameterValues(const std::string &path, const std::string &program,
                                  const runtime::Plan &plan, const std::map<std::string, Tensor> &values);

/// "LOCATION: MESSAGE", for a message about another one.
std::string textOf(const Diagnostic &diagnostic);

} // namespace proa
