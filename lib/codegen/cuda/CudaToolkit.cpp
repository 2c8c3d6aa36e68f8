#include "lib/codegen/cuda/CudaToolkit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdlib>
#include <filesystem>

namespace proa::cuda {
namespace {

namespace fs = std::filesystem;
using Folders = std::vector<std::string>;

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Folders split(const std::string &list) {
  Folders folders;
  for (llvm::StringRef folder : llvm::split(list, ':'))
    if (!folder.empty())
      folders.push_back(folder.str());
  return folders;
}

/// The subfolders of `folder`, sorted.
Folders subfolders(const fs::path &folder) {
  Folders found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->is_directory(error))
      found.push_back(it->path().string());
  llvm::sort(found);
  return found;
}

/// Appends `folder`, or, where it holds Python packages, the folder of each package.
void addFolder(Folders &folders, const std::string &folder) {
  folders.push_back(folder);
  if (fs::path(folder).filename() == "nvidia")
    llvm::append_range(folders, subfolders(folder));
}

/// Appends the packages of a Python installation with this prefix.
void addPython(Folders &folders, const fs::path &prefix) {
  for (const std::string &python : subfolders(prefix / "lib"))
    if (llvm::StringRef(fs::path(python).filename().native()).starts_with("python"))
      for (const char *packages : {"site-packages", "dist-packages"})
        addFolder(folders, (fs::path(python) / packages / "nvidia").string());
}

/// The file of a program on $PATH with links resolved, or an empty path.
fs::path onPath(const char *program) {
  std::error_code error;
  for (const std::string &folder : split(environment("PATH")))
    if (fs::path file = fs::path(folder) / program; fs::is_regular_file(file, error))
      return fs::canonical(file, error);
  return {};
}

Folders defaultFolders() {
  Folders folders;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string folder = environment(name); !folder.empty())
      addFolder(folders, folder);
  addFolder(folders, PROA_CUDA_PACKAGES "/nvidia");
  addFolder(folders, "/usr/local/cuda");
  for (const char *program : {"ptxas", "nvdisasm"})
    if (fs::path file = onPath(program); !file.empty())
      addFolder(folders, file.parent_path().parent_path().string());
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (std::string folder = environment(name); !folder.empty())
      addPython(folders, folder);
  if (fs::path python = onPath("python3"); !python.empty())
    addPython(folders, python.parent_path().parent_path());
  return folders;
}

/// The first `folder/name` that is a file.
std::string firstFile(const Folders &folders, std::initializer_list<const char *> names) {
  std::error_code error;
  for (const std::string &folder : folders)
    for (const char *name : names)
      if (fs::path file = fs::path(folder) / name; fs::is_regular_file(file, error))
        return file.string();
  return "";
}

} // namespace

CudaToolkit CudaToolkit::findIn(const Folders &list) {
  Folders folders;
  for (const std::string &folder : list)
    addFolder(folders, folder);
  CudaToolkit toolkit;
  toolkit.nvJitLink = firstFile(folders, {"lib64/libnvJitLink.so.13", "lib/libnvJitLink.so.13",
                                          "lib64/libnvJitLink.so.12", "lib/libnvJitLink.so.12"});
  toolkit.ptxas = firstFile(folders, {"bin/ptxas"});
  toolkit.libdevice = firstFile(folders, {"nvvm/libdevice/libdevice.10.bc"});
  toolkit.nvdisasm = firstFile(folders, {"bin/nvdisasm"});
  return toolkit;
}

CudaToolkit CudaToolkit::find() {
  std::string given = environment("PROA_CUDA_PATH");
  return findIn(given.empty() ? defaultFolders() : split(given));
}

std::string toolkitHint() {
  return "install a CUDA toolkit and set CUDA_HOME, or run `./bootstrap.sh cuda`, which installs Python "
         "packages with the parts that are needed";
}

std::string CudaToolkit::text() const {
  std::string text;
  bool isComplete = true;
  auto line = [&](const char *name, const std::string &file) {
    text += std::string(name) + ": " + (file.empty() ? "not found" : file) + "\n";
    isComplete &= !file.empty();
  };
  line("nvJitLink", nvJitLink);
  line("ptxas", ptxas);
  line("libdevice", libdevice);
  line("nvdisasm", nvdisasm);
  return isComplete ? text : text + toolkitHint() + "\n";
}

} // namespace proa::cuda
