/// Checksums of tensors: XXH3 with 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace proa::checkpoints {

uint64_t checksumOf(std::span<const std::byte> bytes);
uint64_t checksumOf(std::string_view text);
/// 16 hexadecimal digits.
std::string checksumText(uint64_t checksum);
/// The inverse; none for another text.
std::optional<uint64_t> checksumFromText(std::string_view text);

} // namespace proa::checkpoints
