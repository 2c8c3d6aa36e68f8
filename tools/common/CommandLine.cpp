#include "tools/common/CommandLine.h"

#include "lib/base/support/Files.h"
#include "lib/base/support/Suggest.h"
#include "proa/Model.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <unistd.h>

namespace proa::tools {

CommandLine::CommandLine(const std::string &name, const std::string &description, const std::string &examples)
    : CLI::App(description, name) {
  set_version_flag("--version", [name] { return name + " " + proa::version(); });
  footer("Examples:\n" + examples + "\nExit codes: 0 done, 1 something failed, 2 wrong command line.\n");
  get_formatter()->column_width(36);
}

void CommandLine::takeNextValue(const std::string &flag, IsValue isValue) {
  nextValues[flag] = std::move(isValue);
}

void CommandLine::takeMoreValues(const std::string &option, IsValue isValue) {
  moreValues[option] = std::move(isValue);
}

/// Joins each value that takeNextValue and takeMoreValues accept to its option: --option=VALUE.
std::vector<std::string> CommandLine::completed(std::vector<std::string> arguments) const {
  std::vector<std::string> result;
  const IsValue *isMore = nullptr;
  std::string repeated;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument == "--") {
      result.insert(result.end(), arguments.begin() + static_cast<ptrdiff_t>(i), arguments.end());
      break;
    }
    bool hasNext = i + 1 < arguments.size() && !arguments[i + 1].starts_with("-");
    std::string option = argument.substr(0, argument.find('='));
    if (auto more = moreValues.find(option); more != moreValues.end()) {
      isMore = &more->second;
      repeated = option;
      result.push_back(argument);
      if (option == argument && hasNext)
        result.push_back(arguments[++i]);
    } else if (auto next = nextValues.find(argument);
               next != nextValues.end() && hasNext && next->second(arguments[i + 1])) {
      isMore = nullptr;
      result.push_back(argument + "=" + arguments[++i]);
    } else if (isMore && !argument.starts_with("-") && (*isMore)(argument)) {
      result.push_back(repeated);
      result.push_back(argument);
    } else {
      isMore = nullptr;
      result.push_back(argument);
    }
  }
  return result;
}

std::vector<std::string> CommandLine::optionNames() const {
  std::vector<std::string> names;
  for (const CLI::Option *option : get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back(name);
  return names;
}

/// A hint for a value that no option takes: how to pass it to the option before it.
std::string CommandLine::hintFor(const std::string &argument,
                                 const std::vector<std::string> &arguments) const {
  auto at = std::find(arguments.begin(), arguments.end(), argument);
  while (at != arguments.begin() && !(--at)->starts_with("-"))
    continue;
  if (at == arguments.end() || !at->starts_with("-"))
    return "";
  const CLI::Option *option = get_option_no_throw(at->substr(0, at->find('=')));
  if (!option)
    return "";
  if (nextValues.contains(*at))
    return "; the value of " + *at + " follows an equals sign: " + *at + "=" + argument;
  if (option->get_delimiter() != '\0')
    return "; several values of " + *at + " are separated by commas";
  return "";
}

/// The message for arguments that nothing takes.
std::string CommandLine::unexpected(const std::vector<std::string> &arguments) const {
  std::string text;
  for (const std::string &argument : remaining()) {
    std::string name = argument.substr(0, argument.find('='));
    text += text.empty() ? "" : "; ";
    text += argument.starts_with("-")
                ? "unknown option '" + name + "'" +
                      didYouMean(name.substr(std::min(name.size(), name.find_first_not_of('-'))),
                                 optionNames(), "--")
                : "the argument '" + argument + "' was not expected" + hintFor(argument, arguments);
  }
  return text;
}

/// The message for "-inputs", which CLI11 would read as "-i nputs".
std::string CommandLine::singleDashes(const std::vector<std::string> &arguments) const {
  std::vector<std::string> names = optionNames();
  for (const std::string &argument : arguments) {
    if (argument.starts_with("--") || !argument.starts_with("-") || argument.size() < 3)
      continue;
    std::string name = argument.substr(1, argument.find('=') - 1);
    if (std::find(names.begin(), names.end(), name) != names.end())
      return "unknown option '-" + name + "'; did you mean '--" + name + "'?";
  }
  return "";
}

namespace {

/// Rewrites messages of CLI11: "--jobs: 1 required INT missing", "Could not convert: --seed = x".
std::string inWords(const CLI::ParseError &error) {
  std::string text = error.what();
  const std::string missing = ": 1 required ", end = " missing", conversion = "Could not convert: ";
  if (size_t at = text.find(missing); at != std::string::npos && text.ends_with(end)) {
    std::string expected = text.substr(at + missing.size(), text.size() - end.size() - at - missing.size());
    size_t colon = expected.find(':'); // "INT:INT in [1 - 10]", "TEXT:{a,b}"
    return text.substr(0, at) + ": the value is missing; expected " +
           (colon == std::string::npos ? expected : expected.substr(colon + 1));
  }
  if (size_t equals = text.find(" = "); text.starts_with(conversion) && equals != std::string::npos)
    return text.substr(conversion.size(), equals - conversion.size()) + ": found '" +
           text.substr(equals + 3) + "', expected a number";
  return text;
}

} // namespace

std::optional<int> CommandLine::read(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const CLI::Option *json = get_option_no_throw("--json");
  if (json && json->get_items_expected_max() == 0 &&
      std::find(arguments.begin(), arguments.end(), "--json") != arguments.end())
    printErrorsAsJson();
  if (std::string wrong = singleDashes(arguments); !wrong.empty())
    return failCommandLine(*this, wrong);
  try {
    std::vector<std::string> reversed = completed(arguments); // CLI11 takes them in reverse
    std::reverse(reversed.begin(), reversed.end());
    parse(std::move(reversed));
    return std::nullopt;
  } catch (const CLI::Success &request) { // --help, --version
    exit(request, std::cout, std::cerr);
    return finishOutput(ExitCode::success);
  } catch (const CLI::ExtrasError &) {
    return failCommandLine(*this, unexpected(arguments));
  } catch (const CLI::RequiredError &error) { // the reason may be a misspelled option
    return failCommandLine(*this, remaining().empty() ? error.what() : unexpected(arguments));
  } catch (const CLI::ParseError &error) {
    return failCommandLine(*this, inWords(error));
  }
}

namespace {

bool errorsAreJson = false;
ErrorPrinter errorPrinter;

Diagnostics outputError() {
  return errorAt("stdout", std::string("cannot write the output") +
                               (errno == 0 ? "" : std::string(": ") + std::strerror(errno)));
}

void print(const Diagnostics &diagnostics, const std::string &hint = "") {
  auto printHere = [&hint](const Diagnostics &printed) {
    if (errorsAreJson)
      std::cout << errorsJson(printed) << std::flush;
    else
      std::cerr << printed.text() << hint;
  };
  if (errorPrinter)
    errorPrinter(diagnostics, printHere);
  else
    printHere(diagnostics);
}

} // namespace

void printErrorsAsJson() { errorsAreJson = true; }

void setErrorPrinter(ErrorPrinter printer) { errorPrinter = std::move(printer); }

std::string errorsJson(const Diagnostics &diagnostics) {
  nlohmann::json errors = nlohmann::json::array();
  for (const Diagnostic &diagnostic : diagnostics)
    errors.push_back({{"where", diagnostic.location}, {"message", diagnostic.message}});
  return nlohmann::json{{"errors", errors}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

int fail(const Diagnostics &diagnostics) {
  print(diagnostics);
  return ExitCode::failure;
}

int failCommandLine(const CLI::App &app, const std::string &message) {
  print(errorAt(app.get_name(), message), "Try " + app.get_name() + " --help.\n");
  return ExitCode::wrongCommandLine;
}

int failCommandLine(const Diagnostics &diagnostics) {
  print(diagnostics);
  return ExitCode::wrongCommandLine;
}

std::string checkBinaryOutput(const std::string &path, bool force) {
  bool isTerminal = path == "-" && !force && ::isatty(STDOUT_FILENO);
  return isTerminal
             ? "the output is binary and stdout is a terminal; use -o FILE, or -f to write it to the terminal"
             : "";
}

std::string sizeText(int64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit)
    value /= 1024;
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, units[unit]);
}

int finishOutput(int code) {
  std::cout.flush();
  errno = 0;
  bool isWritten = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (isWritten)
    return code;
  std::cerr << outputError().text(); // also if errors are JSON, which stdout would not deliver
  return ExitCode::failure;
}

Output::Output(const std::string &path) {
  if (path != "-")
    file.emplace(path);
}

void Output::append(std::string_view text) {
  if (file)
    file->append(std::as_bytes(std::span(text)));
  else
    std::fwrite(text.data(), 1, text.size(), stdout); // finishOutput reports errors
}

Result<void> Output::finish() { return file ? file->finish() : Result<void>(); }

Result<void> writeOutput(const std::string &path, const std::string &content) {
  Output output(path);
  output.append(content);
  return output.finish();
}

std::string checkName(const std::string &path) {
  return path.empty() ? "expected a name, found nothing" : "";
}

void checkOutputFile(const std::string &path, Diagnostics &diagnostics) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (path.empty() || path == "-")
    return;
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty())
    folder = ".";
  fs::file_status status = fs::symlink_status(path, ignored);
  // A device is written in place, and the target of a link is in another folder.
  bool isReplaced = !fs::exists(status) || fs::is_regular_file(status);
  if (fs::is_directory(path, ignored))
    diagnostics.add(path, "found a folder, expected a file name");
  else if (!fs::is_directory(folder, ignored))
    diagnostics.add(path, "the folder '" + folder.string() + "' does not exist");
  else if (isReplaced && ::access(folder.c_str(), W_OK) != 0)
    diagnostics.add(path, std::string("cannot create a file in its folder: ") + std::strerror(errno));
}

std::string inputPath(const std::string &path) { return path == "-" ? "/dev/stdin" : path; }

int runTool(const CLI::App &app, const std::function<int()> &work) {
  try {
    return finishOutput(work());
  } catch (const std::bad_alloc &) {
    return fail(
        errorAt(app.get_name(),
                "out of memory; the program, its weights or its feeds are too large for this machine"));
  } catch (const std::exception &error) { // of the file system, or of writing stdout
    return fail(errorAt(app.get_name(), error.what()));
  }
}

namespace {

/// "1x3x224x224", or "" for a scalar.
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

std::string checkSeed(const std::string &text) {
  uint64_t seed = 0;
  auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  bool isSeed = error == std::errc() && next == text.data() + text.size();
  return isSeed ? "" : "found '" + text + "', expected a number from 0 to 18446744073709551615";
}

bool isFeedDims(const std::string &text) {
  size_t equals = text.find('=');
  return equals != std::string::npos && equals > 0 &&
         text.find_first_not_of("0123456789x", text.rfind('=') + 1) == std::string::npos;
}

namespace {

/// Splits "a=1x2,b=3" into "a=1x2" and "b=3". A comma separates only if a name and "=" follow.
std::vector<std::string> separated(const std::vector<std::string> &texts) {
  std::vector<std::string> entries;
  for (const std::string &text : texts) {
    size_t begin = 0;
    for (size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', comma + 1)) {
      size_t sign = text.find('=', comma);
      if (sign == std::string::npos || text.find(',', comma + 1) < sign)
        continue;
      entries.push_back(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
    entries.push_back(text.substr(begin));
  }
  return entries;
}

} // namespace

namespace {

std::optional<std::pair<std::string, std::vector<int64_t>>> parseEntry(const std::string &text) {
  size_t equals = text.rfind('=');
  auto dims =
      equals == std::string::npos ? std::nullopt : parseDims(std::string_view(text).substr(equals + 1));
  return dims ? std::optional(std::pair(text.substr(0, equals), *dims)) : std::nullopt;
}

std::string expectedDims(const std::string &text) {
  return "found '" + text + "', expected NAME=1x3x224x224";
}

} // namespace

std::string checkFeedDims(const std::string &text) {
  for (const std::string &entry : separated({text}))
    if (!parseEntry(entry))
      return expectedDims(entry);
  return "";
}

FeedDims parseFeedDims(const std::vector<std::string> &texts, Diagnostics &diagnostics) {
  FeedDims all;
  for (const std::string &text : separated(texts)) {
    auto entry = parseEntry(text);
    if (!entry)
      diagnostics.add("--dims", expectedDims(text));
    else if (!all.insert(*entry).second)
      diagnostics.add("--dims", "'" + entry->first + "' occurs twice");
  }
  return all;
}

} // namespace proa::tools
