#include "lib/picture/Overlay.h"

#include "lib/support/Files.h"

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
    for (const nlohmann::json &step : run["steps"])
      if (std::string name = textIn(step, "variable"); !name.empty())
        overlay.milliseconds[name] += numberIn(step, "ms");
  if (hasErrors)
    for (const nlohmann::json &value : run["compare"]["values"])
      if (value.contains("max_abs")) // else it was not compared
        overlay.errors[textIn(value, "name")] = {numberIn(value, "max_abs"), numberIn(value, "max_rel"),
                                                 value.value("passed", true)};
  return {};
}

} // namespace proa::picture
