/// Files of a program compiled ahead of time: the shared library and its C header.
#pragma once

#include "lib/aot/CompileLibrary.h"

#include <string>

namespace proa::aot {

struct LinkOptions {
  std::string output; ///< the shared library's path
  std::string prefix; ///< of the C functions; a C identifier
  std::string linker; ///< a C compiler; empty: the first of clang-22, clang, gcc, cc in $PATH
  /// The folder that holds bin/, lib/libproa_runtime.so and include/proa-c: of the install or build tree.
  std::string installation;
};

/// "resnet_50" for "out/libresnet-50.so": what C functions of that library are named after.
std::string prefixOf(const std::string &path);
/// Whether `name` can begin the names of C functions.
bool isIdentifier(const std::string &name);

/// The C header that declares the library's functions and describes inputs, outputs and weights.
std::string headerText(const Description &description, const std::string &prefix);
/// The C source of these functions. It takes in the files description.bin and weights.bin of the compiler's
/// include path.
std::string entryText(const Description &description, const std::string &prefix);

/// Writes the shared library; it appears under its name when it is complete. Errors: there is no C compiler,
/// or no libproa_runtime.so; the linker's own errors; a file that cannot be written.
Result<void> linkLibrary(const CompiledLibrary &library, const LinkOptions &options);

} // namespace proa::aot
