//! #proa.target: text form, verifier, accessors.
#include "dialects/proa/Proa.h"

#include "lib/base/support/Suggest.h"

#include "mlir/IR/OpImplementation.h"

#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace proa {
namespace {

template <class Facts> llvm::hash_code hashOf(const Facts &facts) {
  llvm::hash_code hash = llvm::hash_value(facts.name);
  for (const FactField<Facts> &field : fieldsOf<Facts>())
    hash = llvm::hash_combine(hash, facts.*field.value);
  return hash;
}

template <class Facts> ParseResult parseField(AsmParser &parser, Facts &facts) {
  StringRef name;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&name) || parser.parseEqual())
    return failure();
  auto fields = fieldsOf<Facts>();
  auto field = llvm::find_if(fields, [&](const auto &known) { return name == StringRef(known.name); });
  if (field == fields.end()) {
    std::vector<std::string> names;
    for (const auto &known : fields)
      names.emplace_back(known.name);
    return parser.emitError(location) << "unknown fact '" << name << "'" << didYouMean(name, names);
  }
  return parser.parseInteger(facts.*(field->value));
}

/// `"NAME" {FIELD = VALUE, ...}`
template <class Facts> ParseResult parseFacts(AsmParser &parser, Facts &facts) {
  std::string name;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseString(&name))
    return failure();
  const Facts *known = knownFacts<Facts>(name);
  if (!known)
    return parser.emitError(location) << "found '" << name << "', expected one of " << knownNames<Facts>();
  facts = *known;
  if (parser.parseOptionalLBrace())
    return success();
  return failure(parser.parseCommaSeparatedList([&] { return parseField(parser, facts); }) ||
                 parser.parseRBrace());
}

template <class Facts> void printFacts(AsmPrinter &printer, const Facts &facts) {
  printer << '"' << facts.name << '"';
  const Facts *known = knownFacts<Facts>(facts.name);
  bool isFirst = true;
  for (const FactField<Facts> &field : fieldsOf<Facts>())
    if (facts.*field.value != known->*field.value) {
      printer << (isFirst ? " {" : ", ") << field.name << " = " << facts.*field.value;
      isFirst = false;
    }
  printer << (isFirst ? "" : "}");
}

} // namespace

llvm::hash_code hash_value(const TargetFacts &facts) {
  return llvm::hash_combine(hashOf(facts.cpu), facts.gpu ? hashOf(*facts.gpu) : llvm::hash_code(0));
}

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  TargetFacts facts;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("cpu") || parseFacts(parser, facts.cpu))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("gpu") || parseFacts(parser, facts.gpu.emplace())))
    return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); }, parser.getContext(), facts);
}

void TargetAttr::print(AsmPrinter &printer) const {
  printer << "<cpu ";
  printFacts(printer, getFacts().cpu);
  if (getFacts().gpu) {
    printer << ", gpu ";
    printFacts(printer, *getFacts().gpu);
  }
  printer << ">";
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, TargetFacts facts) {
  std::string why = whyInvalid(facts);
  if (why.empty())
    return success();
  return emitError() << "C1: " << why;
}

const TargetFacts &targetOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(targetAttribute))
      return target.getFacts();
  return defaultTarget();
}

const GpuFacts &gpuOf(Operation *op) {
  const TargetFacts &facts = targetOf(op);
  return facts.gpu ? *facts.gpu : defaultGpu();
}

const GpuFacts &gpuOf(Operation *op, StringRef name) {
  const GpuFacts &gpu = gpuOf(op);
  return gpu.name == name ? gpu : *knownFacts<GpuFacts>(name);
}

void setTarget(ModuleOp module, const TargetFacts &facts) {
  module.getContext()->getOrLoadDialect<ProaDialect>();
  module->setAttr(targetAttribute, TargetAttr::get(module.getContext(), facts));
}

void copyTarget(ModuleOp from, ModuleOp to) {
  if (Attribute target = from->getAttr(targetAttribute))
    to->setAttr(targetAttribute, target);
}

} // namespace proa
