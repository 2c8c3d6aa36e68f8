/// Measurements of a run that a picture shows: times of ops, and errors of values.
#pragma once

#include "proa/Result.h"

#include <map>
#include <string>

namespace proa::picture {

struct ValueError {
  double maxAbsolute = 0, maxRelative = 0;
  bool passed = true;
};

/// Time and work of the step that stores a variable.
struct StepMeasurement {
  double milliseconds = 0, bytes = 0, flops = 0, roofline = 0; ///< as in proa/Profile.h
  std::string kernel, ops;
};

/// By the names of variables.
struct Overlay {
  std::map<std::string, StepMeasurement> steps;
  double milliseconds = 0; ///< of all steps, also those that store no variable
  std::map<std::string, ValueError> errors;
};

/// Adds what a line of `proa-run --json` holds: "steps" of --profile, "compare" of --compare. Error: not
/// JSON, or neither of them.
Result<void> addRun(const std::string &file, Overlay &overlay);

} // namespace proa::picture
