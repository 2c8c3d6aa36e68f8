/// How threads multiply matrices, for contractions and attention.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace proa {

enum class ProductKind : uint8_t {
  Fma,   ///< each thread multiplies and adds
  Mma,   ///< the warps multiply with tensor cores (`mma.sync`)
  Wgmma, ///< the warpgroups multiply what the tensor memory accelerator has copied (`wgmma`)
};

/// The name of a kind in attributes and options: "fma", "mma", "wgmma".
llvm::StringRef nameOf(ProductKind kind);
std::optional<ProductKind> productKindNamed(llvm::StringRef name);

} // namespace proa
