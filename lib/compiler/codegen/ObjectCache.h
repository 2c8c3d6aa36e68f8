/// The on-disk cache of compiled programs.
#pragma once

#include "proa/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proa {

/// Byte strings by key in a directory. Several processes may use one directory: files are written atomically.
/// A truncated or damaged file counts as missing.
class ObjectCache {
public:
  struct Options {
    std::string directory; ///< empty: $PROA_CACHE_DIR, else ~/.cache/proa
    uint64_t maxBytes =
        uint64_t(1) << 30; ///< maximum size; above it the least recently used files are removed
  };

  /// Creates the directory if needed. Error: it cannot be created, or no directory is given and neither
  /// variable is set.
  static Result<ObjectCache> open(const Options &options);

  /// The bytes stored under `key`, or nothing.
  std::optional<std::string> find(std::string_view key) const;

  /// Stores `bytes` under `key`, and removes old files if the cache is too large.
  Result<void> store(std::string_view key, std::string_view bytes) const;

  const std::string &directory() const { return path; }

private:
  std::string fileOf(std::string_view key) const;
  void removeOldest() const;

  std::string path;
  uint64_t maxBytes = 0;
};

} // namespace proa
