//! The interface of the function: feeds, parameters and fetches of the model, or those of a part of it
//! between other values, which are named as in the model.
#include "translator/import/FunctionInterface.h"
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "lib/support/Suggest.h"

using namespace mlir;

namespace proa::import {

/// The type of pd for a type of ONNX; null for maps, strings and types without dims.
static Type typeOf(MLIRContext &context, const onnx::Type &type) {
  if (type.kind == onnx::Type::Kind::Sequence || type.kind == onnx::Type::Kind::Optional) {
    auto element = dyn_cast_if_present<RankedTensorType>(
        type.element.size() == 1 ? typeOf(context, type.element[0]) : Type());
    return element ? Type(pd::ArrayType::get(&context, element)) : Type();
  }
  std::optional<DType> dtype = onnx::storageOf(type.elementType);
  if (type.kind != onnx::Type::Kind::Tensor || !type.dims || !dtype)
    return {};
  llvm::SmallVector<int64_t> shape;
  for (const onnx::Dim &dim : *type.dims) {
    const auto *size = std::get_if<int64_t>(&dim.value);
    shape.push_back(size && *size >= 0 ? *size : ShapedType::kDynamic);
  }
  return RankedTensorType::get(shape, pd::elementTypeOf(&context, *dtype));
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

Type GraphImporter::feedType(const onnx::ValueInfo &input) {
  Type type = input.type ? typeOf(context, *input.type) : Type();
  if (!type) {
    diagnostics.add(options.source, "feed '" + input.name + "' is of type '" +
                                        (input.type ? input.type->text() : "") +
                                        "', expected a tensor of numbers or a sequence of them");
    return {};
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? withKnownDims(options, input.name, tensor) : type;
}

Value GraphImporter::addArgument(llvm::StringRef role, const std::string &name, Type type) {
  NamedAttrList attributes;
  attributes.append(role, builder.getStringAttr(name));
  argumentAttributes.push_back(std::move(attributes));
  return function.getBody().front().addArgument(type, UnknownLoc::get(&context));
}

Value GraphImporter::importInitializer(const onnx::TensorValue &tensor) {
  if (!onnx::storageOf(tensor.type)) {
    report("tensor '" + llvm::Twine(tensor.name) + "' has elements of type '" +
           std::string(onnx::nameOf(tensor.type)) + "', which proa does not compute with");
    return {};
  }
  const std::string *parameter = parameters.nameOf(tensor);
  Value value;
  if (parameter) {
    auto type = RankedTensorType::get(tensor.dims, pd::elementTypeOf(&context, tensor.elements.dtype()));
    value = addArgument(pd::parameterAttribute, *parameter, type);
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
  std::vector<std::string> known;
  for (const onnx::ValueInfo *input : ownFeeds()) {
    known.push_back(input->name);
    Type type = feedType(*input);
    if (!type)
      continue;
    Value value = addArgument(pd::feedAttribute, input->name, type);
    if (input->type->kind == onnx::Type::Kind::Tensor &&
        onnx::dataTypeOf(*onnx::storageOf(input->type->elementType)) != input->type->elementType)
      storedTypes[value] = input->type->elementType;
    auto given = options.feedValues.find(input->name);
    auto tensorType = dyn_cast<RankedTensorType>(type);
    if (given != options.feedValues.end() && tensorType)
      if (Value constant = constantOf(given->second, tensorType, builder))
        value = constant;
    define(input->name, value);
  }
  auto isGiven = [&](const std::string &name) { return llvm::is_contained(options.feeds, name); };
  isPart = !options.feeds.empty() && !llvm::all_of(known, isGiven);
  for (const std::string &name : options.feeds) {
    if (llvm::is_contained(known, name))
      continue;
    isPart = true;
    auto info = llvm::find_if(model.graph.valueInfos,
                              [&](const onnx::ValueInfo &value) { return value.name == name; });
    if (info == model.graph.valueInfos.end())
      refuseName("feed", name);
    else if (Type type = feedType(*info))
      fed[name] = addArgument(pd::feedAttribute, name, type);
  }
  interfaceErrors = diagnostics;
}

void GraphImporter::replaceFed(const onnx::Node &node) {
  for (const std::string &output : node.outputs)
    if (auto given = fed.find(output); given != fed.end()) {
      define(output, given->second);
      scopes.back().poisoned.erase(output);
    }
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

std::vector<std::pair<std::string, Value>> GraphImporter::chooseFetches() {
  std::vector<std::string> own, names = options.fetches;
  for (const onnx::ValueInfo &output : model.graph.outputs)
    own.push_back(output.name);
  if (names.empty())
    names = own;
  isPart |= !llvm::all_of(own, [&](const std::string &name) { return llvm::is_contained(names, name); });
  if (isPart) // errors in the rest do not matter, if the fetches have values
    diagnostics.size() == interfaceErrors.size() ? void() : void(std::swap(diagnostics, interfaceErrors));
  std::vector<std::pair<std::string, Value>> chosen;
  for (const std::string &name : names) {
    if (Value value = scopes.front().values.lookup(name))
      chosen.emplace_back(name, value);
    else if (isPart && scopes.front().poisoned.count(name))
      diagnostics = interfaceErrors;
    else if (!scopes.front().poisoned.count(name))
      refuseName("fetch", name);
  }
  return chosen;
}

/// Erases pure ops whose results nothing needs.
void GraphImporter::eraseUnneeded(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::drop_begin(llvm::reverse(body))))
    if (op.use_empty())
      op.erase();
}

void GraphImporter::finishFunction() {
  Values results;
  llvm::SmallVector<Type> types;
  llvm::SmallVector<DictionaryAttr> attributes;
  for (auto &[name, value] : chooseFetches()) {
    results.push_back(value);
    types.push_back(value.getType());
    attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr(pd::fetchAttribute, builder.getStringAttr(name))));
  }
  func::ReturnOp::create(builder, UnknownLoc::get(&context), results);
  Block &body = function.getBody().front();
  eraseUnneeded(body);
  function.setType(builder.getFunctionType(body.getArgumentTypes(), types));
  for (auto [i, list] : llvm::enumerate(argumentAttributes))
    function.setArgAttrs(static_cast<unsigned>(i), list.getDictionary(&context));
  function.setAllResultAttrs(attributes);
  llvm::BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments()) {
    auto feed = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::feedAttribute);
    bool isFed = feed && (!isPart || llvm::is_contained(options.feeds, feed.getValue()));
    if (argument.use_empty() && !isFed)
      unused.set(argument.getArgNumber());
    else if (feed && !isFed && !options.feeds.empty())
      diagnostics.add(options.source, "feed '" + feed.str() + "' is not fed, but the fetches need it");
  }
  (void)function.eraseArguments(unused);
}

Result<Interface> GraphImporter::declaredInterface() {
  Interface interface;
  std::vector<std::string> known;
  for (const onnx::ValueInfo *input : ownFeeds()) {
    known.push_back(input->name);
    if (auto type = dyn_cast_if_present<RankedTensorType>(feedType(*input)))
      interface.feeds.emplace_back(input->name, type);
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
  interface.fetches = options.fetches;
  if (interface.fetches.empty())
    for (const onnx::ValueInfo &output : model.graph.outputs)
      interface.fetches.push_back(output.name);
  return interface;
}

} // namespace proa::import
