#include "lib/compiler/codegen/ObjectCache.h"

#include "lib/base/support/Files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace fs = std::filesystem;

namespace proa {

namespace {

constexpr std::string_view fileSuffix = ".object";

/// Header of a file. The key and the bytes follow: two keys with the same hash are distinguished.
struct Header {
  char magic[8] = {'p', 'r', 'o', 'a', 'o', 'b', 'j', '1'};
  uint64_t keyBytes = 0;
  uint64_t contentBytes = 0;
  uint64_t checksum = 0;
};

uint64_t checksumOf(std::string_view bytes) {
  return llvm::xxh3_64bits(llvm::StringRef(bytes.data(), bytes.size()));
}

std::string defaultDirectory() {
  if (const char *directory = std::getenv("PROA_CACHE_DIR"); directory && *directory)
    return directory;
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/proa";
  return "";
}

} // namespace

Result<ObjectCache> ObjectCache::open(const Options &options) {
  ObjectCache cache;
  cache.path = options.directory.empty() ? defaultDirectory() : options.directory;
  cache.maxBytes = options.maxBytes;
  if (cache.path.empty())
    return errorAt("object cache", "no directory given, and neither PROA_CACHE_DIR nor HOME is set");
  std::error_code error;
  fs::create_directories(cache.path, error);
  if (error)
    return errorAt(cache.path, "cannot create the directory of the object cache: " + error.message());
  return cache;
}

std::string ObjectCache::fileOf(std::string_view key) const {
  auto bytes = llvm::ArrayRef(reinterpret_cast<const uint8_t *>(key.data()), key.size());
  return path + "/" + llvm::toHex(llvm::SHA256::hash(bytes), /*LowerCase=*/true) + std::string(fileSuffix);
}

std::optional<std::string> ObjectCache::find(std::string_view key) const {
  std::string file = fileOf(key);
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return std::nullopt;
  Result<std::string> content = readFile(file);
  Header header;
  if (!content || content->size() < sizeof(Header))
    return std::nullopt;
  std::memcpy(&header, content->data(), sizeof(Header));
  std::string_view rest = std::string_view(*content).substr(sizeof(Header));
  if (std::memcmp(header.magic, Header().magic, sizeof header.magic) != 0 || header.keyBytes != key.size() ||
      rest.size() < header.keyBytes || rest.size() - header.keyBytes != header.contentBytes)
    return std::nullopt;
  std::string_view bytes = rest.substr(header.keyBytes);
  if (rest.substr(0, header.keyBytes) != key || checksumOf(bytes) != header.checksum)
    return std::nullopt;
  // The time of the last use decides which files are removed first. Another process may have removed the file
  // already.
  fs::last_write_time(file, fs::file_time_type::clock::now(), error);
  return std::string(bytes);
}

Result<void> ObjectCache::store(std::string_view key, std::string_view bytes) const {
  Header header;
  header.keyBytes = key.size();
  header.contentBytes = bytes.size();
  header.checksum = checksumOf(bytes);
  std::string content(reinterpret_cast<const char *>(&header), sizeof header);
  content.append(key).append(bytes);
  if (auto written = writeFile(fileOf(key), content); !written)
    return written.diagnostics();
  removeOldest();
  return {};
}

void ObjectCache::removeOldest() const {
  struct Entry {
    fs::file_time_type time;
    uint64_t bytes;
    fs::path file;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != fileSuffix)
      continue;
    std::error_code gone;
    Entry entry{it->last_write_time(gone), it->file_size(gone), it->path()};
    if (gone)
      continue;
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  if (total <= maxBytes)
    return;
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.time < b.time; });
  // The newest file is kept even if it alone is too large: it was just stored.
  for (size_t i = 0; i + 1 < entries.size() && total > maxBytes; ++i)
    if (fs::remove(entries[i].file, error))
      total -= entries[i].bytes;
}

} // namespace proa
