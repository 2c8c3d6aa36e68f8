/// Command lines of all tools: exit codes, --help, --version, errors on stderr.
#pragma once

#include "lib/base/support/Files.h"
#include "proa/Result.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa::tools {

/// Exit codes of all tools.
enum ExitCode : int {
  success = 0,
  failure = 1,          ///< an error, or a failed check
  wrongCommandLine = 2, ///< invalid command line
};

/// A command line with --version and a --help page that ends with `examples`.
class CommandLine : public CLI::App {
public:
  CommandLine(const std::string &name, const std::string &description, const std::string &examples);

  /// Whether an argument is a value of an option rather than the model or another option.
  using IsValue = std::function<bool(const std::string &argument)>;
  /// Lets a flag with an optional value (`--recompute`, `--recompute=100`) take the next argument as its
  /// value if `isValue` accepts it. Other values need the equals sign.
  void takeNextValue(const std::string &flag, IsValue isValue);
  /// Lets an option with one value per occurrence (`--dims a=1 --dims b=2`) take the arguments after its
  /// first value while `isValue` accepts them.
  void takeMoreValues(const std::string &option, IsValue isValue);

  /// Parses the arguments. Returns an exit code if the tool is done, or nothing to continue. With the flag
  /// --json, errors are JSON from here on.
  std::optional<int> read(int argc, char **argv);

private:
  std::vector<std::string> completed(std::vector<std::string> arguments) const;
  std::string unexpected(const std::vector<std::string> &arguments) const;
  std::string hintFor(const std::string &argument, const std::vector<std::string> &arguments) const;
  std::string singleDashes(const std::vector<std::string> &arguments) const;
  std::vector<std::string> optionNames() const;

  std::map<std::string, IsValue> nextValues, moreValues;
};

/// Makes fail() and failCommandLine() print one line of JSON on stdout, {"errors": [{"where": ..., "message":
/// ...}]}, and nothing on stderr.
void printErrorsAsJson();

/// Prints errors by a function, which calls `print` only in the process that should print them.
using ErrorPrinter = std::function<void(const Diagnostics &diagnostics,
                                        const std::function<void(const Diagnostics &)> &print)>;
void setErrorPrinter(ErrorPrinter printer);

/// The errors as that JSON.
std::string errorsJson(const Diagnostics &diagnostics);

/// Prints all errors on stderr; returns ExitCode::failure.
int fail(const Diagnostics &diagnostics);

/// Prints "error: TOOL: MESSAGE" on stderr; returns ExitCode::wrongCommandLine.
int failCommandLine(const CLI::App &app, const std::string &message);

/// Prints errors of the command line that CLI11 does not detect; returns ExitCode::wrongCommandLine.
int failCommandLine(const Diagnostics &diagnostics);

/// The error of writing binary data to `path`, or "": a terminal is refused unless `force` is set.
std::string checkBinaryOutput(const std::string &path, bool force);

/// A size as text: "12.3 MiB".
std::string sizeText(int64_t bytes);

/// Flushes stdout. Returns `code`, or ExitCode::failure after an error if stdout cannot be written.
int finishOutput(int code);

/// Output of a tool: a file that is written as a whole (see FileWriter), or stdout if `path` is "-", whose
/// errors finishOutput reports.
class Output {
public:
  explicit Output(const std::string &path);
  void append(std::string_view text);
  Result<void> finish();

private:
  std::optional<FileWriter> file;
};

Result<void> writeOutput(const std::string &path, const std::string &content);

/// The error of a file name in an option, or "".
std::string checkName(const std::string &path);

/// The error of the value of --seed, or "".
std::string checkSeed(const std::string &text);

/// Adds the reasons why `path` cannot be written, to report them before the work is done.
void checkOutputFile(const std::string &path, Diagnostics &diagnostics);

/// The path to read: "-" is stdin.
std::string inputPath(const std::string &path);

/// Runs the work of a tool, which returns its exit code. Reports exceptions, such as exhausted memory, as
/// errors.
int runTool(const CLI::App &app, const std::function<int()> &work);

/// Dims of feeds by name.
using FeedDims = std::map<std::string, std::vector<int64_t>>;

/// Converts the value of an option to an enum. --help lists the names.
template <typename Enum> CLI::Validator oneOf(const std::map<std::string, Enum> &byName) {
  std::string names;
  for (const auto &[name, value] : byName)
    names += (names.empty() ? "{" : ",") + name;
  names += "}";
  CLI::CheckedTransformer transformer(byName);
  auto convert = [byName, names, transformer](std::string &value) {
    return byName.contains(value) ? transformer(value) : "found '" + value + "', expected one of " + names;
  };
  return CLI::Validator(convert, names);
}

/// Whether an argument is a value of --dims: NAME=1x3x224x224, or several of them with commas.
bool isFeedDims(const std::string &text);

/// The error of a value of --dims, or "".
std::string checkFeedDims(const std::string &text);

/// Parses values of --dims, each NAME=1x3x224x224 (nothing after the sign: a scalar). Adds errors to
/// `diagnostics`.
FeedDims parseFeedDims(const std::vector<std::string> &texts, Diagnostics &diagnostics);

} // namespace proa::tools
