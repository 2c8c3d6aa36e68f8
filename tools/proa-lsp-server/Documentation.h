/// The documentation of ops, generated from their records (proa-tblgen -gen-op-documentation), as in
/// docs/ops.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace proa::lsp {

struct AttributeDocumentation {
  llvm::StringRef name, type;
  llvm::StringRef defaultValue; ///< empty: none
  llvm::StringRef keywords;     ///< of an enum: "NCHW, NHWC"; else empty
  llvm::StringRef mnemonic;     ///< of an enum: the text in `#pd<MNEMONIC KEYWORD>`; else empty
  bool isOptional;

  std::vector<llvm::StringRef> keywordList() const;
  /// "bool attribute, default false".
  std::string detail() const;
};

struct OpDocumentation {
  llvm::StringRef name, summary;
  llvm::StringRef section; ///< Markdown: description, operands, attributes, results, constraints
  std::vector<AttributeDocumentation> attributes;
};

/// Null: an op of another dialect than pd, dist and rt.
const OpDocumentation *documentationOf(llvm::StringRef op);

} // namespace proa::lsp
