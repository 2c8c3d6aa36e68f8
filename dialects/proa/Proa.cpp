#include "dialects/proa/Proa.h"
#include "dialects/proa/PatternSets.h"
#include "dialects/proa/Strategies.h"
#include "dialects/proa/StrategyChanges.h"
#include "lib/base/support/Suggest.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

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

static ParseResult parseFusedWith(AsmParser &parser, std::optional<proa::FusedWith> &role) {
  StringRef name;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  role = proa::symbolizeFusedWith(name);
  if (role)
    return success();
  return parser.emitError(location) << "found '" << name << "', expected operand or result";
}

static void printFusedWith(AsmPrinter &printer, std::optional<proa::FusedWith> role) {
  printer << proa::stringifyFusedWith(*role);
}

/// An integer, or `?` for kDynamic.
static ParseResult parseSize(AsmParser &parser, int64_t &size) {
  size = ShapedType::kDynamic;
  return succeeded(parser.parseOptionalQuestion()) ? success() : parser.parseInteger(size);
}

static void printSize(raw_ostream &stream, int64_t size) {
  if (ShapedType::isDynamic(size))
    stream << '?';
  else
    stream << size;
}

static ParseResult parseCount(AsmParser &parser, std::optional<int64_t> &count) {
  return parseSize(parser, count.emplace());
}

static void printCount(AsmPrinter &printer, std::optional<int64_t> count) {
  printSize(printer.getStream(), *count);
}

static ParseResult parseSizes(AsmParser &parser, SmallVector<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parseSize(parser, sizes.emplace_back()); });
}

static void printSizes(AsmPrinter &printer, ArrayRef<int64_t> sizes) {
  printer << '[';
  llvm::interleaveComma(sizes, printer.getStream(),
                        [&](int64_t size) { printSize(printer.getStream(), size); });
  printer << ']';
}

static ParseResult parseSizeLists(AsmParser &parser, ArrayAttr &lists) {
  SmallVector<Attribute> elements;
  auto parseList = [&]() -> ParseResult {
    SmallVector<int64_t> sizes;
    if (parseSizes(parser, sizes))
      return failure();
    elements.push_back(parser.getBuilder().getDenseI64ArrayAttr(sizes));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseList))
    return failure();
  lists = parser.getBuilder().getArrayAttr(elements);
  return success();
}

static void printSizeLists(AsmPrinter &printer, ArrayAttr lists) {
  printer << '[';
  llvm::interleaveComma(lists.getAsRange<DenseI64ArrayAttr>(), printer.getStream(),
                        [&](DenseI64ArrayAttr sizes) { printSizes(printer, sizes); });
  printer << ']';
}

static constexpr std::pair<proa::CheckedNumber, llvm::StringLiteral> checkedNumberNames[] = {
    {proa::CheckedNumber::Index, "index"},
    {proa::CheckedNumber::IndexFromEnd, "index_from_end"},
    {proa::CheckedNumber::GroupSize, "group_size"}};

static ParseResult parseCheckedNumber(AsmParser &parser, proa::CheckedNumber &kind) {
  StringRef name;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  for (auto [known, ownName] : checkedNumberNames)
    if (name == ownName) {
      kind = known;
      return success();
    }
  return parser.emitError(location) << "found '" << name << "', expected index, index_from_end or group_size";
}

static void printCheckedNumber(AsmPrinter &printer, proa::CheckedNumber kind) {
  for (auto [known, name] : checkedNumberNames)
    if (known == kind)
      printer << name;
}

static ParseResult parseFlag(AsmParser &parser, bool &flag) {
  flag = succeeded(parser.parseOptionalKeyword("true"));
  return flag ? success() : parser.parseKeyword("false");
}

static void printFlag(AsmPrinter &printer, bool flag) { printer << (flag ? "true" : "false"); }

#include "dialects/proa/Interfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/proa/Attributes.cpp.inc"

namespace proa {

// Here, where the storage of attributes is defined.
template <class Attr, class Storage>
struct StrategyModel : StrategyAttrInterface::ExternalModel<StrategyModel<Attr, Storage>, Attr> {
  static SmallVector<Attribute> changes(Attribute attribute) {
    auto *storage = static_cast<Storage *>(attribute.getImpl());
    return StrategyChanges<Attr, typename Storage::KeyTy>::of(attribute.getContext(), storage->getAsKey());
  }
};

using ContractionModel = StrategyModel<ContractionAttr, detail::ContractionAttrStorage>;
using AttentionModel = StrategyModel<AttentionAttr, detail::AttentionAttrStorage>;

/// Choices are `row_blocks` and `resident_blocks`; the others follow from the kernel.
struct LaunchModel : StrategyAttrInterface::ExternalModel<LaunchModel, LaunchAttr> {
  static SmallVector<Attribute> changes(Attribute attribute) {
    auto launch = cast<LaunchAttr>(attribute);
    auto all = StrategyModel<LaunchAttr, detail::LaunchAttrStorage>::changes(launch);
    llvm::erase_if(all, [&](Attribute changed) {
      auto other = cast<LaunchAttr>(changed);
      return launch.getThreads() != other.getThreads() || launch.getSharedBytes() != other.getSharedBytes();
    });
    return all;
  }
};

/// Choices are `vector` and `group`, powers of two as loops and warps have them; the others follow from the
/// op.
struct LoopsModel : StrategyAttrInterface::ExternalModel<LoopsModel, LoopsAttr> {
  static SmallVector<Attribute> changes(Attribute attribute) {
    auto loops = cast<LoopsAttr>(attribute);
    auto all = StrategyModel<LoopsAttr, detail::LoopsAttrStorage>::changes(loops);
    auto isPower = [](std::optional<int64_t> size) { return size && llvm::isPowerOf2_64(*size); };
    llvm::erase_if(all, [&](Attribute changed) {
      auto other = cast<LoopsAttr>(changed);
      bool isVector = loops.getVector() && isPower(other.getVector()) && loops.getGroup() == other.getGroup(),
           isGroup = loops.getGroup() && isPower(other.getGroup()) && loops.getVector() == other.getVector();
      return loops.getFusedWith() != other.getFusedWith() || (!isVector && !isGroup);
    });
    return all;
  }
};

void ProaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/proa/Attributes.cpp.inc"
      >();
  ContractionAttr::attachInterface<ContractionModel>(*getContext());
  AttentionAttr::attachInterface<AttentionModel>(*getContext());
  LaunchAttr::attachInterface<LaunchModel>(*getContext());
  LoopsAttr::attachInterface<LoopsModel>(*getContext());
  addInterfaces<PatternSets>();
}

template <class Element> static bool isArrayOf(Attribute value) {
  auto array = dyn_cast<ArrayAttr>(value);
  return array && llvm::all_of(array, llvm::IsaPred<Element>);
}

namespace {

/// An attribute of ops.
struct KnownAttribute {
  llvm::StringLiteral name, expected;
  bool (*isValid)(Attribute);
};

// The last ones have no name in Proa.h: passes/analysis/KernelAttributes.h, lib/check and passes/patterns do.
const KnownAttribute knownAttributes[] = {
    {targetAttribute, "a #proa.target", [](Attribute value) { return isa<TargetAttr>(value); }},
    {contractionAttribute, "a #proa.contraction",
     [](Attribute value) { return isa<ContractionAttr>(value); }},
    {attentionAttribute, "a #proa.attention", [](Attribute value) { return isa<AttentionAttr>(value); }},
    {loopsAttribute, "a #proa.loops", [](Attribute value) { return isa<LoopsAttr>(value); }},
    {rowsAttribute, "a #proa.rows", [](Attribute value) { return isa<RowsAttr>(value); }},
    {scratchAttribute, "a #proa.scratch", [](Attribute value) { return isa<ScratchAttr>(value); }},
    {launchAttribute, "a #proa.launch", [](Attribute value) { return isa<LaunchAttr>(value); }},
    {deviceKernelAttribute, "a #proa.device_kernel",
     [](Attribute value) { return isa<DeviceKernelAttr>(value); }},
    {strategyAttribute, "a #proa.strategy", [](Attribute value) { return isa<ThreadStrategyAttr>(value); }},
    {kernelCallAttribute, "a #proa.kernel_call", [](Attribute value) { return isa<KernelCallAttr>(value); }},
    {indexChecksAttribute, "an array of #proa.index_check", isArrayOf<IndexCheckAttr>},
    {dimChecksAttribute, "an array of #proa.dim_check", isArrayOf<DimCheckAttr>},
    {strategiesAttribute, "an array of strategies, as #proa.contraction", isArrayOf<StrategyAttrInterface>},
    {"proa.kernel", "unit", [](Attribute value) { return isa<UnitAttr>(value); }},
    {"proa.tf32", "unit", [](Attribute value) { return isa<UnitAttr>(value); }},
    {"proa.collective", "an integer", [](Attribute value) { return isa<IntegerAttr>(value); }},
    {"proa.name", "a string", [](Attribute value) { return isa<StringAttr>(value); }},
};

std::string didYouMeanKnown(StringRef name) {
  std::vector<std::string> names;
  for (const KnownAttribute &known : knownAttributes)
    names.push_back(known.name.str());
  return didYouMean(std::string_view(name), names);
}

} // namespace

LogicalResult ProaDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  const KnownAttribute *known =
      llvm::find_if(knownAttributes, [&](const KnownAttribute &own) { return own.name == name; });
  if (known == std::end(knownAttributes))
    return op->emitError() << "unknown attribute '" << name << "'" << didYouMeanKnown(name);
  bool belongsToModule = name == targetAttribute;
  if (known->isValid(attribute.getValue()) && (isa<ModuleOp>(op) || !belongsToModule))
    return success();
  return op->emitError() << "attribute '" << name << "': expected " << known->expected
                         << (belongsToModule ? " on a module" : "") << ", found " << attribute.getValue()
                         << " on " << op->getName();
}

LogicalResult ProaDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != tensorMapAttribute || isa<TensorMapAttr>(attribute.getValue()))
    return success();
  return op->emitError() << "attribute '" << tensorMapAttribute << "' of argument " << argument
                         << ": expected a #proa.tensor_map, found " << attribute.getValue();
}

} // namespace proa
