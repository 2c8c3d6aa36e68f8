/// The table of ops of Paddle's new IR, generated from the records of the pd dialect.
#pragma once

#include "translator/import/common/Mapping.h"
#include "translator/newir/Model.h"

#include <utility>

namespace proa::import {

/// Indices of a result and of an operand.
using InPlacePairs = std::initializer_list<std::pair<size_t, size_t>>;

/// An attribute of the file that the record lacks.
struct NewIrIgnored {
  llvm::StringRef name;
  /// The only value that changes nothing, or one of these words.
  llvm::StringRef neutral;
  /// No value changes the results; true means that all axes are reduced.
  static constexpr llvm::StringLiteral anyValue = "any", allAxes = "axis";

  bool isNeutral(const newir::Literal &value) const;
};

struct NewIrOp {
  /// In the dialect pd_op, without "_" at the end.
  llvm::StringRef name;
  llvm::StringRef target;
  /// The file's operands in order: an operand of the record, "#attribute", "unused NAME" for one whose value
  /// is irrelevant, or "absent NAME" for one that is refused.
  std::initializer_list<llvm::StringRef> operands;
  /// The record's operands.
  std::initializer_list<MappedSlot> recordOperands;
  /// The file's results in order: a result of the record, or "" for one that the record does not have.
  std::initializer_list<llvm::StringRef> results;
  std::initializer_list<MappedSlot> recordResults;
  std::initializer_list<MappedAttribute> attributes;
  std::initializer_list<NewIrIgnored> ignored;
  /// Attributes to set that the file does not have.
  std::initializer_list<llvm::StringRef> set;
  /// For the in-place op, named with "_" at its end: results, and the operands whose memory they overwrite.
  InPlacePairs inPlace;

  /// Whether the op may have an attribute of this name.
  bool knows(llvm::StringRef attribute) const;
};

/// Whether no value of the attribute changes the results of an op that does not read it: names, places, and
/// attributes for Paddle's gradient construction, shape inference and executors.
bool isStructuralAttribute(llvm::StringRef name);

/// The entry of an op of the dialect pd_op, by its name without "_" at the end; or null.
const NewIrOp *findNewIrOp(llvm::StringRef name);

/// The results that an op of the dialect pd_op writes into the memory of operands; none for other ops.
InPlacePairs inPlacePairs(llvm::StringRef name);

} // namespace proa::import
