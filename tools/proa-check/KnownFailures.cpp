#include "tools/proa-check/KnownFailures.h"

#include "lib/support/Files.h"

#include <fmt/format.h>

#include <sstream>

namespace proa::tools {
namespace {

std::string trimmed(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t\r");
  size_t end = text.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// The path from the case's group on: "ops/relu/basic", "models/nlp/bert".
std::string nameOf(const FoundCase &found) {
  size_t at = found.folder.rfind("/" + found.group + "/");
  return at == std::string::npos ? found.folder : found.folder.substr(at + 1);
}

} // namespace

Result<KnownFailures> KnownFailures::read(const std::string &file) {
  Result<std::string> text = readFile(file);
  if (!text)
    return text.problems();
  KnownFailures known;
  Problems problems;
  std::istringstream lines(*text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    size_t hash = line.find('#');
    std::string name = trimmed(line.substr(0, hash));
    std::string reason = hash == std::string::npos ? "" : trimmed(line.substr(hash + 1));
    if (name.empty())
      continue;
    std::string where = fmt::format("{}:{}", file, number);
    if (name.find_first_of(" \t") != std::string::npos)
      problems.add(where, "found '" + name + "', expected one case, then '# reason'");
    else if (!known.reasons.emplace(name, reason).second)
      problems.add(where, "'" + name + "' stands here a second time");
  }
  if (!problems.empty())
    return problems;
  return known;
}

std::map<std::string, std::string>::const_iterator KnownFailures::match(const std::string &folder) const {
  for (std::string end = folder;; end = end.substr(end.find('/') + 1))
    if (auto found = reasons.find(end); found != reasons.end() || end.find('/') == std::string::npos)
      return found;
}

void KnownFailures::update(const Report &report) {
  for (size_t i = 0; i < report.cases.size(); ++i) {
    const FoundCase &found = report.cases[i];
    for (auto known = match(found.folder); known != reasons.end(); known = match(found.folder))
      reasons.erase(known);
    if (report.outcomes[i].status == check::Status::Failed)
      reasons[nameOf(found)] = reasonOf(report.outcomes[i]);
  }
}

std::string KnownFailures::text() const {
  std::string text = "# Cases that fail, and why. Written by proa-check --update-known; keep it shrinking.\n";
  for (auto &[name, reason] : reasons)
    text += name + (reason.empty() ? "" : "  # " + reason) + "\n";
  return text;
}

} // namespace proa::tools
