/// How much arithmetic a program is.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace proa::tools {

struct FlopCount {
  /// By the name in the op's location: the legacy op's first output.
  std::map<std::string, int64_t> byOutput;
  int64_t total = 0;
  /// Ops whose dims are known only at run time, by the same name; they are not counted.
  std::map<std::string, int64_t> unknownByOutput;
  int64_t unknown = 0;
  /// Bytes of feeds and of legacy ops' first outputs, where their dims are known.
  std::map<std::string, int64_t> bytes;
};

/// Counts bytes as types are inferred, and the operations of one run (dialects/pd/ir/Arithmetic.h) after
/// composites have been taken apart. The module is changed.
FlopCount countFlops(mlir::ModuleOp module);

} // namespace proa::tools
