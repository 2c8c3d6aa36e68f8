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

/// Writes a file piece by piece. A reader sees the old content or the new, never a part: a temporary file is
/// renamed in the end, and removed where it does not come to that. Where `path` is a link, the file behind it
/// is replaced; a device or a pipe is written to.
class FileWriter {
public:
  explicit FileWriter(const std::string &path);
  FileWriter(const FileWriter &) = delete;
  FileWriter &operator=(const FileWriter &) = delete;
  ~FileWriter();

  /// Behind an error nothing is written.
  void append(std::span<const std::byte> piece);
  /// Error: the first of opening the file, of appending to it or of replacing the old one.
  Result<void> finish();

private:
  void open();
  void fail(const std::string &action);

  std::string path, target;
  std::string temporary; ///< empty where there is none, or no longer
  int file = -1;
  Problems problems;
};

/// Writes `path` as a whole, as FileWriter does.
Result<void> writeFile(const std::string &path, std::span<const std::byte> content);
Result<void> writeFile(const std::string &path, const std::string &content);
/// The same for content in several pieces, written one after another.
Result<void> writeFilePieces(const std::string &path, std::span<const std::span<const std::byte>> pieces);

} // namespace proa
