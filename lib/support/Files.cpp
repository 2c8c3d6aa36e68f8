#include "lib/support/Files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace proa {
namespace {

/// Closes a file descriptor at the end of its scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};

Problems systemProblem(const std::string &path, const std::string &action) {
  return problem(path, "can not " + action + ": " + std::strerror(errno));
}

/// Opens a regular file for reading and tells its size.
Result<size_t> openRegular(const std::string &path, Descriptor &file) {
  file.number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file.number < 0)
    return systemProblem(path, "open the file");
  struct stat status{};
  if (::fstat(file.number, &status) != 0)
    return systemProblem(path, "read the file's size");
  if (!S_ISREG(status.st_mode))
    return problem(path, "expected a regular file");
  return static_cast<size_t>(status.st_size);
}

} // namespace

MappedFile::~MappedFile() {
  if (size != 0)
    ::munmap(const_cast<std::byte *>(data), size);
}

Result<std::shared_ptr<const MappedFile>> mapFile(const std::string &path) {
  Descriptor file{-1};
  Result<size_t> size = openRegular(path, file);
  if (!size)
    return size.problems();
  if (*size == 0)
    return std::shared_ptr<const MappedFile>(std::make_shared<MappedFile>(nullptr, 0));
  // Tensors over the file may be written to: a private mapping gives the writer its own copy of the page.
  void *address = ::mmap(nullptr, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.number, 0);
  if (address == MAP_FAILED)
    return systemProblem(path, "map the file");
  return std::shared_ptr<const MappedFile>(
      std::make_shared<MappedFile>(static_cast<const std::byte *>(address), *size));
}

Result<std::string> readFile(const std::string &path) {
  Descriptor file{-1};
  Result<size_t> size = openRegular(path, file);
  if (!size)
    return size.problems();
  std::string content(*size, '\0');
  size_t done = 0;
  while (done < content.size()) {
    ssize_t got = ::read(file.number, content.data() + done, content.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemProblem(path, "read the file");
    if (got == 0) // the file was cut while we read it
      break;
    done += static_cast<size_t>(got);
  }
  content.resize(done);
  return content;
}

Result<void> writeFilePieces(const std::string &path, std::span<const std::span<const std::byte>> pieces) {
  std::string temporary = path + ".tmpXXXXXX";
  Descriptor file{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (file.number < 0)
    return systemProblem(path, "create a file beside it");
  auto fail = [&](const std::string &action) {
    Problems problems = systemProblem(path, action);
    ::unlink(temporary.c_str());
    return problems;
  };
  for (std::span<const std::byte> piece : pieces)
    while (!piece.empty()) {
      ssize_t put = ::write(file.number, piece.data(), piece.size());
      if (put < 0 && errno == EINTR)
        continue;
      if (put < 0)
        return fail("write the file");
      piece = piece.subspan(static_cast<size_t>(put));
    }
  // mkostemp makes files private; an output file has the usual rights.
  mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(file.number, 0666 & ~mask) != 0)
    return fail("set the file's rights");
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return fail("replace the file");
  return {};
}

Result<void> writeFile(const std::string &path, std::span<const std::byte> content) {
  return writeFilePieces(path, std::span(&content, 1));
}

Result<void> writeFile(const std::string &path, const std::string &content) {
  return writeFile(path, std::as_bytes(std::span(content)));
}

} // namespace proa
