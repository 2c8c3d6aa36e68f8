#include "tools/proa-check/KnownFailures.h"

#include "lib/base/support/Files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace proa::tools {
namespace {

using namespace std::string_view_literals;

/// Modes of evaluation. Only compiled code has variants, which may be combined.
constexpr std::array evaluations{"compiled"sv, "reference"sv, "dynamic-dims"sv,
                                 "sharding"sv, "mutants"sv,   "via-onnx"sv};
constexpr std::array variants{
    "decompose"sv, "derive-gradients"sv, "recompute"sv, "micro-batches"sv, "mesh"sv, "cuda"sv, "amp"sv};

const char *const defaultHead = "# Cases that fail: name [modes of proa-check]  # reason. A case that passes "
                                "fails the check until its mode\n"
                                "# is removed here.\n";

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

bool isMode(const std::string &mode) {
  if (std::find(evaluations.begin(), evaluations.end(), mode) != evaluations.end())
    return true;
  std::istringstream names(mode);
  std::string name;
  while (std::getline(names, name, '+'))
    if (std::find(variants.begin(), variants.end(), name) == variants.end())
      return false;
  return !mode.empty();
}

} // namespace

std::string modeOf(const check::CheckOptions &options) {
  if (options.mutants > 0)
    return "mutants";
  if (options.sharding)
    return "sharding";
  if (options.reference)
    return options.dynamicDims ? "dynamic-dims" : "reference";
  if (options.onnxRunner)
    return "via-onnx";
  std::string mode;
  auto add = [&](bool isSet, std::string_view name) {
    if (isSet)
      mode += (mode.empty() ? "" : "+") + std::string(name);
  };
  add(options.decompose, "decompose");
  add(options.deriveGradients, "derive-gradients");
  add(options.memoryBudget.has_value(), "recompute");
  add(options.microBatches > 1, "micro-batches");
  add(options.mesh.has_value(), "mesh");
  add(options.target.starts_with("cuda"), "cuda");
  add(options.amp.has_value(), "amp");
  return mode.empty() ? "compiled" : mode;
}

std::string KnownFailures::add(const std::string &line) {
  size_t hash = line.find('#');
  std::string entry = trimmed(line.substr(0, hash));
  size_t open = entry.find('[');
  std::string name = trimmed(entry.substr(0, open));
  std::string reason = hash == std::string::npos ? "" : trimmed(line.substr(hash + 1));
  if (name.empty() || name.find_first_of(" \t") != std::string::npos || open == std::string::npos ||
      entry.back() != ']' || reason.empty())
    return "found '" + trimmed(line) + "', expected 'case [modes]  # reason'";
  std::istringstream words(entry.substr(open + 1, entry.size() - open - 2));
  Entry added{{}, reason};
  for (std::string mode; words >> mode;) {
    std::string known = mode.substr(0, mode.find('?'));
    if (!isMode(known) || mode.size() - known.size() > 1)
      return fmt::format("unknown mode '{}', expected one of {}, or several of {} joined by '+'", mode,
                         fmt::join(evaluations, ", "), fmt::join(variants, ", "));
    added.modes.insert(mode);
  }
  if (added.modes.empty())
    return "'" + name + "' has no modes, expected 'case [modes]  # reason'";
  return entries.emplace(name, added).second ? "" : "'" + name + "' occurs twice";
}

Result<KnownFailures> KnownFailures::read(const std::string &file) {
  Result<std::string> text = readFile(file);
  if (!text)
    return text.diagnostics();
  KnownFailures known;
  Diagnostics diagnostics;
  std::istringstream lines(*text);
  std::string line;
  for (int index = 1; std::getline(lines, line); ++index) {
    std::string content = trimmed(line);
    if (content.starts_with('#') && known.entries.empty())
      known.head += line + "\n";
    if (content.empty() || content.starts_with('#'))
      continue;
    if (std::string wrong = known.add(line); !wrong.empty())
      diagnostics.add(fmt::format("{}:{}", file, index), wrong);
  }
  if (!diagnostics.empty())
    return diagnostics;
  return known;
}

KnownFailures::Entries::const_iterator KnownFailures::match(const std::string &folder) const {
  for (std::string end = folder;; end = end.substr(end.find('/') + 1))
    if (auto found = entries.find(end); found != entries.end() || end.find('/') == std::string::npos)
      return found;
}

bool KnownFailures::contains(const std::string &folder, const std::string &mode) const {
  auto found = match(folder);
  return found != entries.end() &&
         (found->second.modes.contains(mode) || found->second.modes.contains(mode + "?"));
}

bool KnownFailures::mayPass(const std::string &folder, const std::string &mode) const {
  auto found = match(folder);
  return found != entries.end() && found->second.modes.contains(mode + "?");
}

std::string KnownFailures::removal(const std::string &folder, const std::string &mode,
                                   const std::string &file) const {
  auto found = match(folder);
  if (found->second.modes.size() > 1)
    return fmt::format("remove '{}' from the modes of '{}' in {}", mode, found->first, file);
  return fmt::format("remove the line '{}' from {}", found->first, file);
}

void KnownFailures::update(const Report &report, const std::string &mode) {
  for (size_t i = 0; i < report.cases.size(); ++i) {
    const FoundCase &found = report.cases[i];
    bool failed = report.outcomes[i].status == check::Status::Failed;
    if (mayPass(found.folder, mode))
      continue;
    if (auto known = match(found.folder); known != entries.end()) {
      Entry &entry = entries[known->first];
      failed ? void(entry.modes.insert(mode)) : void(entry.modes.erase(mode));
      if (entry.modes.empty())
        entries.erase(known);
    } else if (failed) {
      entries[nameOf(found)] = {{mode}, reasonOf(report.outcomes[i])};
    }
  }
}

std::string KnownFailures::text() const {
  std::string text = head.empty() ? defaultHead : head;
  for (auto &[name, entry] : entries)
    text += fmt::format("{} [{}]  # {}\n", name, fmt::join(entry.modes, " "), entry.reason);
  return text;
}

} // namespace proa::tools
