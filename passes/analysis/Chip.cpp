#include "passes/analysis/Chip.h"

#include <string>

using namespace mlir;

namespace proa {

/// Shared memory per block: "Technical Specifications per Compute Capability" of the CUDA Programming Guide.
static constexpr Chip chips[] = {{"sm_80", 163 << 10, 108, false},  {"sm_86", 99 << 10, 84, false},
                                 {"sm_89", 99 << 10, 142, false},   {"sm_90", 227 << 10, 132, false},
                                 {"sm_90a", 227 << 10, 132, true},  {"sm_100", 227 << 10, 148, false},
                                 {"sm_100a", 227 << 10, 148, false}};

std::optional<Chip> Chip::named(StringRef name) {
  for (const Chip &chip : chips)
    if (chip.name == name)
      return chip;
  return std::nullopt;
}

std::string Chip::names() {
  std::string text;
  for (const Chip &chip : chips)
    text += (text.empty() ? "" : ", ") + chip.name.str();
  return text;
}

} // namespace proa
