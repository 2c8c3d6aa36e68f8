#include "lib/compiler/aot/LinkLibrary.h"

#include "lib/base/support/Files.h"
#include "lib/base/support/TemporaryFolder.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <unistd.h>

namespace proa::aot {
namespace {

namespace fs = std::filesystem;

Result<std::string> findLinker(const std::string &requested) {
  if (!requested.empty()) {
    auto found = llvm::sys::findProgramByName(requested);
    return found ? Result<std::string>(*found)
                 : Result<std::string>(errorAt("--linker", "cannot find the program '" + requested + "'"));
  }
  for (const char *name : {"clang-22", "clang", "gcc", "cc"})
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return errorAt("linker",
                 "found none of clang-22, clang, gcc and cc in $PATH; install clang-22 and lld-22, or "
                 "give a C compiler with --linker");
}

Result<void> writeInputs(const CompiledLibrary &library, const LinkOptions &options,
                         const TemporaryFolder &folder) {
  std::vector<uint8_t> description = serialize(library.description);
  std::vector<std::span<const std::byte>> weights;
  static constexpr std::array<std::byte, runtime::addressAlignment> padding{};
  for (const Tensor &tensor : library.weights) {
    weights.emplace_back(static_cast<const std::byte *>(tensor.data()), tensor.bytes());
    weights.emplace_back(padding.data(), (padding.size() - tensor.bytes() % padding.size()) % padding.size());
  }
  Diagnostics diagnostics;
  auto check = [&](const Result<void> &done) { diagnostics.append(done.diagnostics()); };
  check(writeFile(folder.file("description.bin"), std::as_bytes(std::span(description))));
  check(writeFilePieces(folder.file("weights.bin"), weights));
  check(writeFile(folder.file("kernels.a"), library.archive));
  check(writeFile(folder.file("entry.c"), entryText(library.description, options.prefix)));
  return diagnostics;
}

/// The environment of this process, with another folder for temporary files.
std::vector<std::string> environmentWith(const std::string &folder) {
  std::vector<std::string> variables{"TMPDIR=" + folder};
  for (char **variable = environ; *variable; ++variable)
    if (!llvm::StringRef(*variable).starts_with("TMPDIR="))
      variables.emplace_back(*variable);
  return variables;
}

/// Runs a program; if it fails, its output is the error. Its own temporary files are in `folder` too.
Result<void> execute(const std::vector<std::string> &command, const TemporaryFolder &folder) {
  std::string log = folder.file("log"), error;
  std::vector<llvm::StringRef> arguments(command.begin(), command.end());
  std::array<std::optional<llvm::StringRef>, 3> redirects{llvm::StringRef(""), llvm::StringRef(log),
                                                          llvm::StringRef(log)};
  std::vector<std::string> variables = environmentWith(folder.path());
  std::vector<llvm::StringRef> environment(variables.begin(), variables.end());
  int status = llvm::sys::ExecuteAndWait(command[0], arguments, llvm::ArrayRef(environment), redirects,
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &error);
  if (status == 0)
    return {};
  auto output = readFile(log);
  return errorAt(command[0], fmt::format("it ended with {}: {}{}", status, error, output ? *output : ""));
}

/// A file of the installation.
Result<void> checkInstallation(const LinkOptions &options) {
  Diagnostics diagnostics;
  for (const char *file : {"lib/libproa_runtime.so", "include/proa-c/runtime.h"})
    if (std::error_code ignored; !fs::exists(fs::path(options.installation) / file, ignored))
      diagnostics.add(options.installation, fmt::format("{} is missing; a compiled library needs it", file));
  return diagnostics;
}

} // namespace

Result<void> linkLibrary(const CompiledLibrary &library, const LinkOptions &options) {
  Diagnostics diagnostics;
  auto linker = findLinker(options.linker);
  if (!linker)
    diagnostics.append(linker.diagnostics());
  diagnostics.append(checkInstallation(options).diagnostics());
  if (!diagnostics.empty())
    return diagnostics;
  auto folder = TemporaryFolder::create();
  if (!folder)
    return folder.diagnostics();
  if (auto done = writeInputs(library, options, *folder); !done)
    return done;
  std::string runtime = fs::absolute(fs::path(options.installation) / "lib").lexically_normal().string();
  std::string linked = folder->file("library.so");
  std::vector<std::string> command{
      *linker, "-shared", "-fPIC", "-O2", "-fvisibility=hidden", "-I" + options.installation + "/include",
      "-I" + folder->path(), folder->file("entry.c"), folder->file("kernels.a"),
      runtime + "/libproa_runtime.so", "-lm", "-o", linked, "-Wl,--exclude-libs,ALL", "-Wl,--gc-sections",
      "-Wl,-z,defs", "-Wl,-soname," + fs::path(options.output).filename().string(),
      // Search next to the library first, so that both can be moved together.
      "-Wl,-rpath,$ORIGIN"};
  if (std::string folders = options.runpath.value_or(runtime); !folders.empty())
    command.emplace_back("-Wl,-rpath," + folders);
  if (fs::path(*linker).filename().string().starts_with("clang") && llvm::sys::findProgramByName("ld.lld-22"))
    command.emplace_back("-fuse-ld=lld");
  if (auto done = execute(command, *folder); !done)
    return done;
  auto bytes = mapFile(linked);
  return bytes ? writeFile(options.output, (*bytes)->bytes()) : bytes.diagnostics();
}

} // namespace proa::aot
