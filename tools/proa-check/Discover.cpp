#include "tools/proa-check/Discover.h"

#include "lib/check/CaseMeta.h"

#include <algorithm>
#include <filesystem>
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
  try {
    filter = std::regex(selection.filter);
  } catch (const std::regex_error &) {
    problems.add("--filter", "'" + selection.filter + "' is no regular expression");
  }
  std::vector<std::string> folders;
  for (const std::string &directory : directories) {
    std::vector<std::string> found = foldersBelow(directory);
    if (found.empty())
      problems.add(directory, "expected a directory with case folders (meta.json) in it");
    folders.insert(folders.end(), found.begin(), found.end());
  }
  if (!problems.empty())
    return problems;
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  std::vector<FoundCase> selected;
  for (const std::string &folder : folders) {
    if (!std::regex_search(folder, filter))
      continue;
    Result<check::CaseMeta> meta = check::readCaseMeta(folder + "/meta.json");
    if (!meta || selectedByOps(*meta, selection))
      selected.push_back({folder, meta ? meta->name.substr(0, meta->name.find('/')) : "?"});
  }
  return selected;
}

} // namespace proa::tools
