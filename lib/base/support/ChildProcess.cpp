#include "lib/base/support/ChildProcess.h"

#include "lib/base/support/Files.h"
#include "lib/base/support/TemporaryFolder.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Program.h"

#include <fmt/format.h>

#include <array>

namespace proa {

Result<std::string> runProgram(const std::string &program, const std::vector<std::string> &arguments) {
  Result<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.diagnostics();
  std::vector<llvm::StringRef> command = {program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::string outputFile = folder->file("stdout"), errorFile = folder->file("stderr");
  std::array<std::optional<llvm::StringRef>, 3> redirects = {llvm::StringRef(""), llvm::StringRef(outputFile),
                                                             llvm::StringRef(errorFile)};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(program, command, std::nullopt, redirects, /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &error);
  std::string output;
  for (const std::string &file : {outputFile, errorFile})
    if (Result<std::string> text = readFile(file))
      output += *text;
  if (status == 0)
    return output;
  while (!output.empty() && output.back() == '\n')
    output.pop_back();
  if (status < 0)
    return errorAt(program, "cannot be run: " + error);
  return errorAt(program, fmt::format("failed with exit code {}: {}", status, output));
}

} // namespace proa
