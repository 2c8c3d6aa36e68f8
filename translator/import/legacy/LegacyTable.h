/// The table of legacy ops, generated from the field `legacy` of all op records and the records of class
/// LegacyFormula (dialects/pd/ir/Base.td).
#pragma once

#include "translator/import/common/Mapping.h"
#include "translator/import/legacy/OpImporter.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <initializer_list>

namespace proa::import {

enum class ConstantKind { Bool, Int, String };

/// An attribute of a legacy op that must have this value for the entry to apply.
struct LegacyConstant {
  llvm::StringRef name;
  ConstantKind kind;
  int64_t integer;
  llvm::StringRef text;

  legacy::AttributeValue value() const;
  bool isEqual(const legacy::AttributeValue &other) const;
};

/// An attribute or slot of a legacy op that the record lacks.
struct LegacyIgnored {
  llvm::StringRef name;
  /// The only value that changes nothing, or one of these words.
  llvm::StringRef neutral;
  /// No value changes the results; the hook, or FusedAttributes, reads the attribute; an input or output
  /// slot.
  static constexpr llvm::StringLiteral anyValue = "any", byHook = "hook", fusedAttribute = "fused",
                                       slot = "slot";

  /// Whether only the neutral value is ignored.
  bool hasNeutral() const;
  bool isNeutral(const legacy::AttributeValue &value) const;
};

/// Which results have the LoD of the op's first tensor (the field `lod` in dialects/pd/ir/Base.td).
enum class LodRule { First, All, Rows, Outer, None };

/// The tables are constants without constructors at program start. The elements of a list live as long as the
/// table that it is a member of.
struct LegacyOp {
  llvm::StringRef type;
  /// The pd op; empty for a formula: the hook creates several ops.
  llvm::StringRef target;
  std::initializer_list<MappedSlot> inputs;
  std::initializer_list<MappedSlot> outputs;
  std::initializer_list<MappedAttribute> attributes;
  std::initializer_list<LegacyIgnored> ignored;
  LodRule lod = LodRule::None;
  void (*hook)(OpImporter &) = nullptr;
  /// Which element types the op takes, in words: "float or complex".
  llvm::StringRef elements = "any";
  /// Position among the mappings of its record, which an export tries in order. `unwrittenRank`: an export
  /// does not use the entry, as Paddle 2.6 does not have the op or it is a formula.
  size_t rank = unwrittenRank;
  static constexpr size_t unwrittenRank = 1000;
  /// Output slots that Paddle requires and only its gradient op reads.
  std::initializer_list<llvm::StringRef> scratch = {};
  std::initializer_list<LegacyConstant> constants = {};
  /// Whether the op has operands that are tensor arrays.
  bool takesArrays = false;

  bool isFormula() const { return target.empty(); }
  bool ignores(llvm::StringRef name) const {
    return llvm::any_of(ignored, [&](const LegacyIgnored &entry) { return entry.name == name; });
  }
  /// The name of the op in messages.
  llvm::StringRef name() const { return isFormula() ? type : target; }
};

/// The first entry of a legacy op type, or null.
const LegacyOp *findLegacyOp(llvm::StringRef type);
/// The entry of a legacy op, or null. If the type has several, the one whose constants equal the attributes.
const LegacyOp *findLegacyOp(const legacy::Operation &op);
/// The entry of the op whose gradient, of any order, an op type is ("relu" for "relu_grad" and
/// "relu_grad_grad"), or null.
const LegacyOp *findForwardOp(llvm::StringRef gradientType);
const LegacyOp *findForwardOp(const legacy::Operation &gradient);
/// Whether the translator imports ops of this type.
bool isImported(llvm::StringRef type);
/// Maps feed, fetch and control-flow ops, which have no record, to a description of their imported form.
const llvm::StringMap<std::string> &structuralOps();
/// All entries, sorted by type.
llvm::ArrayRef<LegacyOp> legacyOps();
/// Whether an attribute has no effect on any op: kernel choices, roles, names of scopes.
bool isHintAttribute(llvm::StringRef name);

} // namespace proa::import
