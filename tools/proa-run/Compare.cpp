#include "tools/proa-run/Compare.h"

#include "lib/compiler/compare/BisectProgram.h"
#include "lib/compiler/compare/CompareReport.h"

#include <fmt/format.h>

namespace proa::tools {

static nlohmann::json bisectionJson(const comparison::BisectReport &report) {
  const numerics::NumericsFinding *found = report.finding();
  if (!found)
    return nullptr;
  return {{"pass", found->pass},
          {"result", found->result},
          {"reason", found->reason},
          {"rewrite", found->rewrite.text()},
          {"pattern", found->rewrite.pattern}};
}

Result<bool> compareRun(const Session &session, const ToolOptions &options, const params::Tensors &feeds) {
  comparison::CompareRequest request{options.path,    options.model, feeds,       {},
                                     options.compare, options.rtol,  options.atol};
  if (request.options.codeOptimization == CodeOptimization::Background)
    request.options.codeOptimization = CodeOptimization::Always; // all runs compute the same
  for (const TensorInfo &info : session.model().parameters())
    if (Result<Tensor> value = session.parameter(info.name))
      request.parameters[info.name] = *value;
  bool passed = true;
  nlohmann::json json{{"model", options.path}};
  std::string text;
  if (!options.compare.empty()) {
    auto compared = comparison::compareValues(request);
    if (!compared)
      return compared.diagnostics();
    passed = compared->passed();
    json["compare"] = comparison::reportJson(*compared);
    text = comparison::reportText(*compared);
  }
  if (options.bisects) {
    auto report = comparison::bisectProgram(request);
    if (!report)
      return report.diagnostics();
    passed &= !report->finding();
    json["bisect"] = bisectionJson(*report);
    text += report->text();
  }
  if (options.json)
    text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  fmt::print("{}", text);
  return passed;
}

} // namespace proa::tools
