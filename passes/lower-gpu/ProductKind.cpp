#include "passes/lower-gpu/ProductKind.h"

using llvm::StringLiteral;
using llvm::StringRef;

namespace proa {

static constexpr std::pair<ProductKind, StringLiteral> productKindNames[] = {
    {ProductKind::Fma, "fma"}, {ProductKind::Mma, "mma"}, {ProductKind::Wgmma, "wgmma"}};

StringRef nameOf(ProductKind kind) {
  for (auto [own, name] : productKindNames)
    if (own == kind)
      return name;
  return "";
}

std::optional<ProductKind> productKindNamed(StringRef name) {
  for (auto [kind, own] : productKindNames)
    if (own == name)
      return kind;
  return std::nullopt;
}

} // namespace proa
