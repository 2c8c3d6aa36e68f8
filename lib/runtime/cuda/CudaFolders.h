/// Where the files of CUDA are looked for: libraries, the assembler, libdevice.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace proa::cuda {

/// Toolkits and folders of Python packages that exist or may exist, in the order of the search. The folders
/// of $PROA_CUDA_PATH (separated by colons) replace all others; they are $CUDA_HOME, $CUDA_PATH, `packages`,
/// /usr/local/cuda, the toolkit of a `ptxas` or `nvdisasm` on $PATH, and the packages `nvidia` of
/// $VIRTUAL_ENV, $CONDA_PREFIX and the `python3` on $PATH. A folder named `nvidia` is followed by its
/// subfolders, one for each package.
std::vector<std::filesystem::path> cudaFolders(const std::string &packages = "");

/// The same for a given list of folders.
std::vector<std::filesystem::path> withPackages(const std::vector<std::filesystem::path> &folders);

} // namespace proa::cuda
