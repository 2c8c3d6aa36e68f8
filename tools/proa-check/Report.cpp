#include "tools/proa-check/Report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace proa::tools {
namespace {

using check::Status;

struct Counts {
  int64_t passed = 0, failed = 0, skipped = 0;
  std::map<std::string, int64_t> stages;

  void add(const Outcome &outcome) {
    passed += outcome.status == Status::Passed;
    failed += outcome.status == Status::Failed;
    skipped += outcome.status == Status::Skipped;
    if (outcome.status == Status::Failed)
      ++stages[outcome.stage];
  }
};

const std::vector<std::string> stageColumns{"read",    "import", "export",   "compile", "run",
                                            "compare", "crash",  "time-out", "known"};

std::string groupRow(const std::string &name, const Counts &counts) {
  std::string row =
      fmt::format("{:<16}{:>8}{:>8}{:>8}  ", name, counts.passed, counts.failed, counts.skipped);
  for (const std::string &stage : stageColumns) {
    auto found = counts.stages.find(stage);
    row += fmt::format("{:>9}", found == counts.stages.end() ? "" : std::to_string(found->second));
  }
  return row + "\n";
}

/// A message without its numbers, which differ from case to case.
std::string withoutNumbers(const std::string &message) {
  std::string out;
  for (size_t i = 0; i < message.size(); ++i) {
    bool digit = message[i] >= '0' && message[i] <= '9';
    bool inWord =
        i > 0 && (std::isalpha(static_cast<unsigned char>(message[i - 1])) || message[i - 1] == '_');
    if (!digit || inWord) { // "pool2d" and "float32" stay as they are
      out += message[i];
      if (digit)
        while (i + 1 < message.size() && std::isdigit(static_cast<unsigned char>(message[i + 1])))
          out += message[++i];
      continue;
    }
    out += 'N';
    while (i + 1 < message.size() && std::isdigit(static_cast<unsigned char>(message[i + 1])))
      ++i;
  }
  return out;
}

std::string reasonKey(const Outcome &outcome, const Diagnostic &diagnostic) {
  if (outcome.stage == "compare") {
    bool values = diagnostic.message.find(" differ; ") != std::string::npos;
    bool type = diagnostic.message.starts_with("got ");
    return values ? "compare: values differ"
           : type ? "compare: dtype or dims differ"
                  : "compare: " + withoutNumbers(diagnostic.message);
  }
  return outcome.stage + ": " + withoutNumbers(diagnostic.message);
}

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

} // namespace

std::string caseLine(const FoundCase &found, const Outcome &outcome, bool verbose) {
  const char *word = outcome.status == Status::Passed   ? "pass"
                     : outcome.status == Status::Failed ? "FAIL"
                                                        : "skip";
  std::string line = fmt::format("{} {}", word, found.folder);
  if (!outcome.diagnostics.empty()) {
    const Diagnostic &first = outcome.diagnostics[0];
    line += fmt::format(": {}: {}{}{}", outcome.stage, first.location, first.location.empty() ? "" : ": ",
                        firstLine(first.message));
    if (outcome.diagnostics.size() > 1)
      line += fmt::format(" (and {} more)", outcome.diagnostics.size() - 1);
  }
  if (outcome.status == Status::Passed)
    line += fmt::format("  {:.0f} ms, max abs error {:.3g}", outcome.milliseconds, outcome.maxAbsolute);
  line += "\n";
  if (!verbose || outcome.status != Status::Failed)
    return line;
  for (const Diagnostic &p : outcome.diagnostics)
    line += fmt::format("     {}{}{}\n", p.location, p.location.empty() ? "" : ": ", p.message);
  for (size_t at = 0; at < outcome.output.size();) {
    size_t end = std::min(outcome.output.find('\n', at), outcome.output.size());
    line += "     | " + outcome.output.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return line;
}

std::string reasonOf(const Outcome &outcome) {
  return outcome.diagnostics.empty() ? outcome.stage : firstLine(reasonKey(outcome, outcome.diagnostics[0]));
}

std::string groupTable(const Report &report) {
  std::map<std::string, Counts> groups;
  Counts total;
  for (size_t i = 0; i < report.cases.size(); ++i) {
    groups[report.cases[i].group].add(report.outcomes[i]);
    total.add(report.outcomes[i]);
  }
  std::string table = fmt::format("{:<16}{:>8}{:>8}{:>8}  ", "cases", "passed", "failed", "skipped");
  for (const std::string &stage : stageColumns)
    table += fmt::format("{:>9}", stage);
  table += "\n";
  for (auto &[name, counts] : groups)
    table += groupRow(name, counts);
  if (groups.size() > 1)
    table += groupRow("all", total);
  return table;
}

std::string reasonTable(const Report &report, size_t rows) {
  struct Reason {
    int64_t cases = 0;
    std::string example;
  };
  std::map<std::string, Reason> reasons;
  for (size_t i = 0; i < report.cases.size(); ++i) {
    if (report.outcomes[i].status != Status::Failed)
      continue;
    std::set<std::string> keys; // a reason counts once per case
    for (const Diagnostic &p : report.outcomes[i].diagnostics)
      keys.insert(firstLine(reasonKey(report.outcomes[i], p)));
    for (const std::string &key : keys)
      if (reasons[key].cases++ == 0)
        reasons[key].example = report.cases[i].folder;
  }
  std::vector<std::pair<std::string, Reason>> sorted(reasons.begin(), reasons.end());
  std::sort(sorted.begin(), sorted.end(), [](auto &a, auto &b) {
    return a.second.cases != b.second.cases ? a.second.cases > b.second.cases : a.first < b.first;
  });
  std::string table;
  for (size_t i = 0; i < std::min(rows, sorted.size()); ++i)
    table += fmt::format("{:>6}  {:.150}  ({})\n", sorted[i].second.cases, sorted[i].first,
                         sorted[i].second.example);
  if (sorted.size() > rows)
    table += fmt::format("        and {} other reasons\n", sorted.size() - rows);
  return table.empty() ? "" : " cases  reason (example)\n" + table;
}

std::string lastLine(const Report &report) {
  Counts total;
  for (const Outcome &outcome : report.outcomes)
    total.add(outcome);
  return fmt::format("{} passed, {} failed, {} skipped", total.passed, total.failed, total.skipped);
}

} // namespace proa::tools
