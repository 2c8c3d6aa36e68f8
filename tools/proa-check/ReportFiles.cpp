#include "tools/proa-check/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace proa::tools {
namespace {

using check::Status;

constexpr const char *statusNames[] = {"passed", "failed", "skipped"};

/// Escapes text for XML; characters that XML 1.0 does not allow become '?'.
std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

std::string junitCase(const FoundCase &found, const Outcome &outcome) {
  std::string out = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                                escaped(found.group), escaped(found.folder), outcome.milliseconds / 1000);
  if (outcome.status == Status::Passed)
    return out + "/>\n";
  std::string first = outcome.diagnostics.empty() ? "" : outcome.diagnostics[0].message;
  const char *element = outcome.status == Status::Failed ? "failure" : "skipped";
  out += fmt::format(">\n    <{} message=\"{}\"", element, escaped(outcome.stage + ": " + first));
  if (outcome.status == Status::Skipped)
    return out + "/>\n  </testcase>\n";
  return out + fmt::format(">{}{}</failure>\n  </testcase>\n", escaped(outcome.diagnostics.text()),
                           escaped(outcome.output));
}

} // namespace

std::string toJson(const Report &report) {
  nlohmann::json cases = nlohmann::json::array();
  for (size_t i = 0; i < report.cases.size(); ++i) {
    const Outcome &outcome = report.outcomes[i];
    nlohmann::json diagnostics = nlohmann::json::array();
    for (const Diagnostic &p : outcome.diagnostics)
      diagnostics.push_back({{"where", p.location}, {"message", p.message}});
    cases.push_back({{"case", report.cases[i].folder},
                     {"group", report.cases[i].group},
                     {"status", statusNames[static_cast<size_t>(outcome.status)]},
                     {"stage", outcome.stage},
                     {"milliseconds", outcome.milliseconds},
                     {"max_abs_error", outcome.maxAbsolute},
                     {"problems", diagnostics}});
  }
  nlohmann::json all{{"summary", lastLine(report)}, {"cases", cases}};
  return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string toJunit(const Report &report) {
  int failed = 0, skipped = 0;
  std::string cases;
  for (size_t i = 0; i < report.cases.size(); ++i) {
    failed += report.outcomes[i].status == Status::Failed;
    skipped += report.outcomes[i].status == Status::Skipped;
    cases += junitCase(report.cases[i], report.outcomes[i]);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"proa-check\" tests=\"{}\" "
      "failures=\"{}\" skipped=\"{}\">\n{}</testsuite>\n",
      report.cases.size(), failed, skipped, cases);
}

} // namespace proa::tools
