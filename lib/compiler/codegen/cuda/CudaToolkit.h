/// The components of a CUDA toolkit that the compiler uses: assembler, device library, disassembler.
#pragma once

#include <string>
#include <vector>

namespace proa::cuda {

/// Paths of files; empty: not found. Nothing is loaded or started by the search.
struct CudaToolkit {
  std::string nvJitLink; ///< libnvJitLink.so: assembles PTX in process
  std::string ptxas;     ///< assembles PTX as a child process
  std::string libdevice; ///< libdevice.10.bc: math functions (`__nv_expf`) as LLVM bitcode
  std::string nvdisasm;  ///< prints SASS; for checks only

  bool canAssemble() const { return !nvJitLink.empty() || !ptxas.empty(); }

  /// One line for each component: its path, or "not found" and how to get it.
  std::string text() const;

  /// Searches, for each component, these folders in order; a folder has the layout of a toolkit (`bin`,
  /// `lib64` or `lib`, `nvvm/libdevice`) or is a folder `nvidia` of Python packages.
  ///
  /// 1. $PROA_CUDA_PATH, folders separated by colons. If it is set, no other folder is searched.
  /// 2. $CUDA_HOME and $CUDA_PATH
  /// 3. the folder of Python packages that bootstrap.sh installs
  /// 4. /usr/local/cuda
  /// 5. the folder above the one that holds `ptxas` or `nvdisasm` on $PATH
  /// 6. Python packages of $VIRTUAL_ENV, $CONDA_PREFIX and the `python3` on $PATH
  static CudaToolkit find();

  /// Searches the given folders only.
  static CudaToolkit findIn(const std::vector<std::string> &folders);
};

/// How to get a component of the toolkit, for messages.
std::string toolkitHint();

} // namespace proa::cuda
