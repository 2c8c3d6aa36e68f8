/// How the slots of a gradient op refer to the slots of the op that it differentiates. First gradients say it
/// exactly: `Out@GRAD` is the cotangent of `Out`. Gradients of gradients have several naming schemes: the
/// cotangent of `X@GRAD` is `DDX`, `grad_x@GRAD` or `X@GRAD@GRAD`.
#pragma once

#include "translator/legacy/Program.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace proa::import {

struct LegacyOp;

/// The end of the name of a gradient, after the name of its variable.
inline constexpr llvm::StringLiteral gradientSuffix = "@GRAD";

/// Which gradient an op type is: 0 for "relu", 1 for "relu_grad", 2 for "relu_grad_grad" and
/// "abs_double_grad", 3 for "sin_triple_grad".
int gradientOrder(llvm::StringRef type);

/// The types that the op whose gradient `type` is may have: "sin_grad_grad" and "sin_double_grad" for
/// "sin_triple_grad".
llvm::SmallVector<std::string> differentiatedTypes(llvm::StringRef type);

/// The quantity of the differentiated op that a slot of the gradient op holds.
struct SlotRole {
  enum Kind { Nothing, Input, Output, Cotangent } kind = Nothing;
  /// The slot of the differentiated op.
  std::string slot;
};

/// The role of an input slot: an input or an output of `forward`, or the cotangent of an output.
SlotRole inputRole(llvm::StringRef slot, const legacy::Operation &forward, int order);

/// Reconstructs the gradient op that a second gradient `op` differentiates, if pruning has removed it from
/// the program: from the inputs of `op` and the slots of the forward op. Its outputs have the names of their
/// cotangents. None if the slots are not sufficient.
std::optional<legacy::Operation> lostGradientOp(const legacy::Operation &op, const LegacyOp &entry);

/// The input slot of `forward` whose gradients an output slot gets; empty where there is none.
std::string gradientOf(llvm::StringRef slot, const legacy::Operation &forward);

} // namespace proa::import
