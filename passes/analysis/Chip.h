/// The properties of CUDA chips that the lowering uses.
#pragma once

#include "mlir/Support/LLVM.h"

#include "llvm/ADT/StringRef.h"

namespace proa {

struct Chip {
  llvm::StringRef name;
  int64_t sharedBytes = 0;      ///< shared memory that a block may have
  int64_t multiprocessors = 0;  ///< of the largest device with the chip
  bool hasWarpgroupMma = false; ///< wgmma, and the tensor memory accelerator

  /// "sm_90a". None for a name that the lowering does not know.
  static std::optional<Chip> named(llvm::StringRef name);
  /// "sm_80, sm_86, ...", for messages.
  static std::string names();
};

/// Static shared memory of a block on every chip, in bytes. More must be dynamic.
inline constexpr int64_t staticSharedBytes = 48 << 10;

} // namespace proa
