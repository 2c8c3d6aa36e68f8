/// The table of ops of Paddle's new IR, generated from the records of the pd dialect.
#pragma once

#include "translator/import/LegacyTable.h"

namespace proa::import {

struct NewIrOp {
  /// In the dialect pd_op, without "_" at the end.
  llvm::StringRef name;
  llvm::StringRef target;
  /// The file's operands in order: an operand of the record, "#attribute", or "" for one that is ignored.
  std::initializer_list<llvm::StringRef> operands;
  /// The record's operands.
  std::initializer_list<LegacySlot> recordOperands;
  /// The file's results in order: a result of the record, or "" for one that the record does not have.
  std::initializer_list<llvm::StringRef> results;
  std::initializer_list<LegacySlot> recordResults;
  std::initializer_list<LegacyAttribute> attributes;
  std::initializer_list<llvm::StringRef> ignored;
  /// Attributes that hold without the file saying so.
  std::initializer_list<llvm::StringRef> set;
};

/// The entry of an op of the dialect pd_op, by its name without "_" at the end; or null.
const NewIrOp *findNewIrOp(llvm::StringRef name);

} // namespace proa::import
