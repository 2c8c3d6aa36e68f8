/// The dist dialect: meshes of devices, shardings of values, collectives. docs/dist.md gives definitions and
/// reasons.
#pragma once

#include "lib/base/spmd/Step.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/dist/Dialect.h.inc"
#include "dialects/dist/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/dist/Attributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/dist/Types.h.inc"

#include "dialects/dist/Interfaces.h.inc"

namespace proa::dist {

/// The resource of sends and receives, which keeps their order.
struct Network : mlir::SideEffects::Resource::Base<Network> {
  llvm::StringRef getName() override { return "dist network"; }
};

/// The sharding of an argument or result of a function.
inline constexpr llvm::StringLiteral shardingAttribute = "dist.sharding";
/// The type in the single-device program of an argument or result of a function whose type is local.
inline constexpr llvm::StringLiteral globalAttribute = "dist.global";
/// The shardings of the results of an op: an array with a sharding or `unit` for each result.
inline constexpr llvm::StringLiteral shardingsAttribute = "dist.shardings";
/// Unit attribute of an op of one device whose types differ between devices. Passes that must decide the same
/// on all devices cannot decide by its types. dist-decompose-rings removes it.
inline constexpr llvm::StringLiteral unevenAttribute = "dist.uneven";

} // namespace proa::dist

#define GET_OP_CLASSES
#include "dialects/dist/Ops.h.inc"
