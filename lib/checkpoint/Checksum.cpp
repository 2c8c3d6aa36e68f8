#include "lib/checkpoint/Checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>

#include <charconv>

namespace proa::checkpoints {

uint64_t checksumOf(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }
uint64_t checksumOf(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

std::string checksumText(uint64_t checksum) { return fmt::format("{:016x}", checksum); }

std::optional<uint64_t> checksumFromText(std::string_view text) {
  uint64_t checksum = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), checksum, 16);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return checksum;
}

} // namespace proa::checkpoints
