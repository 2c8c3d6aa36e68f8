/// Reading and writing of whole files, with errors that name the file and the reason.
#pragma once

#include "proa/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace proa {

/// A file mapped into memory for the lifetime of the object. Writes to the memory do not reach the file.
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

/// Maps `path`. An empty file gives an empty span; a pipe is read into memory. Error: the file cannot be
/// opened, or is a folder or a device.
Result<std::shared_ptr<const MappedFile>> mapFile(const std::string &path);

/// All of `path` as a string.
Result<std::string> readFile(const std::string &path);

/// Writes a file piece by piece. Readers see the old content or the complete new one: finish() gives the new
/// file its name. Until then it has none where the file system allows that, so that a killed process leaves
/// nothing; elsewhere it is a temporary file beside `path`. If `path` is a link, its target is replaced; a
/// device or a pipe is written in place.
class FileWriter {
public:
  explicit FileWriter(const std::string &path);
  FileWriter(const FileWriter &) = delete;
  FileWriter &operator=(const FileWriter &) = delete;
  ~FileWriter();

  /// After an error nothing is written.
  void append(std::span<const std::byte> piece);
  /// Error: the first error of opening, appending or replacing.
  Result<void> finish();

private:
  void open();
  /// Gives a file without a name the name `temporary`.
  bool link();
  void fail(const std::string &action);

  std::string path, target;
  std::string temporary; ///< empty if there is none
  bool isNamed = false;  ///< `temporary` exists
  int file = -1;
  Diagnostics diagnostics;
};

/// Writes a complete file, as FileWriter does.
Result<void> writeFile(const std::string &path, std::span<const std::byte> content);
Result<void> writeFile(const std::string &path, const std::string &content);
/// As above for content in several pieces.
Result<void> writeFilePieces(const std::string &path, std::span<const std::span<const std::byte>> pieces);

} // namespace proa
