#include "tools/common/Warnings.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::tools {

void declareWarnings(CLI::App &line, WarningChoice &choice) {
  line.add_option("--warnings", choice.mode,
                  "Warnings about the program: summary prints one line for each kind, all prints each one")
      ->check(CLI::IsMember({WarningChoice::summary, WarningChoice::all, WarningChoice::none}))
      ->capture_default_str();
  line.add_flag_callback(
      "-q,--quiet", [&choice] { choice.mode = WarningChoice::none; }, "Omits warnings: --warnings=none");
}

std::string summaryOf(const Diagnostic &first, size_t count) {
  std::string text = first.text();
  if (count < 2)
    return text;
  text.pop_back();
  return fmt::format("{} (and {} more of this kind; --warnings=all prints each)\n", text, count - 1);
}

WarningPrinter::WarningPrinter(const WarningChoice &choice, std::function<void()> beforeEach)
    : choice(choice), beforeEach(std::move(beforeEach)) {}

void WarningPrinter::print(const std::string &text) {
  if (beforeEach)
    beforeEach();
  fmt::print(stderr, "{}", text);
}

void WarningPrinter::add(const Diagnostic &diagnostic) {
  if (diagnostic.severity != Diagnostic::Severity::Warning || choice.mode == WarningChoice::all)
    return print(diagnostic.text());
  if (choice.printsNone())
    return;
  auto kind = std::ranges::find_if(kinds, [&](const Kind &other) {
    return !diagnostic.code.empty() && other.first.code == diagnostic.code;
  });
  if (kind == kinds.end())
    kinds.push_back({diagnostic, 1});
  else
    ++kind->count;
}

void WarningPrinter::finish() {
  for (const Kind &kind : kinds)
    print(summaryOf(kind.first, kind.count));
  kinds.clear();
}

} // namespace proa::tools
