/// Attributes of the dialect that are strategies of kernels.
#pragma once

#include "dialects/proa/Proa.h"

#include "dialects/proa/Interfaces.h.inc"

namespace proa {

/// On a kernel for the GPU, ArrayAttr of StrategyAttrInterface: strategies for its ops, in their order. The
/// passes that choose strategies take them (`passes/lower-gpu/Strategies.h`).
inline constexpr llvm::StringLiteral strategiesAttribute = "proa.strategies";

} // namespace proa
