/// Warnings about a program on stderr: one line for each kind, or all of them.
#pragma once

#include "proa/Diagnostic.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace proa::tools {

/// Values of --warnings and --quiet.
struct WarningChoice {
  static constexpr const char *summary = "summary";
  static constexpr const char *all = "all";
  static constexpr const char *none = "none";

  std::string mode = summary;
  bool printsNone() const { return mode == none; }
};

/// Adds --warnings and -q,--quiet.
void declareWarnings(CLI::App &line, WarningChoice &choice);

/// The text of warnings of the same kind: the first one, and how many others there are.
std::string summaryOf(const Diagnostic &first, size_t count);

/// Prints remarks at once, and warnings as the user chose.
class WarningPrinter {
public:
  /// `beforeEach` is called before each line, to remove a progress bar.
  WarningPrinter(const WarningChoice &choice, std::function<void()> beforeEach = {});
  ~WarningPrinter() { finish(); }
  WarningPrinter(const WarningPrinter &) = delete;
  WarningPrinter &operator=(const WarningPrinter &) = delete;

  void add(const Diagnostic &diagnostic);
  /// Prints the summaries of the warnings since the last call.
  void finish();

private:
  void print(const std::string &text);

  struct Kind {
    Diagnostic first;
    size_t count = 0;
  };

  const WarningChoice &choice;
  std::function<void()> beforeEach;
  std::vector<Kind> kinds; ///< in the order of their first warnings
};

} // namespace proa::tools
