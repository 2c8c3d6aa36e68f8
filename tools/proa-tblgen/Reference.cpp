//! The op reference in Markdown, one section per op record: for pages, and as a table for the language
//! server.
#include "Records.h"

#include "mlir/TableGen/Attribute.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace proa::tblgen;

namespace {

/// Text for a table cell: no line breaks and no bars.
std::string inLine(llvm::StringRef text) {
  std::string out;
  for (char c : text.trim())
    out += c == '\n' ? ' ' : c;
  while (out.find("  ") != std::string::npos)
    out.replace(out.find("  "), 2, " ");
  for (size_t at = 0; (at = out.find('|', at)) != std::string::npos; at += 2)
    out.insert(at, 1, '\\');
  return out;
}

/// The description without its indentation.
std::string unindented(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  size_t indent = std::string::npos;
  for (llvm::StringRef line : lines)
    if (!line.trim().empty())
      indent = std::min(indent, line.size() - line.ltrim(' ').size());
  std::string out;
  for (llvm::StringRef line : lines)
    out += line.drop_front(std::min(indent, line.size())).rtrim().str() + "\n";
  return llvm::StringRef(out).trim().str();
}

void emitEnum(const mlir::tblgen::Attribute &attribute, const llvm::Record &values, llvm::raw_ostream &os) {
  os << values.getValueAsString("summary") << ": " << keywordsOf(values);
  llvm::StringRef symbol = attribute.hasDefaultValue() ? attribute.getDefaultValue().rsplit("::").second : "";
  for (const llvm::Record *value : values.getValueAsListOfDefs("enumerants"))
    if (value->getValueAsString("symbol") == symbol)
      os << ", default `" << value->getValueAsString("str") << "`";
  os << " |\n";
}

void emitValues(const mlir::tblgen::Operator &op, llvm::raw_ostream &os) {
  os << "| | | |\n|---|---|---|\n";
  auto row = [&](const char *role, const mlir::tblgen::NamedTypeConstraint &value) {
    const char *quantity = value.isOptional() ? " (optional)" : value.isVariadic() ? " (any number)" : "";
    // "float tensor of float values": the first half is enough.
    os << "| " << role << " | `" << value.name << "` | " << inLine(typeSummary(value).split(" of ").first)
       << quantity << " |\n";
  };
  for (const mlir::tblgen::NamedTypeConstraint &operand : op.getOperands())
    row("operand", operand);
  for (const mlir::tblgen::NamedAttribute &attribute : op.getAttributes()) {
    os << "| attribute | `" << attribute.name << "` | ";
    if (const llvm::Record *values = enumOf(attribute.attr)) {
      emitEnum(attribute.attr, *values, os);
      continue;
    }
    os << inLine(attribute.attr.getSummary());
    if (attribute.attr.hasDefaultValue())
      os << ", default `" << inLine(attribute.attr.getDefaultValue()) << "`";
    else if (attribute.attr.isOptional())
      os << " (optional)";
    os << " |\n";
  }
  for (const mlir::tblgen::NamedTypeConstraint &result : op.getResults())
    row("result", result);
}

/// Emits the constraints; true on failure.
bool emitConstraints(const mlir::tblgen::Operator &op, const llvm::Record &record, llvm::raw_ostream &os) {
  std::vector<std::string> constraints;
  if (constraintsOf(op, record, constraints))
    return true;
  if (!constraints.empty())
    os << "\nConstraints:\n\n";
  for (llvm::StringRef constraint : constraints)
    os << "- " << inLine(constraint) << "\n";
  return false;
}

/// How the op is computed and differentiated; true on failure.
bool emitMeaning(const llvm::Record &record, llvm::raw_ostream &os) {
  bool failed = false;
  auto formula = [&](const char *what, llvm::StringRef text) {
    if (!text.empty())
      os << "- " << what << ": `" << inLine(text) << "`\n";
  };
  formula("function of one element", record.getValueAsString("scalar"));
  formula("formula", record.getValueAsString("decomposition"));
  if (record.getValueAsBit("decomposesInCode"))
    os << "- composite: has a decomposition into simpler ops\n";
  else if (kindOf(record) == OpKind::Primitive)
    os << "- primitive\n";
  if (kindOf(record) == OpKind::Library) {
    LibraryTransforms each;
    failed = transformsOf(record, each);
    os << "- library op\n- transforms: evaluation " << each.evaluation << "; derivative " << each.derivative
       << "; batching " << each.batching << "; sharding " << each.sharding << "; lowering " << each.lowering
       << "\n";
  } else {
    formula("library kernel of the CPU runtime", record.getValueAsString("library"));
  }
  formula("library of CUDA", record.getValueAsString("cudaLibrary"));
  auto rules = [&](const char *what, const std::vector<llvm::StringRef> &texts) {
    if (texts.empty())
      return;
    os << "- " << what << ": ";
    llvm::interleaveComma(texts, os, [&](llvm::StringRef text) {
      os << (text.empty() ? std::string("none") : "`" + inLine(text) + "`");
    });
    os << "\n";
  };
  rules("partial derivatives", record.getValueAsListOfStrings("derivatives"));
  rules("gradients", record.getValueAsListOfStrings("vjp"));
  if (record.getValueAsBit("vjpInCode"))
    os << "- gradient: a rule\n";
  if (llvm::StringRef precision = record.getValueAsString("precision"); !precision.empty())
    os << "- mixed precision: " << precision << "\n";
  return failed;
}

void emitLegacy(const llvm::Record &record, llvm::raw_ostream &os) {
  auto spellings = record.getValueAsListOfDefs("legacy");
  if (spellings.empty())
    return;
  os << "- legacy op" << (spellings.size() > 1 ? "s" : "") << ": ";
  llvm::interleaveComma(spellings, os, [&](const llvm::Record *legacy) {
    os << "`" << legacy->getValueAsString("legacyType") << "`";
  });
  os << "\n";
}

/// The section of an op after its summary; true on failure.
bool emitSection(const mlir::tblgen::Operator &op, const llvm::Record &record, llvm::raw_ostream &os) {
  if (std::string text = unindented(op.getDescription()); !text.empty())
    os << text << "\n\n";
  emitValues(op, os);
  if (!record.isSubClassOf("Pd_Op"))
    return false;
  os << "\n";
  bool failed = emitMeaning(record, os);
  emitLegacy(record, os);
  return emitConstraints(op, record, os) || failed;
}

bool emitReference(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  bool failed = false;
  for (const llvm::Record *record : opsOfMainFile(records)) {
    mlir::tblgen::Operator op(*record);
    os << "## `" << op.getOperationName() << "`\n\n" << inLine(op.getSummary()) << ".\n\n";
    failed |= emitSection(op, *record, os);
    os << "\n";
  }
  return failed;
}

/// A row of tools/proa-lsp-server/Documentation.h: AttributeDocumentation.
void emitAttributeRow(const mlir::tblgen::NamedAttribute &named, llvm::raw_ostream &os) {
  const mlir::tblgen::Attribute &attribute = named.attr;
  const llvm::Record *values = enumOf(attribute);
  std::string defaultValue = attribute.hasDefaultValue() ? inLine(attribute.getDefaultValue()) : "";
  if (values)
    for (const llvm::Record *value : values->getValueAsListOfDefs("enumerants"))
      if (value->getValueAsString("symbol") == llvm::StringRef(defaultValue).rsplit("::").second)
        defaultValue = value->getValueAsString("str");
  os << "{" << quoted(named.name) << ", "
     << quoted(values ? values->getValueAsString("summary").str() : inLine(attribute.getSummary())) << ", "
     << quoted(defaultValue) << ", " << quoted(values ? keywordsOf(*values) : "") << ", "
     << quoted(values ? attribute.getBaseAttr().getDef().getValueAsString("mnemonic") : "") << ", "
     << (attribute.isOptional() || attribute.hasDefaultValue() ? "true" : "false") << "}, ";
}

/// The ops of pd in the main file; without any, the ops of another dialect, which has one file.
std::vector<const llvm::Record *> documentedOps(const llvm::RecordKeeper &records) {
  std::vector<const llvm::Record *> ops = opsOfMainFile(records);
  if (ops.empty())
    for (const llvm::Record *record : records.getAllDerivedDefinitions("Op"))
      if (mlir::tblgen::Operator(*record).getDialectName() != "pd")
        ops.push_back(record);
  return ops;
}

bool emitDocumentation(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  bool failed = false;
  for (const llvm::Record *record : documentedOps(records)) {
    mlir::tblgen::Operator op(*record);
    std::string section;
    llvm::raw_string_ostream text(section);
    failed |= emitSection(op, *record, text);
    os << "{" << quoted(op.getOperationName()) << ", " << quoted(inLine(op.getSummary())) << ", "
       << quoted(section) << ", {";
    for (const mlir::tblgen::NamedAttribute &attribute : op.getAttributes())
      emitAttributeRow(attribute, os);
    os << "}},\n";
  }
  return failed;
}

mlir::GenRegistration documentationGenerator("gen-op-documentation",
                                             "The op reference as a table of the language server",
                                             emitDocumentation);
mlir::GenRegistration referenceGenerator("gen-op-reference", "The op reference, in Markdown", emitReference);

} // namespace
