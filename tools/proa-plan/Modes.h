/// Modes of proa-plan, and the options that apply to each.
#pragma once

#include "tools/common/CommandLine.h"

namespace proa::tools {

enum class PlanMode {
  Plan,      ///< of a program: MODEL
  Schedule,  ///< --schedule
  Calibrate, ///< --calibrate
};

/// Groups of options that apply to one mode. Options of other groups apply to all.
constexpr const char *planGroup = "Plans of a program";
constexpr const char *calibrationGroup = "Calibration";

/// The mode that the options of a line that was read ask for.
PlanMode planModeOf(const CLI::App &line);

/// Adds an error for each option of another mode.
void checkMode(const CLI::App &line, Diagnostics &diagnostics);

} // namespace proa::tools
