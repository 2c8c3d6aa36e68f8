#include "lib/compiler/codegen/cuda/KernelResources.h"
#include "lib/base/support/CountText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

namespace proa::cuda {
namespace {

using llvm::StringRef;

/// The text between the first two single quotes after `prefix`, or an empty string.
StringRef quotedAfter(StringRef line, StringRef prefix) {
  auto [before, after] = line.split(prefix);
  if (after.empty())
    return "";
  return after.split('\'').second.split('\'').first;
}

/// The number before `unit` in a list as "8 bytes stack frame, 16 bytes spill stores".
int64_t valueBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  StringRef before = line.take_front(end).rtrim();
  int64_t value = 0;
  if (before.take_back(before.size() - before.find_last_not_of("0123456789") - 1).getAsInteger(10, value))
    return 0;
  return value;
}

class ReportReader {
public:
  std::vector<KernelResources> kernels;

  void readLine(StringRef line) {
    if (StringRef symbol = quotedAfter(line, "Compiling entry function"); !symbol.empty()) {
      begin(symbol, quotedAfter(line, "' for "));
      return;
    }
    if (line.contains("(C75")) {
      notes.push_back({quotedAfter(line, "function ").str(), line.substr(line.find("(C75")).rtrim().str()});
      return;
    }
    if (kernels.empty())
      return;
    if (line.contains("bytes stack frame")) {
      kernels.back().stackBytes += valueBefore(line, " bytes stack frame");
      kernels.back().spillStoreBytes += valueBefore(line, " bytes spill stores");
      kernels.back().spillLoadBytes += valueBefore(line, " bytes spill loads");
    } else if (line.contains("Used ") && line.contains(" registers")) {
      readUse(kernels.back(), line);
    }
  }

  /// Adds the notes, which may precede the kernel that they name. One without a name is about some kernel of
  /// the module.
  void finish() {
    for (auto &[symbol, text] : notes)
      for (KernelResources &kernel : kernels)
        if (symbol.empty() || kernel.symbol == symbol)
          kernel.notes.push_back(text);
  }

private:
  std::vector<std::pair<std::string, std::string>> notes; ///< symbol and text

  void begin(StringRef symbol, StringRef chip) {
    KernelResources &kernel = kernels.emplace_back();
    kernel.symbol = symbol.str();
    kernel.chip = chip.str();
  }

  static void readUse(KernelResources &kernel, StringRef line) {
    kernel.registers = valueBefore(line, " registers");
    kernel.barriers = valueBefore(line, " barriers");
    kernel.sharedBytes = valueBefore(line, " bytes smem");
    kernel.constantBytes = valueBefore(line, " bytes cmem");
  }
};

} // namespace

std::vector<KernelResources> parseResources(std::string_view report) {
  ReportReader reader;
  for (StringRef line : llvm::split(StringRef(report), '\n'))
    reader.readLine(line);
  reader.finish();
  return std::move(reader.kernels);
}

Result<void> checkResources(std::span<const KernelResources> kernels, const ResourceBudget &budget) {
  Diagnostics diagnostics;
  for (const KernelResources &kernel : kernels) {
    std::string where = "kernel '" + kernel.symbol + "' for " + kernel.chip;
    if (kernel.spillStoreBytes > 0 || kernel.spillLoadBytes > 0)
      diagnostics.add(where, fmt::format("spills registers ({} bytes stored, {} bytes loaded), expected none",
                                         kernel.spillStoreBytes, kernel.spillLoadBytes));
    if (kernel.stackBytes > 0)
      diagnostics.add(where, fmt::format("has a stack frame of {} bytes, expected none", kernel.stackBytes));
    if (kernel.registers > budget.registers)
      diagnostics.add(
          where, fmt::format("uses {} registers, expected at most {}", kernel.registers, budget.registers));
    if (kernel.sharedBytes > budget.sharedBytes)
      diagnostics.add(where, fmt::format("uses {} bytes of shared memory, expected at most {}",
                                         kernel.sharedBytes, budget.sharedBytes));
    for (const std::string &note : kernel.notes)
      if (!StringRef(note).starts_with("(C7519)"))
        diagnostics.add(where, "note of the assembler: " + note);
  }
  return diagnostics;
}

/// Threads of a warp, and the registers that it takes at once.
constexpr int64_t warp = 32, unit = 256;

static int64_t warpsOf(const BlockSize &block) { return (block.threads + warp - 1) / warp; }

static int64_t registersOfWarp(const KernelResources &kernel) {
  return (kernel.registers * warp + unit - 1) / unit * unit;
}

Result<void> checkBlock(const KernelResources &kernel, const BlockSize &block, const GpuFacts &gpu) {
  Diagnostics diagnostics;
  std::string where = "kernel '" + kernel.symbol + "' for " + kernel.chip;
  if (int64_t shared = kernel.sharedBytes + block.sharedBytes; shared > gpu.sharedBytes)
    diagnostics.add(where,
                    fmt::format("needs {} bytes of shared memory, expected at most {}, which a block can "
                                "have",
                                shared, gpu.sharedBytes));
  if (warpsOf(block) * registersOfWarp(kernel) > gpu.registers)
    diagnostics.add(where,
                    fmt::format("needs {} registers in each of {} threads, expected at most {} in a block",
                                kernel.registers, block.threads, gpu.registers));
  return diagnostics;
}

int64_t residentBlocksOf(const KernelResources &kernel, const BlockSize &block, const GpuFacts &gpu) {
  constexpr int64_t mostWarps = 64, schedulers = 4, reservedBytes = 1024;
  int64_t warps = gpu.registers / std::max<int64_t>(registersOfWarp(kernel), 1) / schedulers * schedulers;
  int64_t byWarps = std::min(warps, mostWarps) / warpsOf(block);
  int64_t shared = kernel.sharedBytes + block.sharedBytes + reservedBytes;
  return std::max<int64_t>(std::min(byWarps, (gpu.sharedBytes + reservedBytes) / shared), 1);
}

std::string resourcesText(std::span<const KernelResources> kernels) {
  std::string text;
  for (const KernelResources &kernel : kernels) {
    text +=
        fmt::format("{} {}: {} registers, {}, {} bytes shared, {} bytes stack, {} bytes spilled\n",
                    kernel.symbol, kernel.chip, kernel.registers, countText(kernel.barriers, "barrier"),
                    kernel.sharedBytes, kernel.stackBytes, kernel.spillStoreBytes + kernel.spillLoadBytes);
    for (const std::string &note : kernel.notes)
      text += "  " + note + "\n";
  }
  return text;
}

} // namespace proa::cuda
