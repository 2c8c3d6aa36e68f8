/// The table of ops of ONNX, generated from the field `onnx` of all op records and the records of class
/// OnnxFormula (dialects/pd/ir/Onnx.td, which says what the members mean).
#pragma once

#include "translator/import/common/Mapping.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace proa::import {

class NodeImporter;

/// An attribute of the pd op that the ONNX op implies.
struct OnnxSet {
  llvm::StringRef name;
  AttributeKind kind;
  llvm::StringRef text; ///< "true", "2", "1.5", "NCHW", "[0, 1]"

  /// The attribute of the pd op; a keyword of an enum is a string.
  mlir::Attribute value(mlir::Builder &builder) const;
};

/// An attribute of the ONNX op that has no meaning for the pd op.
struct OnnxIgnored {
  llvm::StringRef name;
  llvm::StringRef neutral; ///< the only allowed value as text, or "any"
};

/// How the import of an op treats tensors of strings (field `strings` in Onnx.td).
enum class StringUse : uint8_t { Refused, InHook, Moved };

struct OnnxOp {
  /// Empty: the entry is for the export only.
  llvm::StringRef type;
  llvm::StringRef domain;
  int64_t since, until;
  /// The pd op; empty for a formula: the hook creates several ops.
  llvm::StringRef target;
  std::initializer_list<MappedSlot> inputs;
  std::initializer_list<MappedSlot> outputs;
  std::initializer_list<MappedAttribute> attributes;
  std::initializer_list<OnnxSet> set;
  std::initializer_list<OnnxIgnored> ignored;
  void (*hook)(NodeImporter &);
  /// Position among the mappings of its record, which an export tries in order. `unwrittenRank`: the entry is
  /// for the import only.
  size_t rank;
  static constexpr size_t unwrittenRank = 1000;
  StringUse strings;

  bool isFormula() const { return target.empty(); }
};

/// The entry of an op in a model that imports this opset of the domain, or null.
const OnnxOp *findOnnxOp(llvm::StringRef domain, llvm::StringRef type, int64_t opset);
/// All entries, sorted by domain, type and version.
llvm::ArrayRef<OnnxOp> onnxOps();
/// The entries that an export of a pd op tries, in order.
llvm::ArrayRef<const OnnxOp *> onnxOpsOf(llvm::StringRef target);

} // namespace proa::import
