#include "lib/base/support/Bytes.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace proa {

std::optional<double> parseBytes(std::string_view text) {
  double value = 0;
  auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0) || !std::isfinite(value))
    return std::nullopt;
  std::string_view unit(rest, text.data() + text.size());
  constexpr std::pair<std::string_view, double> units[] = {
      {"", 1},      {"B", 1},        {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
      {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  for (auto [name, factor] : units)
    if (unit == name)
      return value * factor;
  return std::nullopt;
}

} // namespace proa
