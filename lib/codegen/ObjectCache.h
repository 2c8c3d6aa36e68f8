/// Compiled programs on disk, so that a program is compiled once per machine.
#pragma once

#include "proa/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proa {

/// Bytes by key in a directory. Several processes may use one directory: a file appears as a whole or not at
/// all. A file that is cut short or damaged counts as absent.
class ObjectCache {
public:
  struct Options {
    std::string directory;                 ///< empty: $PROA_CACHE_DIR, else ~/.cache/proa
    uint64_t maxBytes = uint64_t(1) << 30; ///< above it the files that were used longest ago are removed
  };

  /// Creates the directory if needed. Problem: it cannot be created, or no directory is known.
  static Result<ObjectCache> open(const Options &options);

  /// What was stored under `key`, or nothing.
  std::optional<std::string> find(std::string_view key) const;

  /// Stores `bytes` under `key` and removes old files where the cache is too large.
  Result<void> store(std::string_view key, std::string_view bytes) const;

  const std::string &directory() const { return path; }

private:
  std::string fileOf(std::string_view key) const;
  void removeOldest() const;

  std::string path;
  uint64_t maxBytes = 0;
};

} // namespace proa
