#include "lib/base/support/TemporaryFolder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace fs = std::filesystem;

namespace proa {
namespace {

constexpr const char *namePrefix = "proa-temporary-", *lockName = "/.lock";

/// A locked file that may be renamed; -1: an error.
int createLocked(const std::string &path) {
  int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0)
    return file;
  if (file >= 0)
    ::close(file);
  return -1;
}

/// Removes the folders in `parent` that no process holds.
void removeAbandoned(const fs::path &parent) {
  std::error_code error, ignored;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(namePrefix) || entry->is_symlink(ignored))
      continue;
    int lock = ::open((entry->path().string() + lockName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0)
      continue;
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0)
      fs::remove_all(entry->path(), ignored);
    ::close(lock);
  }
}

} // namespace

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error)
    return errorAt("$TMPDIR", "cannot create temporary files: " + error.message());
  static std::once_flag once;
  std::call_once(once, removeAbandoned, parent);
  std::string pattern = (parent / namePrefix).string() + "XXXXXX";
  if (!::mkdtemp(pattern.data()))
    return errorAt(parent.string(), std::string("cannot create a temporary folder: ") + std::strerror(errno));
  TemporaryFolder result(pattern);
  result.owner = ::getpid();
  // The folder is renamed after its file is locked, so that other processes never see it unlocked.
  std::string unlocked = pattern + "/.new";
  result.lock = createLocked(unlocked);
  if (result.lock < 0 || ::rename(unlocked.c_str(), (pattern + lockName).c_str()) != 0)
    return errorAt(pattern, std::string("cannot lock the temporary folder: ") + std::strerror(errno));
  return result;
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other) noexcept
    : folder(std::exchange(other.folder, "")), lock(std::exchange(other.lock, -1)), owner(other.owner) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!folder.empty() && ::getpid() == owner)
    fs::remove_all(folder, ignored);
  if (lock >= 0)
    ::close(lock);
}

} // namespace proa
