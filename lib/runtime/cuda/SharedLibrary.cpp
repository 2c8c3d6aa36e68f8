#include "lib/runtime/cuda/SharedLibrary.h"

#include "lib/runtime/cuda/CudaFolders.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>

namespace proa::cuda {
namespace {

namespace fs = std::filesystem;

/// Folders that hold libraries; an empty path is the search path of libraries.
std::vector<fs::path> searchedFolders() {
  std::vector<fs::path> folders;
  if (const char *given = std::getenv("PROA_CUDA_PATH"); !given || !*given)
    folders.emplace_back();
  for (const fs::path &root : cudaFolders())
    for (const char *name : {"lib64", "lib"})
      folders.push_back(root / name);
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

Result<void> SharedLibrary::complete() const {
  if (symbols.missing().empty())
    return {};
  return errorAt("", fmt::format("{} ({}) has no function '{}', expected {}", title, file,
                                 fmt::join(symbols.missing(), "', '"), expected));
}

} // namespace proa::cuda
