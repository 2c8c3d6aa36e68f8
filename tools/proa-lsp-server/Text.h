/// Positions and tokens in the text of an IR file, which may be incomplete.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"

#include <optional>
#include <string>

namespace proa::lsp {

/// The offset of a position, which counts UTF-16 units; at most the end of its line.
size_t offsetOf(llvm::StringRef text, const llvm::lsp::Position &position);
llvm::lsp::Position positionOf(llvm::StringRef text, size_t offset);

/// The text of the line before `offset`.
llvm::StringRef lineBefore(llvm::StringRef text, size_t offset);

/// The name of an op at `offset`, such as pd.relu; empty: none. Types, attributes, symbols and names in
/// comments are none.
llvm::StringRef opNameAt(llvm::StringRef text, size_t offset);

/// The name of the op that the user types at the end of `line` ("pd.", "pd.re"); nothing if no op may begin
/// there. It includes the opening quote of the generic form.
std::optional<llvm::StringRef> opPrefix(llvm::StringRef line);

/// The op with the attribute that the user types.
struct AttributeLocation {
  std::string op;
  bool isGeneric = false;    ///< "pd.relu"(%x) instead of pd.relu %x
  bool isDictionary = false; ///< in braces, else between the operands and the braces
  std::string others;        ///< the attributes before it, with their values
  std::string name;          ///< of the attribute if its value is typed, else empty
  llvm::StringRef prefix;    ///< of the name or value
};

/// The place of attributes of an op at `offset`; nothing: another place.
std::optional<AttributeLocation> attributeLocation(llvm::StringRef text, size_t offset);

} // namespace proa::lsp
