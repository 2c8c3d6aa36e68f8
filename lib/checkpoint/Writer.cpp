#include "lib/checkpoint/Writer.h"

#include "lib/checkpoint/Checksum.h"
#include "lib/checkpoint/Index.h"
#include "translator/params/Safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace proa::checkpoints {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "model-", suffix = ".safetensors";
/// Tools of Hugging Face require the format in each file.
const params::Metadata fileMetadata = {{"format", "pt"}};

/// Flushes a file or a folder to the disk.
Result<void> flush(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  bool isFlushed = file >= 0 && ::fsync(file) == 0;
  int error = errno;
  if (file >= 0)
    ::close(file);
  return isFlushed ? Result<void>()
                   : errorAt(path, std::string("cannot flush it to the disk: ") + std::strerror(error));
}

/// Flushes a complete file and gives it its name and replaces an older one.
Result<void> publish(const std::string &written, const std::string &path) {
  std::string folder = fs::path(path).parent_path().string();
  if (folder.empty())
    folder = ".";
  for (const std::string &changed : {written, folder}) // names of other files are in the folder
    if (Result<void> flushed = flush(changed); !flushed)
      return flushed;
  if (std::rename(written.c_str(), path.c_str()) != 0)
    return errorAt(path, std::string("cannot replace the file: ") + std::strerror(errno));
  return flush(folder);
}

/// The number of the save that a file belongs to; none for a file of another kind.
std::optional<int64_t> saveOf(std::string_view file) {
  if (!file.starts_with(prefix) || file.find(suffix) == std::string_view::npos)
    return std::nullopt;
  int64_t save = 0;
  const char *begin = file.data() + prefix.size(), *end = file.data() + file.size();
  auto [next, error] = std::from_chars(begin, end, save);
  bool isShard =
      error == std::errc() && next != end && *next == '-' && file.find("-of-") != std::string_view::npos;
  return isShard ? std::optional(save) : std::nullopt;
}

/// Removes files of saves that the index does not name: files of the replaced checkpoint, and of saves that
/// did not end. A file that cannot be removed only takes space.
void removeOtherSaves(const std::string &folder, const Catalog &catalog) {
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    std::optional<int64_t> save = saveOf(name);
    if (save && *save <= catalog.save && !catalog.files.contains(name))
      fs::remove(entry.path(), error);
  }
}

} // namespace

Result<int64_t> beginSave(const std::string &folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return errorAt(folder, "cannot create the folder: " + error.message());
  int64_t last = 0;
  fs::directory_iterator files(folder, error);
  if (error)
    return errorAt(folder, "cannot read the folder: " + error.message());
  for (const auto &entry : files)
    last = std::max(last, saveOf(entry.path().filename().string()).value_or(0));
  return last + 1;
}

std::string shardFileName(int64_t save, int64_t index, int64_t count) {
  return fmt::format("{}{:05}-{:05}-of-{:05}{}", prefix, save, index + 1, count, suffix);
}

Result<Catalog> writeShards(const std::string &folder, const std::string &file,
                            std::span<const ShardData> shards) {
  std::string path = (fs::path(folder) / file).string();
  Catalog catalog;
  params::Tensors tensors;
  for (const ShardData &shard : shards) {
    std::span bytes(static_cast<const std::byte *>(shard.elements.data()), shard.elements.bytes());
    ShardEntry entry{shard.box, file, keyOf(shard.tensor, shard.entry, shard.box), checksumOf(bytes)};
    if (!tensors.emplace(entry.key, shard.elements).second)
      return errorAt(path, "two shards have the name '" + entry.key + "'");
    catalog.tensors.emplace(shard.tensor, shard.entry);
    catalog.shards[shard.tensor].push_back(std::move(entry));
  }
  if (Result<void> written = params::writeSafetensors(path, tensors, fileMetadata); !written)
    return written.diagnostics();
  if (Result<void> flushed = flush(path); !flushed)
    return flushed.diagnostics();
  std::error_code error;
  uint64_t bytes = fs::file_size(path, error);
  if (error)
    return errorAt(path, "cannot read the file's size: " + error.message());
  catalog.files[file] = bytes;
  return catalog;
}

Result<void> commitSave(const std::string &folder, const Catalog &catalog) {
  std::string index = (fs::path(folder) / indexName).string(), next = index + ".new";
  if (Result<void> written = writeFile(next, indexText(catalog)); !written)
    return written;
  if (Result<void> published = publish(next, index); !published)
    return published;
  removeOtherSaves(folder, catalog);
  return {};
}

Result<void> writeSingleFile(const std::string &path, const Catalog &catalog,
                             const std::map<std::string, Tensor> &tensors) {
  Catalog whole = catalog;
  std::string name = "model.safetensors"; // readers use the name that the file has then
  whole.save = 0;
  whole.files = {{name, std::nullopt}};
  whole.shards.clear();
  for (const auto &[tensor, value] : tensors) {
    std::span bytes(static_cast<const std::byte *>(value.data()), value.bytes());
    whole.shards[tensor] = {{wholeBox(value.dims()), name, tensor, checksumOf(bytes)}};
  }
  params::Metadata metadata = fileMetadata;
  try {
    metadata["proa"] = catalogText(whole);
  } catch (const std::exception &) {
    return errorAt(path, "the name of a tensor is not UTF-8");
  }
  std::string next = path + ".new";
  if (Result<void> written = params::writeSafetensors(next, tensors, metadata); !written)
    return written;
  return publish(next, path);
}

} // namespace proa::checkpoints
