/// Reading and writing whole files, with errors that name the file and the reason.
#pragma once

#include "proa/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace proa {

/// A file mapped into memory; the mapping lives as long as the object. Writes to the memory never reach the
/// file.
class MappedFile {
public:
  MappedFile(const std::byte *data, size_t size) : data(data), size(size) {}
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();
  std::span<const std::byte> bytes() const { return {data, size}; }

private:
  const std::byte *data;
  size_t size;
};

/// Maps `path`. An empty file gives an empty span; what a pipe gives is read into memory. Error: the file can
/// not be opened, or is a folder or a device.
Result<std::shared_ptr<const MappedFile>> mapFile(const std::string &path);

/// All of `path` as a string.
Result<std::string> readFile(const std::string &path);

/// Writes `path` as a whole: a reader sees the old content or the new, never a part (a temporary file is
/// renamed). Where `path` is a link, the file behind it is replaced; a device or a pipe is written to.
Result<void> writeFile(const std::string &path, std::span<const std::byte> content);
Result<void> writeFile(const std::string &path, const std::string &content);
/// The same for content in several pieces, written one after another.
Result<void> writeFilePieces(const std::string &path, std::span<const std::span<const std::byte>> pieces);

} // namespace proa
