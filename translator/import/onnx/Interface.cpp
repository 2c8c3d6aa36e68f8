//! The interface of the function: feeds, parameters and fetches of the model, or of a subgraph of it
//! between other values, which are named as in the model.
#include "translator/import/common/FeedValues.h"
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Strings.h"
#include "translator/onnx/Strings.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "lib/base/support/Sequences.h"
#include "lib/base/support/Suggest.h"

using namespace mlir;

namespace proa::import {

/// The type of pd for the type of a tensor; null for types without dims.
static RankedTensorType typeOf(MLIRContext &context, const onnx::Type &type) {
  bool isString = type.elementType == onnx::DataType::String;
  std::optional<DType> dtype = isString ? DType::UInt8 : onnx::storageOf(type.elementType);
  if (type.kind != onnx::Type::Kind::Tensor || !type.dims || !dtype)
    return {};
  llvm::SmallVector<int64_t> shape;
  for (const onnx::Dim &dim : *type.dims) {
    const auto *size = std::get_if<int64_t>(&dim.value);
    shape.push_back(size && *size >= 0 ? *size : ShapedType::kDynamic);
  }
  if (isString)
    shape.push_back(ShapedType::kDynamic);
  return RankedTensorType::get(shape, pd::elementTypeOf(&context, *dtype));
}

/// The names of the dims, "" for a dim without one; empty if none has a name.
static std::vector<std::string> dimNamesOf(const onnx::ValueInfo &info) {
  std::vector<std::string> names;
  if (!info.type || info.type->kind != onnx::Type::Kind::Tensor || !info.type->dims)
    return names;
  for (const onnx::Dim &dim : *info.type->dims) {
    const auto *name = std::get_if<std::string>(&dim.value);
    names.push_back(name ? *name : "");
  }
  if (info.type->elementType == onnx::DataType::String)
    names.emplace_back(); // the bytes
  return llvm::all_of(names, [](const std::string &name) { return name.empty(); })
             ? std::vector<std::string>()
             : names;
}

std::vector<const onnx::ValueInfo *> GraphImporter::ownFeeds() const {
  auto isInitialized = [&](const onnx::ValueInfo &input) {
    return llvm::any_of(model.graph.initializers,
                        [&](const onnx::TensorValue &tensor) { return tensor.name == input.name; });
  };
  std::vector<const onnx::ValueInfo *> feeds;
  for (const onnx::ValueInfo &input : model.graph.inputs)
    if (!isInitialized(input) || llvm::is_contained(options.feeds, input.name))
      feeds.push_back(&input);
  return feeds;
}

RankedTensorType GraphImporter::feedType(const onnx::ValueInfo &input) {
  RankedTensorType type = input.type ? typeOf(context, *input.type) : RankedTensorType();
  if (!type) {
    diagnostics.add(options.source,
                    "feed '" + input.name + "' is of type '" + (input.type ? input.type->text() : "") +
                        "', expected a tensor of numbers or strings, or a sequence of numbers");
    return {};
  }
  // The sizes of other dims are checked when they are fed.
  std::vector<int64_t> known;
  for (int64_t dim : type.getShape())
    if (!ShapedType::isDynamic(dim))
      known.push_back(dim);
  if (!elementCount(known)) {
    diagnostics.add(options.source, "feed '" + input.name +
                                        "' has dims whose product is above the largest number of elements");
    return {};
  }
  return withKnownDims(options, input.name, type);
}

Value GraphImporter::addArgument(llvm::StringRef role, const std::string &name, Type type,
                                 llvm::ArrayRef<std::string> dimNames) {
  NamedAttrList attributes;
  attributes.append(role, builder.getStringAttr(name));
  if (!dimNames.empty())
    attributes.append(pd::dimNamesAttribute, namesAttribute(dimNames));
  argumentAttributes.push_back(std::move(attributes));
  return function.getBody().front().addArgument(type, UnknownLoc::get(&context));
}

Attribute GraphImporter::namesAttribute(llvm::ArrayRef<std::string> names) {
  return builder.getStrArrayAttr(llvm::SmallVector<llvm::StringRef>(names.begin(), names.end()));
}

Value GraphImporter::importInitializer(const onnx::TensorValue &tensor) {
  if (tensor.type == onnx::DataType::String) {
    auto bytes = pd::attributeFromTensor(&context, onnx::bytesOf(tensor.strings, tensor.dims));
    Value value = pd::ConstantOp::create(builder, location(), bytes.getType(), bytes);
    storedTypes[value] = tensor.type;
    return value;
  }
  const std::string *parameter = parameters.nameOf(tensor);
  Value value;
  if (parameter) {
    Value &argument = parameterArguments[*parameter];
    auto type = RankedTensorType::get(tensor.dims, pd::elementTypeOf(&context, tensor.elements.dtype()));
    if (!argument)
      argument = addArgument(pd::parameterAttribute, *parameter, type);
    value = argument;
    parameterTensors[value] = &tensor.elements;
  } else {
    auto elements = pd::attributeFromTensor(&context, tensor.elements);
    value = pd::ConstantOp::create(builder, location(), elements.getType(), elements);
  }
  if (onnx::dataTypeOf(tensor.elements.dtype()) != tensor.type)
    storedTypes[value] = tensor.type;
  return value;
}

void GraphImporter::makeFunction() {
  module = ModuleOp::create(builder, UnknownLoc::get(&context));
  builder.setInsertionPointToEnd(module->getBody());
  function =
      func::FuncOp::create(builder, UnknownLoc::get(&context), "main", builder.getFunctionType({}, {}));
  Block *body = builder.createBlock(&function.getBody());
  builder.setInsertionPointToStart(body);
  for (const onnx::ValueInfo *input : ownFeeds())
    if (isWanted(input->name))
      addFeed(*input);
  for (const auto &[name, count] : options.lodLevels)
    if (count > 0)
      diagnostics.add(options.source, "feed '" + name + "' has a LoD of " + std::to_string(count) +
                                          " levels, expected none: models of ONNX have no LoD");
  for (const std::string &name : fedInside) {
    auto info = llvm::find_if(model.graph.valueInfos,
                              [&](const onnx::ValueInfo &value) { return value.name == name; });
    if (info != model.graph.valueInfos.end())
      addFeed(*info);
    else
      refuseName("feed", name);
  }
}

void GraphImporter::addFeed(const onnx::ValueInfo &info) {
  if (std::optional<DType> element = sequenceElementType(info))
    return addSequence(info, *element);
  RankedTensorType type = feedType(info);
  if (!type) {
    scopes.front().poisoned.insert(info.name);
    return;
  }
  Value value = addArgument(pd::feedAttribute, info.name, type, dimNamesOf(info));
  if (std::optional<DType> storage = onnx::storageOf(info.type->elementType);
      !storage || onnx::dataTypeOf(*storage) != info.type->elementType)
    storedTypes[value] = info.type->elementType;
  if (auto given = options.feedValues.find(info.name); given != options.feedValues.end())
    if (Value constant = constantOf(given->second, type, builder))
      value = constant;
  define(info.name, value);
}

/// Whether a feed is an argument: one of a subgraph of the model only if it is listed or needed.
bool GraphImporter::isWanted(const std::string &feed) const {
  return !isSubgraph || llvm::is_contained(options.feeds, feed) || neededValues.contains(feed);
}

void GraphImporter::refuseName(const char *kind, const std::string &name) {
  std::vector<std::string> known;
  bool isComputed = false;
  for (const onnx::ValueInfo &input : model.graph.inputs)
    known.push_back(input.name);
  for (const onnx::Node &node : model.graph.nodes)
    for (const std::string &output : node.outputs) {
      known.push_back(output);
      isComputed |= output == name;
    }
  diagnostics.add(options.source, isComputed ? "the model does not declare the type of '" + name +
                                                   "', which a feed must have (value_info)"
                                             : "the model has no " + std::string(kind) + " '" + name + "'" +
                                                   didYouMean(name, known));
}

std::vector<std::string> GraphImporter::fetchNames() const {
  std::vector<std::string> names = options.fetches;
  if (names.empty())
    for (const onnx::ValueInfo &output : model.graph.outputs)
      names.push_back(output.name);
  return names;
}

void addReadNames(const onnx::Node &node, llvm::StringSet<> &names) {
  names.insert_range(node.inputs);
  if (node.type == "Gradient") // of the value y
    if (const onnx::Attribute *y = node.attribute("y"))
      if (const auto *name = std::get_if<std::string>(&y->value))
        names.insert(*name);
  for (const onnx::Attribute &attribute : node.attributes)
    for (const onnx::Graph &graph : attribute.graphs()) {
      for (const onnx::ValueInfo &output : graph.outputs)
        names.insert(output.name);
      for (const onnx::Node &inner : graph.nodes)
        addReadNames(inner, names);
    }
}

void GraphImporter::findNeeded() {
  std::vector<std::string> fetches = fetchNames(), own;
  for (const onnx::ValueInfo *input : ownFeeds())
    own.push_back(input->name);
  auto isGiven = [&](const std::string &name) { return llvm::is_contained(options.feeds, name); };
  isSubgraph = !options.feeds.empty() && !llvm::all_of(own, isGiven);
  for (const std::string &name : options.feeds)
    if (!llvm::is_contained(own, name))
      fedInside.insert(name);
  isSubgraph |= !fedInside.empty() || !llvm::all_of(model.graph.outputs, [&](const onnx::ValueInfo &output) {
    return llvm::is_contained(fetches, output.name);
  });
  neededValues.insert_range(fetches);
  neededNodes.assign(model.graph.nodes.size(), false);
  for (size_t i = neededNodes.size(); i-- > 0;) {
    const onnx::Node &node = model.graph.nodes[i];
    neededNodes[i] = llvm::any_of(node.outputs, [&](const std::string &output) {
      return !output.empty() && neededValues.contains(output) && !fedInside.count(output);
    });
    if (neededNodes[i])
      addReadNames(node, neededValues);
  }
}

std::vector<std::pair<std::string, Value>> GraphImporter::chooseFetches() {
  std::vector<std::pair<std::string, Value>> chosen;
  for (const std::string &name : fetchNames())
    if (Value value = scopes.front().values.lookup(name))
      chosen.emplace_back(name, value);
    else if (!scopes.front().poisoned.count(name)) // else the reason is reported
      refuseName("fetch", name);
  return chosen;
}

std::vector<std::string> GraphImporter::dimNamesOfOutput(llvm::StringRef name) const {
  auto output =
      llvm::find_if(model.graph.outputs, [&](const onnx::ValueInfo &info) { return info.name == name; });
  return output == model.graph.outputs.end() ? std::vector<std::string>() : dimNamesOf(*output);
}

void GraphImporter::addResult(const std::string &name, Value value) {
  auto add = [&](const std::string &fetch, Value result, NamedAttrList attributes) {
    attributes.append(pd::fetchAttribute, builder.getStringAttr(fetch));
    results.push_back(result);
    resultAttributes.push_back(attributes.getDictionary(&context));
  };
  NamedAttrList attributes;
  if (!pd::isArray(value)) {
    if (storedType(value) == onnx::DataType::String)
      value = trimmedStrings(builder, value);
    if (std::vector<std::string> dims = dimNamesOfOutput(name); !dims.empty())
      attributes.append(pd::dimNamesAttribute, namesAttribute(dims));
    return add(name, value, attributes);
  }
  attributes.append(pd::sequenceAttribute, builder.getStringAttr(name));
  auto [rows, scalars] = packSequence(value);
  add(sequenceRowsName(name), rows, attributes);
  add(sequenceScalarsName(name), scalars, attributes);
}

void GraphImporter::addComputedValues() {
  llvm::StringSet<> known;
  known.insert_range(fetchNames());
  for (const onnx::Node &node : model.graph.nodes)
    for (const std::string &name : node.outputs) {
      auto result = dyn_cast_or_null<OpResult>(scopes.front().values.lookup(name));
      if (result && isa<RankedTensorType>(result.getType()) && known.insert(name).second)
        addResult(name, result);
    }
}

void GraphImporter::finishFunction() {
  for (auto &[name, value] : chooseFetches())
    addResult(name, value);
  if (options.fetchesAll)
    addComputedValues();
  func::ReturnOp::create(builder, UnknownLoc::get(&context), results);
  Block &body = function.getBody().front();
  // Ops of a formula without users may read parameters.
  for (Operation &op : llvm::make_early_inc_range(llvm::drop_begin(llvm::reverse(body))))
    if (isOpTriviallyDead(&op))
      op.erase();
  function.setType(builder.getFunctionType(body.getArgumentTypes(), ValueRange(results).getTypes()));
  for (auto [i, list] : llvm::enumerate(argumentAttributes))
    function.setArgAttrs(static_cast<unsigned>(i), list.getDictionary(&context));
  function.setAllResultAttrs(resultAttributes);
  llvm::BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments()) {
    auto feed = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::feedAttribute);
    bool isFed = feed && (!isSubgraph || llvm::is_contained(options.feeds, feed.getValue()));
    if (argument.use_empty() && !isFed)
      unused.set(argument.getArgNumber());
    else if (feed && !isFed && !options.feeds.empty())
      diagnostics.add(options.source, "feed '" + feed.str() + "' is not fed, but the fetches need it");
  }
  (void)function.eraseArguments(unused);
}

void GraphImporter::declareOutputs(Interface &interface) {
  for (const onnx::ValueInfo &output : model.graph.outputs) {
    if (!llvm::is_contained(interface.fetches, output.name))
      continue;
    if (std::optional<DType> element = sequenceElementType(output)) {
      interface.fetchTypes.emplace_back(output.name,
                                        RankedTensorType::get({}, pd::elementTypeOf(&context, *element)));
      interface.sequences.push_back(output.name);
    } else if (RankedTensorType type = output.type ? typeOf(context, *output.type) : RankedTensorType()) {
      interface.fetchTypes.emplace_back(output.name, type);
    }
    if (std::vector<std::string> names = dimNamesOf(output); !names.empty())
      interface.dimNames.emplace(output.name, std::move(names));
  }
}

Result<Interface> GraphImporter::declaredInterface() {
  Interface interface;
  std::vector<std::string> known;
  for (const onnx::ValueInfo *input : ownFeeds()) {
    known.push_back(input->name);
    if (std::optional<DType> element = sequenceElementType(*input)) {
      interface.feeds.emplace_back(input->name,
                                   RankedTensorType::get({}, pd::elementTypeOf(&context, *element)));
      interface.sequences.push_back(input->name);
    } else if (RankedTensorType type = feedType(*input)) {
      interface.feeds.emplace_back(input->name, type);
    }
    if (std::vector<std::string> names = dimNamesOf(*input); !names.empty())
      interface.dimNames.emplace(input->name, std::move(names));
  }
  for (const std::string &name : options.feeds)
    if (!llvm::is_contained(known, name))
      return errorAt(options.source, "'" + name +
                                         "' is not a feed of the model, whose other values may be fed "
                                         "only if all of it can be imported with dynamic dims");
  if (!diagnostics.empty())
    return diagnostics;
  for (const onnx::Parameter &parameter : parameters.all())
    if (auto dtype = onnx::storageOf(parameter.value->type);
        dtype && !llvm::is_contained(known, parameter.name))
      interface.parameters.emplace_back(
          parameter.name, RankedTensorType::get(parameter.value->dims, pd::elementTypeOf(&context, *dtype)));
  interface.fetches = fetchNames();
  declareOutputs(interface);
  return interface;
}

} // namespace proa::import
