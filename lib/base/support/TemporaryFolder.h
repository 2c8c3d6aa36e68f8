/// Folders for files that a process needs for a while.
#pragma once

#include "proa/Result.h"

#include <string>
#include <sys/types.h>

namespace proa {

/// A private folder in $TMPDIR, removed with the object. The first one of a process removes the folders of
/// processes that were killed: a living process holds a lock on a file in its folder.
class TemporaryFolder {
public:
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder &&other) noexcept;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  /// Does nothing in a child process.
  ~TemporaryFolder();

  const std::string &path() const { return folder; }
  std::string file(const std::string &name) const { return folder + "/" + name; }

private:
  explicit TemporaryFolder(std::string folder) : folder(std::move(folder)) {}
  std::string folder; ///< empty: moved from
  int lock = -1;
  pid_t owner = 0;
};

} // namespace proa
