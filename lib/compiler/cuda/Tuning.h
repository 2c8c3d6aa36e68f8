/// Strategies of kernels for a device that proa-tune has measured.
#pragma once

#include "dialects/proa/Proa.h"

#include "proa/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa {

/// How a kernel is lowered for a device. The default is the choice of the cost model in the passes.
struct KernelStrategy {
  int64_t maxThreads = 256; ///< of buildLowerGpuKernelsPipeline
  /// The text of strategies of the kernel and of its ops (passes/lower-gpu/Strategies.h):
  /// "#proa.contraction<...>".
  std::vector<std::string> attributes;

  auto operator<=>(const KernelStrategy &) const = default;
  /// "256 threads, #proa.contraction<kind = mma>".
  std::string text() const;
};

/// The attributes of a strategy. Error: one is not a strategy.
Result<llvm::SmallVector<mlir::Attribute>> attributesOf(const KernelStrategy &strategy,
                                                        mlir::MLIRContext *context);

/// A measured kernel.
struct TuningEntry {
  KernelStrategy strategy;
  std::string label;                                ///< ops of the kernel, for people
  double microseconds = 0, defaultMicroseconds = 0; ///< with the strategy, and with the default
  bool isComplete = true; ///< false: the search was interrupted; it begins with the strategy next time
};

/// Measured kernels by key, in a JSON file.
class TuningDatabase {
public:
  /// A file that does not exist is an empty database. Error: it cannot be read, or is not a tuning database.
  static Result<TuningDatabase> read(const std::string &path);
  /// Writes the file completely or not at all.
  Result<void> write(const std::string &path) const;

  /// Null for a kernel that was not measured.
  const TuningEntry *find(const std::string &key) const;
  void set(const std::string &key, TuningEntry entry) { entries[key] = std::move(entry); }
  size_t size() const { return entries.size(); }

private:
  std::map<std::string, TuningEntry> entries;
};

/// The key of a kernel on linalg: the chip, and a hash of its text without its name and locations.
std::string tuningKey(mlir::func::FuncOp kernel, const std::string &chip);

/// $PROA_TUNING, else `tuning.json` in the folder of the cache of compiled programs; empty without such a
/// folder.
std::string defaultTuningFile();
/// The file that an environment variable names, else one with this name in the cache's folder; empty without
/// such a folder.
std::string fileOfMachine(const char *variable, const std::string &name);

} // namespace proa
