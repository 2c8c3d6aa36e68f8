//! Options that apply to one mode of proa-plan.
#include "tools/proa-plan/Modes.h"
#include "tools/proa-plan/Schedules.h"

namespace proa::tools {
namespace {

struct ModeGroup {
  PlanMode mode;
  const char *group;
  const char *option; ///< that asks for the mode
  const char *what;
};

constexpr ModeGroup modeGroups[] = {
    {PlanMode::Schedule, scheduleGroup, "--schedule", "a pipeline schedule"},
    {PlanMode::Calibrate, calibrationGroup, "--calibrate", "the calibration"},
    {PlanMode::Plan, planGroup, "MODEL", "plans of a program"}, // if no other option asks for a mode
};

} // namespace

PlanMode planModeOf(const CLI::App &line) {
  for (const ModeGroup &group : modeGroups)
    if (group.mode != PlanMode::Plan && line.get_option(group.option)->count() > 0)
      return group.mode;
  return PlanMode::Plan;
}

void checkMode(const CLI::App &line, Diagnostics &diagnostics) {
  PlanMode mode = planModeOf(line);
  std::string chosen;
  for (const ModeGroup &group : modeGroups)
    if (group.mode == mode)
      chosen = group.option;
  for (const CLI::Option *option : line.get_options())
    for (const ModeGroup &group : modeGroups) {
      if (option->count() == 0 || option->get_group() != group.group || group.mode == mode)
        continue;
      std::string name = option->get_positional() ? "MODEL" : option->get_name();
      std::string expected =
          mode == PlanMode::Plan ? "with " + std::string(group.option) : "without " + chosen;
      diagnostics.add(name, "is for " + std::string(group.what) + ", expected it " + expected);
    }
}

} // namespace proa::tools
