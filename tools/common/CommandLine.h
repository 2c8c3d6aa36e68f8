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

  /// Reads the arguments. Returns the exit code with which to end now, or nothing to go on.
  std::optional<int> read(int argc, char **argv);
};

/// Prints all problems on stderr; returns ExitCode::failure.
int fail(const Problems &problems);

/// Prints "error: TOOL: MESSAGE" on stderr; returns ExitCode::wrongCommandLine.
int failCommandLine(const CLI::App &app, const std::string &message);

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

/// Adds what keeps a file from being written to `path`, before work is done whose result would be lost.
void checkOutputFile(const std::string &path, Problems &problems);

/// The file that "-" stands for where a tool reads: stdin.
std::string inputPath(const std::string &path);

/// Runs the work of a tool, which returns its exit code. Where memory runs out or stdout can't be written,
/// that is an error like others.
int runTool(const CLI::App &app, const std::function<int()> &work);

/// Dims of feeds, by name.
using FeedDims = std::map<std::string, std::vector<int64_t>>;

/// Reads the values of a --dims option, each NAME=1x3x224x224 (nothing after the sign: a scalar). What is
/// wrong with the others is added to `problems`.
FeedDims parseFeedDims(const std::vector<std::string> &texts, Problems &problems);

} // namespace proa::tools
