#include "tools/proa-check/Discover.h"

#include "lib/check/CaseMeta.h"
#include "lib/support/Suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

namespace proa::tools {
namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<std::string> &list, const std::string &value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// A case whose meta.json can't be read is selected: the check will tell why.
bool selectedByOps(const check::CaseMeta &meta, const Selection &selection) {
  bool uses = selection.withOps.empty();
  for (auto &[op, count] : meta.opHistogram) {
    if (!selection.onlyOps.empty() && op != "feed" && op != "fetch" && !contains(selection.onlyOps, op))
      return false;
    uses = uses || contains(selection.withOps, op);
  }
  return uses;
}

/// Whether each parenthesis has a partner, where escaped ones and those in brackets are literal.
bool parenthesesMatch(const std::string &expression) {
  int64_t depth = 0;
  bool inBrackets = false;
  for (size_t i = 0; i < expression.size() && depth >= 0; ++i) {
    char c = expression[i];
    if (c == '\\')
      ++i;
    else if (c == '[' || c == ']')
      inBrackets = c == '[';
    else if (!inBrackets)
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
  }
  return depth == 0;
}

/// What std::regex means by its codes. Its own texts differ from library to library, and libstdc++ reports a
/// '*' with nothing before it as a wrong parenthesis.
std::string describe(const std::regex_error &error, const std::string &expression) {
  namespace codes = std::regex_constants;
  auto code = error.code();
  if (code == codes::error_paren && parenthesesMatch(expression))
    code = codes::error_badrepeat;
  switch (code) {
  case codes::error_paren:
    return "a parenthesis has no partner; a literal one is written \\( or \\)";
  case codes::error_brack:
    return "a '[' is not closed; a literal one is written \\[";
  case codes::error_brace:
    return "a '{' is not closed; a literal one is written \\{";
  case codes::error_badbrace:
    return "the braces hold no valid count, as in {2} or {2,5}";
  case codes::error_badrepeat:
    return "a '*', '+', '?' or '{' has nothing before it to repeat";
  case codes::error_escape:
    return "a backslash at the end, or before a character that it gives no meaning";
  case codes::error_range:
    return "a range in brackets ends before it begins, as in [z-a]";
  case codes::error_backref:
    return "a back reference to a group that does not exist";
  case codes::error_ctype:
    return "an unknown character class, as in [[:no-such:]]";
  case codes::error_collate:
    return "an unknown collating element";
  case codes::error_complexity:
  case codes::error_stack:
  case codes::error_space:
    return "it is too complex";
  }
  return error.what();
}

/// Ops that no case uses, with the names of those that are near.
void checkOps(const char *option, const std::vector<std::string> &ops,
              const std::map<std::string, int64_t> &known, Problems &problems) {
  std::vector<std::string> names;
  for (const auto &[name, count] : known)
    names.push_back(name);
  for (const std::string &op : ops)
    if (!known.contains(op))
      problems.add(option, "no case uses the op '" + op + "'" + didYouMean(op, names));
}

/// Why none of the cases is selected.
Problems nothingSelected(const Selection &selection, size_t cases,
                         const std::map<std::string, int64_t> &ops) {
  Problems problems;
  checkOps("--with-op", selection.withOps, ops, problems);
  checkOps("--ops-only", selection.onlyOps, ops, problems);
  if (problems.empty()) // a misspelled filter must not look like success
    problems.add("proa-check",
                 fmt::format("no case is selected; {} cases were found{}", cases,
                             selection.filter.empty() ? "" : ", --filter '" + selection.filter + "'"));
  return problems;
}

/// The case folders in `directory`, or the directory itself where it is one.
std::vector<std::string> foldersBelow(const std::string &directory) {
  std::error_code error;
  if (fs::exists(fs::path(directory) / "meta.json", error))
    return {fs::path(directory).lexically_normal().string()};
  std::vector<std::string> folders;
  for (auto entry = fs::recursive_directory_iterator(directory, error); !error && entry != fs::end(entry);
       entry.increment(error))
    if (entry->path().filename() == "meta.json")
      folders.push_back(entry->path().parent_path().lexically_normal().string());
  return folders;
}

} // namespace

Result<std::vector<FoundCase>> findCases(const std::vector<std::string> &directories,
                                         const Selection &selection) {
  Problems problems;
  std::regex filter;
  if (std::string wrong = checkExpression(selection.filter); !wrong.empty())
    problems.add("--filter", wrong);
  else
    filter = std::regex(selection.filter);
  std::vector<std::string> folders;
  for (const std::string &directory : directories) {
    std::vector<std::string> found = foldersBelow(directory);
    std::error_code ignored;
    if (found.empty())
      problems.add(directory, std::string(fs::exists(directory, ignored) ? "" : "found no such directory, ") +
                                  "expected a directory with case folders (meta.json) in it");
    folders.insert(folders.end(), found.begin(), found.end());
  }
  if (!problems.empty())
    return problems;
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  std::vector<FoundCase> selected;
  std::map<std::string, int64_t> ops;
  for (const std::string &folder : folders) {
    if (!std::regex_search(folder, filter))
      continue;
    Result<check::CaseMeta> meta = check::readCaseMeta(folder + "/meta.json");
    if (meta)
      for (const auto &[op, count] : meta->opHistogram)
        ops[op] += count;
    if (!meta || selectedByOps(*meta, selection))
      selected.push_back({folder, meta ? meta->name.substr(0, meta->name.find('/')) : "?"});
  }
  if (selected.empty())
    return nothingSelected(selection, folders.size(), ops);
  return selected;
}

std::string checkExpression(const std::string &expression) {
  try {
    std::regex compiled(expression);
    return "";
  } catch (const std::regex_error &error) {
    return "'" + expression + "' is not a regular expression: " + describe(error, expression);
  }
}

} // namespace proa::tools
