/// Child processes whose output is captured.
#pragma once

#include "proa/Result.h"

#include <string>
#include <vector>

namespace proa {

/// A private folder for files of a child process, removed with the object.
class TemporaryFolder {
public:
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder &&other) noexcept : path(std::move(other.path)) { other.path.clear(); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  std::string file(const char *name) const { return path + "/" + name; }

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}
  std::string path;
};

/// Runs a program, by its path, and returns its stdout followed by its stderr. Error: it cannot be started,
/// or its exit code is not 0; the message has its output.
Result<std::string> runProgram(const std::string &program, const std::vector<std::string> &arguments);

} // namespace proa
