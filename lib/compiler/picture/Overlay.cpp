#include "lib/compiler/picture/Overlay.h"

#include "lib/base/support/Files.h"

#include <nlohmann/json.hpp>

namespace proa::picture {

static double numberIn(const nlohmann::json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

static std::string textIn(const nlohmann::json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Several steps may store one variable, such as a kernel and the copy of its result to another layout. The
/// slowest one gives the name and the share of the roofline.
static void add(const nlohmann::json &step, StepMeasurement &measured) {
  double milliseconds = numberIn(step, "ms");
  if (milliseconds >= measured.milliseconds) {
    measured.kernel = textIn(step, "kernel");
    measured.ops = textIn(step, "ops");
    measured.roofline = numberIn(step, "roofline");
  }
  measured.milliseconds += milliseconds;
  measured.bytes += numberIn(step, "bytes");
  measured.flops += numberIn(step, "flops");
}

Result<void> addRun(const std::string &file, Overlay &overlay) {
  Result<std::string> text = readFile(file);
  if (!text)
    return text.diagnostics();
  nlohmann::json run = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!run.is_object())
    return errorAt(file, "it is not a JSON object, expected the output of proa-run --json");
  bool hasSteps = run.contains("steps") && run["steps"].is_array();
  bool hasErrors =
      run.contains("compare") && run["compare"].is_object() && run["compare"]["values"].is_array();
  if (!hasSteps && !hasErrors)
    return errorAt(
        file, "it has neither times nor errors, expected the output of proa-run --json with --profile or "
              "--compare");
  if (hasSteps)
    for (const nlohmann::json &step : run["steps"]) {
      overlay.milliseconds += numberIn(step, "ms");
      if (std::string name = textIn(step, "variable"); !name.empty())
        add(step, overlay.steps[name]);
    }
  if (hasErrors)
    for (const nlohmann::json &value : run["compare"]["values"])
      if (value.contains("max_abs")) // else it was not compared
        overlay.errors[textIn(value, "name")] = {numberIn(value, "max_abs"), numberIn(value, "max_rel"),
                                                 value.value("passed", true)};
  return {};
}

} // namespace proa::picture
