#include "tools/proa-check/Discover.h"

#include "lib/base/support/Suggest.h"
#include "lib/check/CaseFolder.h"

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

/// A case whose description cannot be read is selected, so that its check reports the error.
bool selectedByOps(const check::CaseMeta &meta, const Selection &selection) {
  bool uses = selection.withOps.empty();
  for (auto &[op, count] : meta.opHistogram) {
    if (!selection.onlyOps.empty() && op != "feed" && op != "fetch" && !contains(selection.onlyOps, op))
      return false;
    uses = uses || contains(selection.withOps, op);
  }
  return uses;
}

/// Whether all parentheses match; escaped ones and those in brackets are literal.
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

/// Text for the error codes of std::regex. Its own texts differ between libraries, and libstdc++ reports a
/// leading '*' as a wrong parenthesis.
std::string describe(const std::regex_error &error, const std::string &expression) {
  namespace codes = std::regex_constants;
  auto code = error.code();
  if (code == codes::error_paren && parenthesesMatch(expression))
    code = codes::error_badrepeat;
  switch (code) {
  case codes::error_paren:
    return "unmatched parenthesis; write \\( or \\) for a literal one";
  case codes::error_brack:
    return "unmatched '['; write \\[ for a literal one";
  case codes::error_brace:
    return "unmatched '{'; write \\{ for a literal one";
  case codes::error_badbrace:
    return "invalid count in braces, expected {2} or {2,5}";
  case codes::error_badrepeat:
    return "nothing to repeat before '*', '+', '?' or '{'";
  case codes::error_escape:
    return "invalid escape: a backslash at the end or before this character";
  case codes::error_range:
    return "invalid range in brackets, such as [z-a]";
  case codes::error_backref:
    return "back reference to an unknown group";
  case codes::error_ctype:
    return "unknown character class, such as [[:no-such:]]";
  case codes::error_collate:
    return "unknown collating element";
  case codes::error_complexity:
  case codes::error_stack:
  case codes::error_space:
    return "it is too complex";
  }
  return error.what();
}

/// Reports ops that no case uses, with near names.
void checkOps(const char *option, const std::vector<std::string> &ops,
              const std::map<std::string, int64_t> &known, Diagnostics &diagnostics) {
  std::vector<std::string> names;
  for (const auto &[name, count] : known)
    names.push_back(name);
  for (const std::string &op : ops)
    if (!known.contains(op))
      diagnostics.add(option, "no case uses the op '" + op + "'" + didYouMean(op, names));
}

/// The reason why no case is selected.
Diagnostics nothingSelected(const Selection &selection, size_t cases,
                            const std::map<std::string, int64_t> &ops) {
  Diagnostics diagnostics;
  checkOps("--with-op", selection.withOps, ops, diagnostics);
  checkOps("--ops-only", selection.onlyOps, ops, diagnostics);
  if (diagnostics.empty()) // a misspelt filter must not look like success
    diagnostics.add("proa-check",
                    fmt::format("no case is selected; {} cases were found{}", cases,
                                selection.filter.empty() ? "" : ", --filter '" + selection.filter + "'"));
  return diagnostics;
}

} // namespace

Result<std::vector<FoundCase>> findCases(const std::vector<std::string> &directories,
                                         const Selection &selection) {
  Diagnostics diagnostics;
  std::regex filter;
  if (std::string wrong = checkExpression(selection.filter); !wrong.empty())
    diagnostics.add("--filter", wrong);
  else
    filter = std::regex(selection.filter);
  std::vector<std::string> folders;
  for (const std::string &directory : directories) {
    std::vector<std::string> found = check::caseFoldersIn(directory);
    std::error_code ignored;
    if (found.empty())
      diagnostics.add(directory,
                      std::string(fs::exists(directory, ignored) ? "" : "the directory does not exist, ") +
                          "expected a directory that contains case folders (meta.json, or model.onnx with "
                          "test_data_set_0)");
    folders.insert(folders.end(), found.begin(), found.end());
  }
  if (!diagnostics.empty())
    return diagnostics;
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  std::vector<FoundCase> selected;
  std::map<std::string, int64_t> ops;
  for (const std::string &folder : folders) {
    if (!std::regex_search(folder, filter))
      continue;
    Result<check::CaseMeta> meta = check::readCase(folder);
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
