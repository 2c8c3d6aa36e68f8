#include "lib/base/support/Files.h"

#include "lib/base/support/MappingTable.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace proa {
namespace {

/// Closes a file descriptor at the end of its scope.
struct Descriptor {
  int descriptor;
  ~Descriptor() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
};

Diagnostics systemError(const std::string &path, const std::string &action) {
  return errorAt(path, "cannot " + action + ": " + std::strerror(errno));
}

/// Opens a regular file or a pipe for reading. Returns the size of a file; nullopt for a pipe.
Result<std::optional<size_t>> openForReading(const std::string &path, Descriptor &file) {
  file.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file.descriptor < 0)
    return systemError(path, "open the file");
  struct stat status{};
  if (::fstat(file.descriptor, &status) != 0)
    return systemError(path, "read the file's size");
  if (S_ISREG(status.st_mode))
    return std::optional<size_t>(static_cast<size_t>(status.st_size));
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
    return std::optional<size_t>();
  return errorAt(path, S_ISDIR(status.st_mode) ? "found a folder, expected a regular file or a pipe"
                                               : "found a device, expected a regular file or a pipe");
}

Result<std::string> readPipe(const std::string &path, const Descriptor &file) {
  std::string content;
  char buffer[1 << 16];
  while (true) {
    ssize_t got = ::read(file.descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(path, "read from the pipe");
    if (got == 0)
      return content;
    content.append(buffer, static_cast<size_t>(got));
  }
}

/// Memory with the content of a pipe.
Result<std::shared_ptr<const MappedFile>> mapPipe(const std::string &path, const Descriptor &file) {
  Result<std::string> content = readPipe(path, file);
  if (!content)
    return content.diagnostics();
  if (content->empty())
    return std::shared_ptr<const MappedFile>(std::make_shared<MappedFile>(nullptr, 0));
  void *address =
      ::mmap(nullptr, content->size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return systemError(path, "keep the content in memory");
  std::memcpy(address, content->data(), content->size());
  addMapping(address, content->size());
  return std::shared_ptr<const MappedFile>(
      std::make_shared<MappedFile>(static_cast<const std::byte *>(address), content->size()));
}

/// The target of a link, so that the link is kept; the path itself if it is not a link.
std::string targetOfLinks(const std::string &path) {
  std::error_code error;
  std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

} // namespace

MappedFile::~MappedFile() {
  if (size != 0 && removeMapping(data)) // else memory of a caller
    ::munmap(const_cast<std::byte *>(data), size);
}

Result<std::shared_ptr<const MappedFile>> mapFile(const std::string &path) {
  Descriptor file{-1};
  Result<std::optional<size_t>> fileSize = openForReading(path, file);
  if (!fileSize)
    return fileSize.diagnostics();
  if (!*fileSize)
    return mapPipe(path, file);
  size_t size = **fileSize;
  if (size == 0)
    return std::shared_ptr<const MappedFile>(std::make_shared<MappedFile>(nullptr, 0));
  // Tensors over the file may be written: a private mapping copies written pages.
  void *address =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.descriptor, 0);
  if (address == MAP_FAILED)
    return systemError(path, "map the file");
  addMapping(address, size);
  return std::shared_ptr<const MappedFile>(
      std::make_shared<MappedFile>(static_cast<const std::byte *>(address), size));
}

Result<std::string> readFile(const std::string &path) {
  Descriptor file{-1};
  Result<std::optional<size_t>> fileSize = openForReading(path, file);
  if (!fileSize)
    return fileSize.diagnostics();
  if (!*fileSize)
    return readPipe(path, file);
  std::string content(**fileSize, '\0');
  size_t done = 0;
  while (done < content.size()) {
    ssize_t got = ::read(file.descriptor, content.data() + done, content.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(path, "read the file");
    if (got == 0) // the file was truncated while it was read
      break;
    done += static_cast<size_t>(got);
  }
  content.resize(done);
  return content;
}

FileWriter::FileWriter(const std::string &path) : path(path) { open(); }

FileWriter::~FileWriter() {
  if (file >= 0)
    ::close(file);
  if (isNamed)
    ::unlink(temporary.c_str());
}

void FileWriter::fail(const std::string &action) {
  if (diagnostics.empty())
    diagnostics = systemError(path, action);
}

void FileWriter::open() {
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    // Replacing /dev/null by a file would break the machine.
    if (S_ISDIR(status.st_mode))
      diagnostics = errorAt(path, "found a folder, expected a file name");
    else if (file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC); file < 0)
      fail("open the file");
    return;
  }
  target = targetOfLinks(path);
  std::string folder = std::filesystem::path(target).parent_path();
  // It gets its name by /proc.
  if (::access("/proc/self/fd", X_OK) == 0)
    file = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0) {
    temporary = fmt::format("{}.tmp{}-{}", target, ::getpid(), static_cast<const void *>(this));
    return;
  }
  temporary = target + ".tmpXXXXXX";
  file = ::mkostemp(temporary.data(), O_CLOEXEC);
  isNamed = file >= 0;
  if (file < 0) {
    fail("create a file beside it");
    temporary.clear();
  }
}

bool FileWriter::link() {
  std::string descriptor = "/proc/self/fd/" + std::to_string(file);
  auto link = [&] {
    return ::linkat(AT_FDCWD, descriptor.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  isNamed = link();
  // A process with the same id was killed between its link and its rename.
  if (!isNamed && errno == EEXIST && ::unlink(temporary.c_str()) == 0)
    isNamed = link();
  return isNamed;
}

void FileWriter::append(std::span<const std::byte> piece) {
  while (!piece.empty() && diagnostics.empty()) {
    ssize_t put = ::write(file, piece.data(), piece.size());
    if (put < 0 && errno != EINTR)
      fail("write the file");
    else if (put > 0)
      piece = piece.subspan(static_cast<size_t>(put));
  }
}

Result<void> FileWriter::finish() {
  if (diagnostics.empty() && !temporary.empty()) {
    // mkostemp creates private files; an output file has the usual permissions.
    mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(file, 0666 & ~mask) != 0)
      fail("set the file's permissions");
    else if (!isNamed && !link())
      fail("create a file beside it");
    else if (::rename(temporary.c_str(), target.c_str()) != 0)
      fail("replace the file");
    else
      isNamed = false;
  }
  return diagnostics.empty() ? Result<void>() : diagnostics;
}

Result<void> writeFilePieces(const std::string &path, std::span<const std::span<const std::byte>> pieces) {
  FileWriter writer(path);
  for (std::span<const std::byte> piece : pieces)
    writer.append(piece);
  return writer.finish();
}

Result<void> writeFile(const std::string &path, std::span<const std::byte> content) {
  return writeFilePieces(path, std::span(&content, 1));
}

Result<void> writeFile(const std::string &path, const std::string &content) {
  return writeFile(path, std::as_bytes(std::span(content)));
}

} // namespace proa
