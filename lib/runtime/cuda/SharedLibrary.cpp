#include "lib/runtime/cuda/SharedLibrary.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace proa::cuda {
namespace {

namespace fs = std::filesystem;

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// The subfolders of a folder, sorted.
std::vector<fs::path> subfolders(const fs::path &folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->is_directory(error))
      found.push_back(it->path());
  std::ranges::sort(found);
  return found;
}

/// The folders with libraries of a toolkit, or of a folder `nvidia` of Python packages.
void addFolders(std::vector<fs::path> &folders, const fs::path &root) {
  for (const char *name : {"lib64", "lib"})
    folders.push_back(root / name);
  if (root.filename() == "nvidia")
    for (const fs::path &package : subfolders(root))
      folders.push_back(package / "lib");
}

std::vector<fs::path> searchedFolders() {
  std::vector<fs::path> folders;
  if (std::string given = environment("PROA_CUDA_PATH"); !given.empty()) {
    std::istringstream list(given);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty())
        addFolders(folders, folder);
    return folders;
  }
  folders.emplace_back(); // the search path of libraries
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string root = environment(name); !root.empty())
      addFolders(folders, root);
  addFolders(folders, "/usr/local/cuda");
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (std::string root = environment(name); !root.empty())
      for (const fs::path &python : subfolders(fs::path(root) / "lib"))
        addFolders(folders, python / "site-packages" / "nvidia");
  return folders;
}

} // namespace

Result<SharedLibrary> SharedLibrary::open(const Description &description, const std::string &file) {
  std::vector<std::string> files;
  if (!file.empty())
    files.push_back(file);
  else
    for (const fs::path &folder : searchedFolders())
      for (const std::string &name : description.names)
        if (std::error_code error; folder.empty() || fs::exists(folder / name, error))
          files.push_back(folder.empty() ? name : (folder / name).string());
  std::vector<std::string> reasons;
  for (const std::string &candidate : files) {
    if (void *handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL))
      return SharedLibrary(handle, description, candidate);
    reasons.emplace_back(dlerror());
  }
  if (reasons.empty())
    reasons.push_back(fmt::format("{} was not found", description.names.front()));
  return errorAt("", fmt::format("cannot load {}: {}", description.title, fmt::join(reasons, "; ")));
}

void *SharedLibrary::find(const char *name) {
  void *symbol = dlsym(handle, name);
  if (!symbol)
    missing.emplace_back(name);
  return symbol;
}

Result<void> SharedLibrary::complete() const {
  if (missing.empty())
    return {};
  return errorAt("", fmt::format("{} ({}) has no function '{}', expected {}", title, file,
                                 fmt::join(missing, "', '"), expected));
}

} // namespace proa::cuda
