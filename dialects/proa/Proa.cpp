#include "dialects/proa/Proa.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/proa/Dialect.cpp.inc"
#include "dialects/proa/Enums.cpp.inc"

// Fields of attributes, for their generated parsers and printers.

static ParseResult parseMatmulKind(AsmParser &parser, std::optional<proa::MatmulKind> &kind) {
  StringRef name;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  kind = proa::symbolizeMatmulKind(name);
  if (kind)
    return success();
  return parser.emitError(location) << "found '" << name << "', expected fma, mma or wgmma";
}

static void printMatmulKind(AsmPrinter &printer, std::optional<proa::MatmulKind> kind) {
  printer << proa::stringifyMatmulKind(*kind);
}

static ParseResult parseSizes(AsmParser &parser, SmallVector<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(sizes.emplace_back()); });
}

static void printSizes(AsmPrinter &printer, ArrayRef<int64_t> sizes) {
  printer << '[';
  llvm::interleaveComma(sizes, printer.getStream());
  printer << ']';
}

static ParseResult parseFlag(AsmParser &parser, bool &flag) {
  flag = succeeded(parser.parseOptionalKeyword("true"));
  return flag ? success() : parser.parseKeyword("false");
}

static void printFlag(AsmPrinter &printer, bool flag) { printer << (flag ? "true" : "false"); }

#define GET_ATTRDEF_CLASSES
#include "dialects/proa/Attributes.cpp.inc"

namespace proa {

void ProaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/proa/Attributes.cpp.inc"
      >();
}

/// The kind of attribute that a name of the dialect has, or null.
static bool (*kindOf(StringRef name))(Attribute) {
  return llvm::StringSwitch<bool (*)(Attribute)>(name)
      .Case(targetAttribute, [](Attribute value) { return isa<TargetAttr>(value); })
      .Case(contractionAttribute, [](Attribute value) { return isa<ContractionAttr>(value); })
      .Case(attentionAttribute, [](Attribute value) { return isa<AttentionAttr>(value); })
      .Default(nullptr);
}

LogicalResult ProaDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  bool (*isOfKind)(Attribute) = kindOf(name);
  bool isOnModule = isa<ModuleOp>(op), belongsToModule = name == targetAttribute;
  if (!isOfKind || (isOfKind(attribute.getValue()) && (isOnModule || !belongsToModule)))
    return success();
  return op->emitError() << "attribute '" << name << "': expected a #" << name
                         << (belongsToModule ? " on a module" : "") << ", found " << attribute.getValue()
                         << " on " << op->getName();
}

} // namespace proa
