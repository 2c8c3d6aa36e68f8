#include "lib/compiler/aot/Dependencies.h"

#include "lib/base/support/Files.h"
#include "lib/base/support/TemporaryFolder.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <array>
#include <optional>

namespace proa::aot {

Result<std::vector<Dependency>> dependenciesOf(const std::string &path) {
  auto ldd = llvm::sys::findProgramByName("ldd");
  if (!ldd)
    return errorAt("ldd", "cannot find the program, which lists the libraries that the loader loads");
  Result<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.diagnostics();
  std::string log = folder->file("log");
  std::array<std::optional<llvm::StringRef>, 3> redirects{llvm::StringRef(""), llvm::StringRef(log),
                                                          llvm::StringRef(log)};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(*ldd, {*ldd, path}, std::nullopt, redirects, /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &error);
  auto text = readFile(log);
  if (status != 0 || !text)
    return errorAt(path, "ldd cannot list its libraries: " + error + (text ? *text : ""));
  std::vector<Dependency> found;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(*text).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    // "libm.so.6 => /lib/libm.so.6 (0x...)" or "libx.so => not found"; the kernel's and the loader have no
    // arrow
    auto [name, location] = line.trim().split(" => ");
    if (location.empty())
      continue;
    found.push_back({name.str(), location.starts_with("not found") ? "" : location.split(" (").first.str()});
  }
  std::ranges::sort(found, {}, &Dependency::name);
  return found;
}

} // namespace proa::aot
