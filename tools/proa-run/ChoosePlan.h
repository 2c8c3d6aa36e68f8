/// The strategy of a run by a plan.
#pragma once

#include "tools/proa-run/Options.h"

#include "proa/Result.h"

#include <functional>

namespace proa::tools {

/// Sets the options of --plan, or the options of the best executable plan for --strategy=auto, which `note`
/// gets. Errors: in the file of the plan or of the cluster; options that contradict the plan; no plan fits.
Result<void> choosePlan(ToolOptions &options, const std::function<void(const std::string &)> &note);

} // namespace proa::tools
