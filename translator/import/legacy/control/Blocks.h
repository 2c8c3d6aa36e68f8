/// The effects of the blocks of a program on variables of outer blocks. Control flow in SSA form lists the
/// variables that it changes.
#pragma once

#include "translator/legacy/Program.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringRef.h"

namespace proa::import {

/// Names of variables in the order of their first use. They point into the program.
using Names = llvm::SetVector<llvm::StringRef>;

struct Effects {
  Names read;    ///< that may be read before they are written
  Names written; ///< that may be written
};

/// The block that an op of control flow runs, by its attribute `sub_block`; none for an invalid one.
std::optional<int32_t> subBlockOf(const legacy::Program &program, const legacy::Operation &op);

/// The effects of an op and its block.
Effects effectsOf(const legacy::Program &program, const legacy::Operation &op);

/// The effects of the ops of a block on variables that the block does not declare.
Effects effectsOf(const legacy::Program &program, int32_t block);

} // namespace proa::import
