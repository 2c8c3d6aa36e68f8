#include "lib/checkpoint/Zip.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

namespace proa::checkpoints {
namespace {

constexpr uint32_t endSignature = 0x06054b50, end64Signature = 0x06064b50, locatorSignature = 0x07064b50,
                   entrySignature = 0x02014b50, fileSignature = 0x04034b50;
constexpr size_t endBytes = 22, locatorBytes = 20, entryBytes = 46, fileBytes = 30;

using Members = std::map<std::string, std::span<const std::byte>>;

/// Reads the central directory at the end of the file.
class ZipReader {
public:
  ZipReader(std::span<const std::byte> content, const std::string &where) : content(content), where(where) {}

  Result<Members> read() {
    if (!findDirectory())
      return errorAt(where, "expected a zip file, found no directory at its end");
    for (uint64_t i = 0; i < count && reason.empty(); ++i)
      readEntry();
    if (!reason.empty())
      return errorAt(where, "zip file: " + reason);
    return std::move(members);
  }

private:
  template <class T> T read(uint64_t offset) {
    T value{};
    if (offset > content.size() || content.size() - offset < sizeof value)
      reason = "the directory is damaged";
    else
      std::memcpy(&value, content.data() + offset, sizeof value);
    return value;
  }

  bool findDirectory() {
    constexpr size_t longestComment = 65535;
    for (size_t back = endBytes; back <= content.size() && back <= endBytes + longestComment; ++back) {
      uint64_t end = content.size() - back;
      if (read<uint32_t>(end) != endSignature)
        continue;
      count = read<uint16_t>(end + 10);
      at = read<uint32_t>(end + 16);
      if (end >= locatorBytes && read<uint32_t>(end - locatorBytes) == locatorSignature) {
        uint64_t end64 = read<uint64_t>(end - locatorBytes + 8);
        if (read<uint32_t>(end64) == end64Signature) {
          count = read<uint64_t>(end64 + 32);
          at = read<uint64_t>(end64 + 48);
        }
      }
      return true;
    }
    return false;
  }

  void readEntry() {
    if (read<uint32_t>(at) != entrySignature) {
      reason = "the directory is damaged";
      return;
    }
    auto method = read<uint16_t>(at + 10);
    uint64_t bytes = read<uint32_t>(at + 24), offset = read<uint32_t>(at + 42);
    auto nameBytes = read<uint16_t>(at + 28), extraBytes = read<uint16_t>(at + 30),
         commentBytes = read<uint16_t>(at + 32);
    uint64_t nameAt = at + entryBytes;
    if (content.size() - nameAt < nameBytes || nameAt > content.size()) {
      reason = "the directory is damaged";
      return;
    }
    std::string name(reinterpret_cast<const char *>(content.data()) + nameAt, nameBytes);
    readLongSizes(nameAt + nameBytes, extraBytes, bytes, offset);
    at = nameAt + nameBytes + extraBytes + commentBytes;
    if (method != 0) {
      reason = "the member '" + name + "' is compressed, expected none";
      return;
    }
    uint64_t data = offset + fileBytes + read<uint16_t>(offset + 26) + read<uint16_t>(offset + 28);
    if (read<uint32_t>(offset) != fileSignature || data > content.size() || bytes > content.size() - data)
      reason = "the member '" + name + "' is outside of the file";
    else
      members[name] = content.subspan(data, bytes);
  }

  /// Sizes of more than 32 bits are in an extra field.
  void readLongSizes(uint64_t extra, uint64_t extraBytes, uint64_t &bytes, uint64_t &offset) {
    constexpr uint16_t zip64 = 1;
    for (uint64_t end = extra + extraBytes; extra + 4 <= end && reason.empty();) {
      auto kind = read<uint16_t>(extra), size = read<uint16_t>(extra + 2);
      uint64_t next = extra + 4;
      if (kind == zip64) {
        if (bytes == UINT32_MAX) {
          bytes = read<uint64_t>(next);
          next += 16; // the compressed size, which is equal, follows
        }
        if (offset == UINT32_MAX)
          offset = read<uint64_t>(next);
      }
      extra += 4 + uint64_t(size);
    }
  }

  std::span<const std::byte> content;
  const std::string &where;
  uint64_t at = 0, count = 0;
  std::string reason;
  Members members;
};

} // namespace

Result<Members> readZip(std::span<const std::byte> content, const std::string &where) {
  return ZipReader(content, where).read();
}

} // namespace proa::checkpoints
