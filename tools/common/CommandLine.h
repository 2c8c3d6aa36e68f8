/// What the command lines of all tools share: exit codes, --help, --version, errors on stderr.
#pragma once

#include "lib/support/Files.h"
#include "proa/Result.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa::tools {

/// Exit codes of every tool.
enum ExitCode : int {
  success = 0,
  failure = 1,          ///< the work was not done, or a check failed
  wrongCommandLine = 2, ///< the command line makes no sense
};

/// A command line with --help (ending in `examples`) and --version.
class CommandLine : public CLI::App {
public:
  CommandLine(const std::string &name, const std::string &description, const std::string &examples);

  /// Whether an argument is a value of an option, and neither the model nor another option.
  using IsValue = std::function<bool(const std::string &argument)>;
  /// A flag whose value is optional (`--recompute`, `--recompute=100`) takes the argument after it as its
  /// value where `isValue` says so. Other values still need the equals sign.
  void takeNextValue(const std::string &flag, IsValue isValue);
  /// An option that is given once for each value (`--dims a=1 --dims b=2`) also takes the arguments after its
  /// first value, as long as `isValue` says so.
  void takeMoreValues(const std::string &option, IsValue isValue);

  /// Reads the arguments. Returns the exit code with which to end now, or nothing to go on. Where the flag
  /// --json is among them, errors are JSON from here on.
  std::optional<int> read(int argc, char **argv);

private:
  std::vector<std::string> completed(std::vector<std::string> arguments) const;
  std::string unexpected(const std::vector<std::string> &arguments) const;
  std::string hintFor(const std::string &argument, const std::vector<std::string> &arguments) const;
  std::string singleDashes(const std::vector<std::string> &arguments) const;
  std::vector<std::string> optionNames() const;

  std::map<std::string, IsValue> nextValues, moreValues;
};

/// Makes fail() and failCommandLine() print {"errors": [{"where": ..., "message": ...}]} on stdout, as one
/// line, and nothing on stderr.
void printErrorsAsJson();

/// The problems in that form.
std::string errorsJson(const Problems &problems);

/// Prints all problems on stderr; returns ExitCode::failure.
int fail(const Problems &problems);

/// Prints "error: TOOL: MESSAGE" on stderr; returns ExitCode::wrongCommandLine.
int failCommandLine(const CLI::App &app, const std::string &message);

/// Prints problems of the command line, which CLI11 cannot see, as fail(); returns
/// ExitCode::wrongCommandLine.
int failCommandLine(const Problems &problems);

/// What is wrong with writing binary data to `path`, or nothing: a terminal is no place for it, unless
/// `force` says so.
std::string checkBinaryOutput(const std::string &path, bool force);

/// "12.3 MiB".
std::string sizeText(int64_t bytes);

/// Writes out what stdout still holds: `code`, or ExitCode::failure and an error where that can't be done.
int finishOutput(int code);

/// What a tool writes: a file as a whole (see FileWriter), or stdout where `path` is "-"; finishOutput tells
/// whether that went well.
class Output {
public:
  explicit Output(const std::string &path);
  void append(std::string_view text);
  Result<void> finish();

private:
  std::optional<FileWriter> file;
};

Result<void> writeOutput(const std::string &path, const std::string &content);

/// What is wrong with a name that an option is given, or nothing: the check of options that name files.
std::string checkName(const std::string &path);

/// What is wrong with the value of --seed, or nothing.
std::string checkSeed(const std::string &text);

/// Adds what keeps a file from being written to `path`, before work is done whose result would be lost.
void checkOutputFile(const std::string &path, Problems &problems);

/// The file that "-" stands for where a tool reads: stdin.
std::string inputPath(const std::string &path);

/// Runs the work of a tool, which returns its exit code. Where memory runs out or stdout can't be written,
/// that is an error like others.
int runTool(const CLI::App &app, const std::function<int()> &work);

/// Dims of feeds, by name.
using FeedDims = std::map<std::string, std::vector<int64_t>>;

/// Whether an argument is a value of a --dims option: NAME=1x3x224x224, or several of them with commas.
bool isFeedDims(const std::string &text);

/// Reads the values of a --dims option, each NAME=1x3x224x224 (nothing after the sign: a scalar). What is
/// wrong with the others is added to `problems`.
FeedDims parseFeedDims(const std::vector<std::string> &texts, Problems &problems);

} // namespace proa::tools
