/// Libraries of CUDA, loaded at run time. Nothing is linked.
#pragma once

#include "lib/base/support/LibrarySymbols.h"
#include "proa/Result.h"

#include <string>
#include <vector>

namespace proa::cuda {

/// A library of CUDA, which stays loaded as long as the process.
class SharedLibrary {
public:
  struct Description {
    std::string title;              ///< "cuDNN", for messages
    std::vector<std::string> names; ///< of files, the best one first: "libcudnn.so.9"
    std::string expected;           ///< the versions whose ABI is declared: "cuDNN 9"
  };

  /// Loads the first file that is found. Folders in order: the search path of libraries, unless
  /// $PROA_CUDA_PATH is set, and cudaFolders(). `file` replaces the search. Error: none can be
  /// loaded, with the reason.
  static Result<SharedLibrary> open(const Description &description, const std::string &file = "");

  /// Sets `target` to the function; a missing one is reported by complete().
  template <class Function> void load(Function *&target, const char *name) { symbols.load(target, name); }
  /// Error: the functions that load() did not find.
  Result<void> complete() const;

private:
  SharedLibrary(void *handle, const Description &description, std::string file)
      : symbols(handle), title(description.title), expected(description.expected), file(std::move(file)) {}

  LibrarySymbols symbols;
  std::string title, expected, file;
};

} // namespace proa::cuda
