//! States in files of a folder.
#include "proa/Offload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <map>
#include <unistd.h>

namespace proa {
namespace {

/// A file that has lost its name. It has two slots, of which one holds the value.
class TwoSlots {
public:
  TwoSlots(int file, size_t bytes) : file(file), bytes(bytes) {}
  ~TwoSlots() { ::close(file); }
  TwoSlots(const TwoSlots &) = delete;

  size_t size() const { return bytes; }
  Result<void> read(std::span<std::byte> data) const {
    return transfer("read", data.size(), [&](size_t done) {
      return ::pread(file, data.data() + done, data.size() - done,
                     offsetOf(current) + static_cast<off_t>(done));
    });
  }
  /// The value is the current one after `commit`.
  Result<void> write(std::span<const std::byte> data) {
    hasNew = true;
    return transfer("write", data.size(), [&](size_t done) {
      return ::pwrite(file, data.data() + done, data.size() - done,
                      offsetOf(1 - current) + static_cast<off_t>(done));
    });
  }
  void end(bool hasSucceeded) {
    if (std::exchange(hasNew, false) && hasSucceeded)
      current = 1 - current;
  }

private:
  off_t offsetOf(int slot) const { return static_cast<off_t>(slot) * static_cast<off_t>(bytes); }

  static Result<void> transfer(const char *what, size_t bytes, const std::function<ssize_t(size_t)> &call) {
    for (size_t done = 0; done < bytes;) {
      ssize_t count = call(done);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return errorAt("", fmt::format("cannot {} {} bytes of a file: {}", what, bytes - done,
                                       count < 0 ? std::strerror(errno) : "the file ends"));
      done += static_cast<size_t>(count);
    }
    return {};
  }

  int file;
  size_t bytes;
  int current = 0;
  bool hasNew = false;
};

class FolderStore final : public OffloadStore {
public:
  explicit FolderStore(std::string folder) : folder(std::move(folder)) {}

  Result<void> fetch(const OffloadedVariable &variable, std::span<std::byte> data) override {
    auto found = files.find({variable.rank, variable.name});
    if (found == files.end())
      return errorAt("", "it has no stored value");
    if (found->second->size() != data.size())
      return errorAt(
          "", fmt::format("the stored value has {} bytes, expected {}", found->second->size(), data.size()));
    return found->second->read(data);
  }

  Result<void> store(const OffloadedVariable &variable, std::span<const std::byte> data) override {
    std::unique_ptr<TwoSlots> &entry = files[{variable.rank, variable.name}];
    if (!entry || entry->size() != data.size()) {
      Result<int> file = create();
      if (!file)
        return file.diagnostics();
      entry = std::make_unique<TwoSlots>(*file, data.size());
    }
    return entry->write(data);
  }

  Result<void> endRun(int64_t rank, bool hasSucceeded) override {
    for (auto &[key, file] : files)
      if (key.first == rank)
        file->end(hasSucceeded);
    return {};
  }

  /// A new file without a name.
  Result<int> create() const {
    std::string path = folder + "/proa-XXXXXX";
    int file = ::mkostemp(path.data(), O_CLOEXEC);
    if (file < 0)
      return errorAt(folder, fmt::format("cannot create a file for states: {}", std::strerror(errno)));
    ::unlink(path.c_str());
    return file;
  }

private:
  std::string folder;
  std::map<std::pair<int64_t, std::string>, std::unique_ptr<TwoSlots>> files; ///< by rank and name
};

} // namespace

Result<std::shared_ptr<OffloadStore>> openOffloadFolder(const std::string &folder) {
  std::error_code error;
  std::string chosen = folder.empty() ? std::filesystem::temp_directory_path(error).string() : folder;
  auto store = std::make_shared<FolderStore>(chosen);
  Result<int> file = store->create();
  if (!file)
    return file.diagnostics();
  ::close(*file);
  return std::shared_ptr<OffloadStore>(std::move(store));
}

} // namespace proa
