/// Numbers of bytes as text.
#pragma once

#include <optional>
#include <string_view>

namespace proa {

/// Bytes of "80GB", "16GiB", "512MB", or a number of bytes. Empty: another form.
std::optional<double> parseBytes(std::string_view text);

} // namespace proa
