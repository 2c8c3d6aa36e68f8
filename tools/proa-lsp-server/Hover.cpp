#include "tools/proa-lsp-server/Hover.h"

#include "tools/proa-lsp-server/Documentation.h"
#include "tools/proa-lsp-server/Text.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SourceMgr.h"

namespace proa::lsp {
namespace {

std::string textOf(mlir::TypeRange types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(types, os);
  return text.empty() ? "none" : text;
}

/// Operand and result types, and the inferred types where they differ.
std::string typesOf(mlir::Operation *op) {
  std::string text = "Operands: `" + textOf(op->getOperandTypes()) + "`  \nResults: `" +
                     textOf(op->getResultTypes()) + "`  \n";
  auto inference = mlir::dyn_cast<mlir::InferTypeOpInterface>(op);
  llvm::SmallVector<mlir::Type> types;
  if (inference && succeeded(inference.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                                        op->getRawDictionaryAttrs(),
                                                        op->getPropertiesStorage(), op->getRegions(), types)))
    text += mlir::TypeRange(types) == op->getResultTypes() ? "Inferred: the same  \n"
                                                           : "Inferred: `" + textOf(types) + "`  \n";
  return text;
}

/// Types and the user's line of the op whose name is at `offset` of a document that can be parsed.
std::string describeOp(mlir::MLIRContext &context, llvm::StringRef text, llvm::StringRef document,
                       size_t offset, const Folders &folders) {
  // The server reports errors of the document.
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, document), llvm::SMLoc());
  const char *begin = sources.getMemoryBuffer(1)->getBufferStart();
  mlir::Block block;
  mlir::AsmParserState state;
  if (failed(mlir::parseAsmSourceFile(sources, &block, mlir::ParserConfig(&context), &state)))
    return "";
  for (const mlir::AsmParserState::OperationDefinition &definition : state.getOpDefs()) {
    const char *at = begin + offset;
    if (at < definition.loc.Start.getPointer() || definition.loc.End.getPointer() < at)
      continue;
    std::string link = linkOf(definition.op->getLoc(), document, folders);
    return typesOf(definition.op) + (link.empty() ? "" : "From: " + link + "  \n");
  }
  return "";
}

} // namespace

std::optional<HoverText> hoverOf(mlir::MLIRContext &context, llvm::StringRef text, llvm::StringRef document,
                                 const llvm::lsp::Position &position, const Folders &folders) {
  size_t offset = offsetOf(text, position);
  llvm::StringRef name = opNameAt(text, offset);
  const OpDocumentation *op = documentationOf(name);
  if (name.empty() || !mlir::RegisteredOperationName::lookup(name, &context))
    return std::nullopt;
  HoverText hover;
  std::string description = describeOp(context, text, document, offset, folders);
  hover.summary = "**" + name.str() + "**" + (op ? ": " + op->summary.str() : "") + "\n\n" + description;
  hover.section = op ? op->section.str() : "";
  size_t begin = name.begin() - text.begin();
  hover.range = llvm::lsp::Range(positionOf(text, begin), positionOf(text, begin + name.size()));
  return hover;
}

} // namespace proa::lsp
