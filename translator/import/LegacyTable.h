/// The table of legacy op spellings, generated from the field `legacy` of all op records.
#pragma once

#include "translator/import/OpImporter.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

#include <initializer_list>

namespace proa::import {

enum class Arity { Required, Optional, Variadic };
enum class AttributeKind { Bool, Int, Float, String, Type, Ints, Floats, Strings };

/// Where an operand or result comes from. `spelling` lists alternatives separated by '|': "Slot", "Slot*" (a
/// list that is stacked where one tensor is wanted), "@attribute" (an attribute that holds variable names).
struct LegacySlot {
  llvm::StringRef spelling;
  Arity arity;
};

struct LegacyAttribute {
  llvm::StringRef name;
  llvm::StringRef legacyName;
  AttributeKind kind;
  bool required;
  /// Whether Paddle stores 64 bits.
  bool isWide = false;
};

/// Which results have the LoD of the op's first tensor (the field `lod` in dialects/pd/ir/Base.td).
enum class LodRule { First, All, Rows, Outer, None };

/// The tables are constants that nothing constructs when the program starts: a list's elements live as long
/// as the table that it is a member of.
struct LegacyOp {
  llvm::StringRef type;
  llvm::StringRef target;
  std::initializer_list<LegacySlot> inputs;
  std::initializer_list<LegacySlot> outputs;
  std::initializer_list<LegacyAttribute> attributes;
  std::initializer_list<llvm::StringRef> ignored;
  LodRule lod = LodRule::None;
  void (*hook)(OpImporter &) = nullptr;
  /// Which element types the op takes, in words: "float or complex".
  llvm::StringRef elements = "any";
  /// Place among the spellings of its record; the first is the one that programs are written with. The last
  /// place is that of spellings that nothing is written with: of ops that become several, and those that
  /// Paddle 2.6 does not have.
  size_t rank = unwrittenRank;
  static constexpr size_t unwrittenRank = 1000;
  /// Output slots that Paddle asks for and nothing reads but its gradient op.
  std::initializer_list<llvm::StringRef> scratch = {};
};

/// The entry of a legacy op type, or null.
const LegacyOp *findLegacyOp(llvm::StringRef type);
/// The entry of the op whose gradient, of whatever order, an op type is ("relu" for "relu_grad" and
/// "relu_grad_grad"), or null.
const LegacyOp *findForwardOp(llvm::StringRef gradientType);
/// Whether the translator takes ops of this type.
bool isImported(llvm::StringRef type);
/// Ops of the program's frame and of control flow, which have no record, and what they become.
const llvm::StringMap<std::string> &structuralOps();
/// All entries, sorted by type.
llvm::ArrayRef<LegacyOp> legacyOps();
/// Whether an attribute means nothing on any op: kernel choices, roles, names of scopes.
bool isHintAttribute(llvm::StringRef name);

} // namespace proa::import
