/// Operation counts of a program.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <optional>
#include <string>

namespace proa::tools {

/// The bytes of a tensor type; nothing if a dim is dynamic.
std::optional<int64_t> bytesOf(mlir::Type type);

struct FlopCount {
  /// By the name in the op's location, the first output of the legacy op.
  std::map<std::string, int64_t> byOutput;
  int64_t total = 0;
  /// Ops with dynamic dims, by the same name; they are not counted.
  std::map<std::string, int64_t> unknownByOutput;
  int64_t unknown = 0;
  /// Bytes of feeds and of the first outputs of legacy ops with static dims.
  std::map<std::string, int64_t> bytes;
};

/// Counts the bytes of values as types are inferred, and the operations of one run
/// (dialects/pd/ir/Arithmetic.h) after composites are decomposed. Changes the module.
FlopCount countFlops(mlir::ModuleOp module);

} // namespace proa::tools
