/// What the blocks of a program do to the variables of the blocks around them. Legacy variables change;
/// control flow in SSA form has to say which ones it changes.
#pragma once

#include "translator/legacy/Program.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringRef.h"

namespace proa::import {

/// Names of variables in the order in which they are met. They point into the program.
using Names = llvm::SetVector<llvm::StringRef>;

struct Effects {
  Names read;    ///< read before it is certain that something here has written them
  Names written; ///< perhaps written
};

/// The block that an op of control flow runs, if its attribute `sub_block` names one that there is.
std::optional<int32_t> subBlockOf(const legacy::Program &program, const legacy::Operation &op);

/// Of an op, with what is in its block.
Effects effectsOf(const legacy::Program &program, const legacy::Operation &op);

/// Of all ops of a block on variables that the block does not declare itself.
Effects effectsOf(const legacy::Program &program, int32_t block);

} // namespace proa::import
