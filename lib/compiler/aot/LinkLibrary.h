/// Files of a program compiled ahead of time: the shared library and its C header.
#pragma once

#include "lib/compiler/aot/CompileLibrary.h"

#include <optional>
#include <string>

namespace proa::aot {

struct LinkOptions {
  std::string output; ///< the shared library's path
  std::string prefix; ///< prefix of the C functions; a C identifier
  std::string linker; ///< a C compiler; empty: the first of clang-22, clang, gcc, cc in $PATH
  /// The folder with bin/, lib/libproa_runtime.so and include/proa-c: of the install or the build tree.
  std::string installation;
  /// Folders separated by ':' in which the library looks for libproa_runtime.so after its own folder;
  /// nothing: lib/ of the installation.
  std::optional<std::string> runpath;
};

/// The prefix of C functions for a library: "resnet_50" for "out/libresnet-50.so".
std::string prefixOf(const std::string &path);
/// Whether `name` is a valid prefix of C functions.
bool isIdentifier(const std::string &name);

/// The C header with the library's functions, inputs, outputs and weights.
std::string headerText(const Description &description, const std::string &prefix);
/// The C source of these functions. It includes the files description.bin and weights.bin from the compiler's
/// include path.
std::string entryText(const Description &description, const std::string &prefix);

/// Writes the shared library, completely or not at all. Error: no C compiler; no libproa_runtime.so; an error
/// of the linker; a file that cannot be written.
Result<void> linkLibrary(const CompiledLibrary &library, const LinkOptions &options);

} // namespace proa::aot
