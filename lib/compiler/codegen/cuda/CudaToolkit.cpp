#include "lib/compiler/codegen/cuda/CudaToolkit.h"

#include "lib/runtime/cuda/CudaFolders.h"

#include <filesystem>

namespace proa::cuda {
namespace {

namespace fs = std::filesystem;
using Folders = std::vector<fs::path>;

/// The first `folder/name` that is a file.
std::string firstFile(const Folders &folders, std::initializer_list<const char *> names) {
  std::error_code error;
  for (const fs::path &folder : folders)
    for (const char *name : names)
      if (fs::path file = folder / name; fs::is_regular_file(file, error))
        return file.string();
  return "";
}

} // namespace

/// `folders` as cudaFolders() returns them.
static CudaToolkit toolkitIn(const Folders &folders) {
  CudaToolkit toolkit;
  toolkit.nvJitLink = firstFile(folders, {"lib64/libnvJitLink.so.13", "lib/libnvJitLink.so.13",
                                          "lib64/libnvJitLink.so.12", "lib/libnvJitLink.so.12"});
  toolkit.ptxas = firstFile(folders, {"bin/ptxas"});
  toolkit.libdevice = firstFile(folders, {"nvvm/libdevice/libdevice.10.bc"});
  toolkit.nvdisasm = firstFile(folders, {"bin/nvdisasm"});
  return toolkit;
}

CudaToolkit CudaToolkit::findIn(const std::vector<std::string> &list) {
  return toolkitIn(withPackages(Folders(list.begin(), list.end())));
}

CudaToolkit CudaToolkit::find() { return toolkitIn(cudaFolders(PROA_CUDA_PACKAGES "/nvidia")); }

std::string toolkitHint() {
  return "install a CUDA toolkit and set CUDA_HOME, or run `./bootstrap.sh cuda`, which installs Python "
         "packages with the components that are needed";
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
