#include "lib/runtime/cuda/CudaFolders.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace proa::cuda {
namespace {

namespace fs = std::filesystem;

using Folders = std::vector<fs::path>;

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Folders split(const std::string &list) {
  Folders folders;
  std::istringstream stream(list);
  for (std::string folder; std::getline(stream, folder, ':');)
    if (!folder.empty())
      folders.emplace_back(folder);
  return folders;
}

Folders sortedSubfolders(const fs::path &folder) {
  Folders found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->is_directory(error))
      found.push_back(it->path());
  std::ranges::sort(found);
  return found;
}

/// Appends the packages of a Python installation, or of a virtual environment, with this prefix.
void addPython(Folders &folders, const fs::path &prefix) {
  for (const fs::path &python : sortedSubfolders(prefix / "lib"))
    if (python.filename().native().starts_with("python"))
      for (const char *packages : {"site-packages", "dist-packages"})
        folders.push_back(python / packages / "nvidia");
}

/// The file of a program on $PATH, or an empty path.
fs::path onPath(const char *program) {
  std::error_code error;
  for (const fs::path &folder : split(environment("PATH")))
    if (fs::path file = folder / program; fs::is_regular_file(file, error))
      return file;
  return {};
}

/// The folders above the `bin` of a program: of the name on $PATH, and of the file it links to. The
/// `python3` of a virtual environment is such a link.
Folders prefixesOf(const char *program) {
  Folders prefixes;
  fs::path file = onPath(program);
  if (file.empty())
    return prefixes;
  prefixes.push_back(file.parent_path().parent_path());
  std::error_code error;
  fs::path target = fs::canonical(file, error).parent_path().parent_path();
  if (!error && target != prefixes.front())
    prefixes.push_back(target);
  return prefixes;
}

} // namespace

std::vector<fs::path> withPackages(const std::vector<fs::path> &folders) {
  Folders all;
  for (const fs::path &folder : folders) {
    all.push_back(folder);
    if (folder.filename() == "nvidia")
      std::ranges::copy(sortedSubfolders(folder), std::back_inserter(all));
  }
  return all;
}

std::vector<fs::path> cudaFolders(const std::string &packages) {
  if (std::string given = environment("PROA_CUDA_PATH"); !given.empty())
    return withPackages(split(given));
  Folders folders;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string folder = environment(name); !folder.empty())
      folders.emplace_back(folder);
  if (!packages.empty())
    folders.emplace_back(packages);
  folders.emplace_back("/usr/local/cuda");
  for (const char *program : {"ptxas", "nvdisasm"})
    std::ranges::copy(prefixesOf(program), std::back_inserter(folders));
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (std::string folder = environment(name); !folder.empty())
      addPython(folders, folder);
  for (const fs::path &prefix : prefixesOf("python3"))
    addPython(folders, prefix);
  return withPackages(folders);
}

} // namespace proa::cuda
