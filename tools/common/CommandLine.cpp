#include "tools/common/CommandLine.h"

#include "lib/support/Files.h"
#include "proa/Model.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

namespace proa::tools {

CommandLine::CommandLine(const std::string &name, const std::string &description, const std::string &examples)
    : CLI::App(description, name) {
  set_version_flag("--version", [name] { return name + " " + proa::version(); });
  footer("Examples:\n" + examples + "\nExit codes: 0 done, 1 something failed, 2 wrong command line.\n");
  get_formatter()->column_width(36);
}

std::optional<int> CommandLine::read(int argc, char **argv) {
  try {
    parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success &request) { // --help, --version
    exit(request, std::cout, std::cerr);
    return finishOutput(ExitCode::success);
  } catch (const CLI::RequiredError &error) { // the reason may be a misspelled option
    std::vector<std::string> unknown = remaining();
    return failCommandLine(*this, unknown.empty() ? error.what() : CLI::ExtrasError(unknown).what());
  } catch (const CLI::ParseError &error) {
    return failCommandLine(*this, error.what());
  }
}

namespace {

Problems outputProblem() {
  return problem("stdout", std::string("can not write the output") +
                               (errno == 0 ? "" : std::string(": ") + std::strerror(errno)));
}

} // namespace

int fail(const Problems &problems) {
  std::cerr << problems.text();
  return ExitCode::failure;
}

int failCommandLine(const CLI::App &app, const std::string &message) {
  std::cerr << "error: " << app.get_name() << ": " << message << "\nTry " << app.get_name() << " --help.\n";
  return ExitCode::wrongCommandLine;
}

int finishOutput(int code) {
  std::cout.flush();
  errno = 0;
  bool isWritten = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  return isWritten ? code : fail(outputProblem());
}

Output::Output(const std::string &path) {
  if (path != "-")
    file.emplace(path);
}

void Output::append(std::string_view text) {
  if (file)
    file->append(std::as_bytes(std::span(text)));
  else
    std::fwrite(text.data(), 1, text.size(), stdout); // finishOutput says what went wrong
}

Result<void> Output::finish() { return file ? file->finish() : Result<void>(); }

Result<void> writeOutput(const std::string &path, const std::string &content) {
  Output output(path);
  output.append(content);
  return output.finish();
}

void checkOutputFile(const std::string &path, Problems &problems) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path folder = fs::path(path).parent_path();
  if (path.empty())
    return;
  if (fs::is_directory(path, ignored))
    problems.add(path, "found a folder, expected the name of a file to write");
  else if (!folder.empty() && !fs::is_directory(folder, ignored))
    problems.add(path, "there is no folder '" + folder.string() + "' to write the file to");
}

std::string inputPath(const std::string &path) { return path == "-" ? "/dev/stdin" : path; }

int runTool(const CLI::App &app, const std::function<int()> &work) {
  try {
    return finishOutput(work());
  } catch (const std::bad_alloc &) {
    return fail(
        problem(app.get_name(),
                "no memory is left; the program, its weights or its feeds are too large for this machine"));
  } catch (const std::exception &error) { // of the file system, or stdout that can't be written
    return fail(problem(app.get_name(), error.what()));
  }
}

namespace {

/// "1x3x224x224", or "" for no dims at all.
std::optional<std::vector<int64_t>> parseDims(std::string_view text) {
  std::vector<int64_t> dims;
  if (text.empty())
    return dims;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    int64_t dim = 0;
    auto [next, error] = std::from_chars(at, end, dim);
    if (error != std::errc() || dim < 0)
      return std::nullopt;
    dims.push_back(dim);
    if (next == end)
      break;
    if (*next != 'x')
      return std::nullopt;
    at = next + 1;
  }
  if (!elementCount(dims))
    return std::nullopt;
  return dims;
}

} // namespace

FeedDims parseFeedDims(const std::vector<std::string> &texts, Problems &problems) {
  FeedDims all;
  for (const std::string &text : texts) {
    size_t equals = text.rfind('=');
    auto dims =
        equals == std::string::npos ? std::nullopt : parseDims(std::string_view(text).substr(equals + 1));
    if (!dims)
      problems.add("--dims", "found '" + text + "', expected NAME=1x3x224x224");
    else if (!all.emplace(text.substr(0, equals), *dims).second)
      problems.add("--dims", "'" + text.substr(0, equals) + "' is given twice");
  }
  return all;
}

} // namespace proa::tools
