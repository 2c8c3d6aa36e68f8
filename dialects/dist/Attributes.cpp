//! Attributes and types: text and constraints.
#include "dialects/dist/Dist.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "dialects/dist/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/dist/Attributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/dist/Types.cpp.inc"

namespace proa::dist {

void DistDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/dist/Attributes.cpp.inc"
      >();
}

void DistDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/dist/Types.cpp.inc"
      >();
}

//===-- Text
//------------------------------------------------------------------------------------------------------===//

namespace {

using Delimiter = AsmParser::Delimiter;

/// `"x"` or `"x":(1)2`.
AxisAttr parseAxis(AsmParser &parser) {
  llvm::SMLoc location = parser.getCurrentLocation();
  std::string name;
  int64_t pre = 0, size = 0;
  if (parser.parseString(&name))
    return {};
  bool isSubAxis = succeeded(parser.parseOptionalColon());
  if (isSubAxis &&
      (parser.parseLParen() || parser.parseInteger(pre) || parser.parseRParen() || parser.parseInteger(size)))
    return {};
  if (isSubAxis && pre == 0 && size == 0) {
    parser.emitError(location,
                     "C2: expected a sub-axis with a pre-size of at least 1 and a size of at least 2");
    return {};
  }
  return parser.getChecked<AxisAttr>(location, parser.getContext(), name, pre, size);
}

/// `"x", "y"` up to the end of the list.
ParseResult parseAxes(AsmParser &parser, SmallVectorImpl<AxisAttr> &axes, bool *isOpen = nullptr) {
  return parser.parseCommaSeparatedList(Delimiter::Braces, [&]() -> ParseResult {
    if (isOpen && *isOpen)
      return parser.emitError(parser.getCurrentLocation(), "expected '}' after '?'");
    if (isOpen && succeeded(parser.parseOptionalQuestion())) {
      *isOpen = true;
      return success();
    }
    axes.push_back(parseAxis(parser));
    return success(axes.back() != nullptr);
  });
}

void printAxis(AsmPrinter &printer, AxisAttr axis) {
  printer.printString(axis.getName());
  if (!axis.isFull())
    printer << ":(" << axis.getPre() << ")" << axis.getSize();
}

void printAxes(AsmPrinter &printer, ArrayRef<AxisAttr> axes, bool isOpen = false) {
  printer << "{";
  llvm::interleaveComma(axes, printer, [&](AxisAttr axis) { printAxis(printer, axis); });
  printer << (!isOpen ? "}" : axes.empty() ? "?}" : ", ?}");
}

/// `16` or `3 * 16`.
ParseResult parseBlocks(AsmParser &parser, SmallVectorImpl<int64_t> &blocks) {
  int64_t size = 0, count = 1;
  llvm::SMLoc location = parser.getCurrentLocation();
  if (parser.parseInteger(size))
    return failure();
  if (succeeded(parser.parseOptionalStar())) {
    count = size;
    if (parser.parseInteger(size))
      return failure();
  }
  if (count < 1 || count > spmd::mostBlocks)
    return parser.emitError(location, "expected 1 to ") << spmd::mostBlocks << " blocks, found " << count;
  blocks.append(static_cast<size_t>(count), size);
  return success();
}

DimShardingAttr parseDim(AsmParser &parser) {
  llvm::SMLoc location = parser.getCurrentLocation();
  SmallVector<AxisAttr> axes;
  SmallVector<int64_t> blocks;
  bool isOpen = false;
  int64_t priority = 0;
  if (parseAxes(parser, axes, &isOpen))
    return {};
  StringRef keyword;
  llvm::SMLoc keywordLocation = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(&keyword))) {
    if (keyword == "blocks") {
      auto parseBlock = [&] { return parseBlocks(parser, blocks); };
      if (parser.parseCommaSeparatedList(Delimiter::Paren, parseBlock))
        return {};
    } else if (!keyword.consume_front("p") || keyword.getAsInteger(10, priority)) {
      parser.emitError(keywordLocation, "expected a priority as 'p1' or 'blocks(...)'");
      return {};
    }
    keywordLocation = parser.getCurrentLocation();
  }
  return parser.getChecked<DimShardingAttr>(location, parser.getContext(), axes, !isOpen, priority, blocks);
}

void printDim(AsmPrinter &printer, DimShardingAttr dim) {
  printAxes(printer, dim.getAxes(), !dim.getIsClosed());
  if (dim.getPriority() != 0)
    printer << "p" << dim.getPriority();
  if (!dim.getBlocks().empty())
    printer << " blocks(" << spmd::blocksText(dim.getBlocks()) << ")";
}

/// `sum {"x"}`.
PartialAttr parsePartial(AsmParser &parser) {
  llvm::SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  SmallVector<AxisAttr> axes;
  if (parser.parseKeyword(&keyword))
    return {};
  std::optional<Reduction> reduction = symbolizeReduction(keyword);
  if (!reduction) {
    parser.emitError(location, "expected one of sum, max, min, prod, avg, any, all, found '")
        << keyword << "'";
    return {};
  }
  if (parseAxes(parser, axes))
    return {};
  return parser.getChecked<PartialAttr>(location, parser.getContext(), *reduction, axes);
}

void printPartial(AsmPrinter &printer, PartialAttr partial) {
  printer << stringifyReduction(partial.getReduction()) << " ";
  printAxes(printer, partial.getAxes());
}

/// Parses `< body >`.
template <class Attr> Attribute parseInAngles(AsmParser &parser, Attr (*parse)(AsmParser &)) {
  if (parser.parseLess())
    return {};
  Attr attribute = parse(parser);
  if (!attribute || parser.parseGreater())
    return {};
  return attribute;
}

MeshAttr parseMesh(AsmParser &parser) {
  llvm::SMLoc location = parser.getCurrentLocation();
  SmallVector<StringAttr> names;
  SmallVector<int64_t> sizes, devices;
  auto parseEntry = [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name) || parser.parseEqual() || parser.parseInteger(sizes.emplace_back()))
      return failure();
    names.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  };
  auto parseDevice = [&] { return parser.parseInteger(devices.emplace_back()); };
  if (parser.parseCommaSeparatedList(Delimiter::Square, parseEntry))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("devices") || parser.parseEqual() ||
       parser.parseCommaSeparatedList(Delimiter::Square, parseDevice)))
    return {};
  return parser.getChecked<MeshAttr>(location, parser.getContext(), names, sizes, devices);
}

ParseResult parseReplicated(AsmParser &parser, SmallVectorImpl<AxisAttr> &axes) {
  return parseAxes(parser, axes);
}

ShardingAttr parseSharding(AsmParser &parser) {
  llvm::SMLoc location = parser.getCurrentLocation();
  FlatSymbolRefAttr mesh;
  SmallVector<DimShardingAttr> dims;
  SmallVector<AxisAttr> replicated;
  SmallVector<PartialAttr> partial;
  auto parseDimension = [&]() -> ParseResult {
    dims.push_back(parseDim(parser));
    return success(dims.back() != nullptr);
  };
  auto parseReduction = [&]() -> ParseResult {
    partial.push_back(parsePartial(parser));
    return success(partial.back() != nullptr);
  };
  if (parser.parseAttribute(mesh) || parser.parseComma() ||
      parser.parseCommaSeparatedList(Delimiter::Square, parseDimension))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    llvm::SMLoc keywordLocation = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return {};
    if (keyword == "replicated" ? parseReplicated(parser, replicated)
        : keyword == "partial"  ? parser.parseCommaSeparatedList(Delimiter::Square, parseReduction)
                                : parser.emitError(keywordLocation, "expected 'replicated' or 'partial'"))
      return {};
  }
  return parser.getChecked<ShardingAttr>(location, parser.getContext(), mesh, dims, replicated, partial);
}

GroupAttr parseGroup(AsmParser &parser) {
  llvm::SMLoc location = parser.getCurrentLocation();
  FlatSymbolRefAttr mesh;
  SmallVector<AxisAttr> axes;
  if (parser.parseAttribute(mesh) || parser.parseComma() || parseAxes(parser, axes))
    return {};
  return parser.getChecked<GroupAttr>(location, parser.getContext(), mesh, axes);
}

} // namespace

Attribute AxisAttr::parse(AsmParser &parser, Type) { return parseInAngles(parser, parseAxis); }
Attribute DimShardingAttr::parse(AsmParser &parser, Type) { return parseInAngles(parser, parseDim); }
Attribute PartialAttr::parse(AsmParser &parser, Type) { return parseInAngles(parser, parsePartial); }
Attribute MeshAttr::parse(AsmParser &parser, Type) { return parseInAngles(parser, parseMesh); }
Attribute ShardingAttr::parse(AsmParser &parser, Type) { return parseInAngles(parser, parseSharding); }
Attribute GroupAttr::parse(AsmParser &parser, Type) { return parseInAngles(parser, parseGroup); }

void AxisAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printAxis(printer, *this);
  printer << ">";
}

void DimShardingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printDim(printer, *this);
  printer << ">";
}

void PartialAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printPartial(printer, *this);
  printer << ">";
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(llvm::zip(getNames(), getSizes()), printer, [&](auto axis) {
    printer.printString(std::get<0>(axis).getValue());
    printer << "=" << std::get<1>(axis);
  });
  printer << "]";
  if (!getDevices().empty()) {
    printer << ", devices = [";
    llvm::interleaveComma(getDevices(), printer);
    printer << "]";
  }
  printer << ">";
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printAttributeWithoutType(getMesh());
  printer << ", [";
  llvm::interleaveComma(getDims(), printer, [&](DimShardingAttr dim) { printDim(printer, dim); });
  printer << "]";
  if (!getReplicated().empty()) {
    printer << ", replicated = ";
    printAxes(printer, getReplicated());
  }
  if (!getPartial().empty()) {
    printer << ", partial = [";
    llvm::interleaveComma(getPartial(), printer,
                          [&](PartialAttr partial) { printPartial(printer, partial); });
    printer << "]";
  }
  printer << ">";
}

void GroupAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printAttributeWithoutType(getMesh());
  printer << ", ";
  printAxes(printer, getAxes());
  printer << ">";
}

Type FutureType::parse(AsmParser &parser) {
  RankedTensorType tensor;
  if (parser.parseLess())
    return {};
  if (failed(parser.parseOptionalGreater()) && (parser.parseType(tensor) || parser.parseGreater()))
    return {};
  return get(parser.getContext(), tensor);
}

void FutureType::print(AsmPrinter &printer) const {
  printer << "<";
  if (getTensor())
    printer << getTensor();
  printer << ">";
}

//===-- Constraints
//-----------------------------------------------------------------------------------------------===//

LogicalResult AxisAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name, int64_t pre,
                               int64_t size) {
  if (name.empty())
    return emitError() << "C1: expected a name of an axis, found an empty string";
  if ((pre != 0 || size != 0) && (pre < 1 || size < 2))
    return emitError()
           << "C2: expected a sub-axis with a pre-size of at least 1 and a size of at least 2, found \""
           << name << "\":(" << pre << ")" << size;
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<StringAttr> names,
                               ArrayRef<int64_t> sizes, ArrayRef<int64_t> devices) {
  constexpr int64_t maxDevices = 1 << 24;
  llvm::StringSet<> known;
  for (StringAttr name : names)
    if (name.getValue().empty() || !known.insert(name.getValue()).second)
      return emitError() << "C1: expected unique names of axes that are not empty, found " << name << " "
                         << (name.getValue().empty() ? "" : "twice");
  int64_t count = 1;
  for (int64_t size : sizes) {
    if (size < 1 || size > maxDevices / count)
      return emitError() << "C2: expected positive sizes of axes and at most " << maxDevices
                         << " devices, found an axis of size " << size;
    count *= size;
  }
  if (devices.empty())
    return success();
  if (static_cast<int64_t>(devices.size()) != count)
    return emitError() << "C3: expected a list of " << count << " devices, found " << devices.size();
  llvm::DenseSet<int64_t> used;
  for (int64_t device : devices)
    if (device < 0 || device > std::numeric_limits<int32_t>::max() || !used.insert(device).second)
      return emitError() << "C3: expected unique devices from 0 to 2^31 - 1, found " << device
                         << (device < 0 ? "" : " twice or too large");
  return success();
}

LogicalResult DimShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<AxisAttr> axes,
                                      bool isClosed, int64_t priority, ArrayRef<int64_t> blocks) {
  bool isWhole = isClosed && axes.empty();
  if (priority < 0 || (priority > 0 && isWhole))
    return emitError() << "C1: expected no priority of a closed dimension without axes, found p" << priority;
  if (blocks.empty())
    return success();
  if (isWhole)
    return emitError() << "C2: expected no blocks of a closed dimension without axes";
  int64_t sum = 0;
  for (int64_t block : blocks)
    if (block < 1 || llvm::AddOverflow(sum, block, sum))
      return emitError() << "C2: expected blocks of positive sizes, found " << block;
  if (static_cast<int64_t>(blocks.size()) > spmd::mostBlocks)
    return emitError() << "C2: expected at most " << spmd::mostBlocks << " blocks, found " << blocks.size();
  if (blocks.size() < 2)
    return emitError() << "C2: expected at least two blocks, found " << blocks.size();
  return success();
}

LogicalResult PartialAttr::verify(function_ref<InFlightDiagnostic()> emitError, Reduction reduction,
                                  ArrayRef<AxisAttr> axes) {
  if (axes.empty())
    return emitError() << "C1: expected an axis after '" << stringifyReduction(reduction) << "'";
  return success();
}

/// Whether one tensor cannot use both references to one axis.
static bool overlap(AxisAttr a, AxisAttr b) {
  auto refOf = [](AxisAttr axis) { return spmd::AxisRef{0, axis.getPre(), axis.getSize()}; };
  return a.isFull() || b.isFull() || spmd::overlap(refOf(a), refOf(b));
}

/// Emits an error that begins with `constraint` if two axes overlap.
static LogicalResult verifyDisjoint(function_ref<InFlightDiagnostic()> emitError, StringRef constraint,
                                    ArrayRef<AxisAttr> axes) {
  llvm::StringMap<SmallVector<AxisAttr, 1>> byName;
  for (AxisAttr axis : axes) {
    SmallVector<AxisAttr, 1> &others = byName[axis.getName()];
    if (llvm::any_of(others, [&](AxisAttr other) { return overlap(axis, other); }))
      return emitError() << constraint << ": expected each axis at most once, found \"" << axis.getName()
                         << "\" or sub-axes of it twice, or sub-axes that do not nest";
    others.push_back(axis);
  }
  return success();
}

LogicalResult ShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError, FlatSymbolRefAttr,
                                   ArrayRef<DimShardingAttr> dims, ArrayRef<AxisAttr> replicated,
                                   ArrayRef<PartialAttr> partial) {
  SmallVector<AxisAttr> axes(replicated);
  for (DimShardingAttr dim : dims)
    llvm::append_range(axes, dim.getAxes());
  for (PartialAttr p : partial)
    llvm::append_range(axes, p.getAxes());
  if (failed(verifyDisjoint(emitError, "C1", axes)))
    return failure();
  for (auto [i, p] : llvm::enumerate(partial))
    for (PartialAttr other : partial.take_front(i)) {
      if (other.getReduction() == p.getReduction())
        return emitError() << "C2: expected each reduction once, found '"
                           << stringifyReduction(p.getReduction()) << "' twice";
      if (!spmd::commute(static_cast<spmd::Reduction>(p.getReduction()),
                         static_cast<spmd::Reduction>(other.getReduction())))
        return emitError() << "C3: expected reductions that commute, found '"
                           << stringifyReduction(other.getReduction()) << "' and '"
                           << stringifyReduction(p.getReduction()) << "'";
    }
  return success();
}

LogicalResult GroupAttr::verify(function_ref<InFlightDiagnostic()> emitError, FlatSymbolRefAttr,
                                ArrayRef<AxisAttr> axes) {
  if (axes.empty())
    return emitError() << "C1: expected an axis of the group";
  return verifyDisjoint(emitError, "C1", axes);
}

//===-- Accessors
//-------------------------------------------------------------------------------------------------===//

spmd::Mesh MeshAttr::toMesh() const {
  spmd::Mesh mesh;
  for (auto [name, size] : llvm::zip(getNames(), getSizes()))
    mesh.axes.push_back({name.str(), size});
  mesh.devices.assign(getDevices().begin(), getDevices().end());
  return mesh;
}

bool ShardingAttr::isFinal() const {
  return getReplicated().empty() && llvm::all_of(getDims(), [](DimShardingAttr dim) {
           return dim.getIsClosed() && dim.getPriority() == 0;
         });
}

} // namespace proa::dist
