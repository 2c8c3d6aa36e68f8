#include "translator/import/newir/ModelImporter.h"

#include "translator/import/common/DeviceStage.h"

#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa::import {

ModelImporter::ModelImporter(MLIRContext &context, const newir::Model &model, const ImportOptions &options)
    : context(context), model(model), options(options), builder(&context) {
  context.loadDialect<pd::PdDialect, func::FuncDialect, scf::SCFDialect, tensor::TensorDialect>();
}

Result<OwningOpRef<ModuleOp>> ModelImporter::run() {
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    mlirErrors += (mlirErrors.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  makeFunction();
  for (const newir::Operation &op : model.operations) {
    importOp(op);
    replaceFed(op);
  }
  finishFunction();
  if (options.feedsMayHelp)
    *options.feedsMayHelp = !diagnostics.empty() && diagnostics.size() == openErrors;
  if (!diagnostics.empty())
    return diagnostics;
  return std::move(module);
}

RankedTensorType ModelImporter::tensorTypeOf(const newir::Type &type) const {
  llvm::SmallVector<int64_t> shape;
  for (int64_t dim : type.dims)
    shape.push_back(dim < 0 ? ShapedType::kDynamic : dim);
  return RankedTensorType::get(shape, pd::elementTypeOf(&context, type.dtype));
}

const llvm::StringMap<ModelImporter::Handler> &ModelImporter::handlers() {
  using Importer = ModelImporter;
  static const Handler values{&Importer::importValues, {"shape", "dtype", "values"}},
      parameter{&Importer::importSetParameter, {"parameter_name", "output_name"}},
      fetch{&Importer::importFetch, {"name", "col", "output_name"}},
      createArray{&Importer::importCreateArray, {"dtype", "val"}}, slice{&Importer::importArraySlice, {}},
      setValue{&Importer::importSetValue, {"axes", "decrease_axes", "none_axes", "shape", "values", "dtype"}};
  static const llvm::StringMap<Handler> map = {
      {"1.data", {&Importer::importNothing, {"name", "shape", "dtype"}}},
      {"1.fetch", fetch},
      {"1.shadow_output", fetch},
      {"0.set_parameter", parameter},
      {"0.shadow_output", parameter},
      {"0.combine", {&Importer::importCombine, {}}},
      {"0.split", {&Importer::importElements, {}}},
      {"0.slice", {&Importer::importElements, {"index"}}},
      {"1.full_int_array", {&Importer::importIntegers, {"value", "dtype"}}},
      {"1.assign_value", values},
      {"1.assign_value_", values},
      {"1.strided_slice", {&Importer::importStridedSlice, {"axes"}}},
      {"1.while", {&Importer::importWhile, {}}},
      {"1.if", {&Importer::importIf, {}}},
      {"1.shape64", {&Importer::importWideShape, {}}},
      {"1.create_array", createArray},
      {"1.create_array_like", createArray},
      {"1.array_write_", {&Importer::importArrayWrite, {}}},
      {"1.array_pop", {&Importer::importArrayPop, {"index"}}},
      {"1.assign_out_", {&Importer::importAssignOut, {}}},
      {"1.slice_array_dense", slice},
      {"1.slice_array", slice},
      {"1.equal", byTable(&Importer::importEquality)},
      {"1.equal_", byTable(&Importer::importEquality)},
      {"1.not_equal", byTable(&Importer::importEquality)},
      {"1.not_equal_", byTable(&Importer::importEquality)},
      {"1.equal_all", byTable(&Importer::importEquality)},
      {"1.median", byTable(&Importer::importMedian)},
      {"1.nanmedian", byTable(&Importer::importMedian)},
      {"1.trunc_divide", {&Importer::importTruncDivide, {}}},
      {"1.fp8_fp8_half_gemm_fused",
       {&Importer::importFloat8Product,
        {"transpose_x", "transpose_y", "scale", "output_dtype", "activation_type"}}},
      {"1.range_v2", {&Importer::importRange, {"dtype"}}},
      {"1.put_along_axis", {&Importer::importPutAlongAxis, {"axis", "reduce", "include_self"}}},
      {"1.put_along_axis_", {&Importer::importPutAlongAxis, {"axis", "reduce", "include_self"}}},
      {"1.index_put", byTable(&Importer::importIndexPut)},
      {"1.index_put_", byTable(&Importer::importIndexPut)},
      {"1.set_value", setValue},
      {"1.set_value_", setValue},
      {"1.set_value_with_tensor", setValue},
      {"1.set_value_with_tensor_", setValue}};
  return map;
}

void ModelImporter::importByHandler(const newir::Operation &op, const Handler &handler) {
  size_t before = diagnostics.size();
  if (!handler.isByTable)
    for (const newir::Attribute &given : op.attributes)
      if (!isStructuralAttribute(given.name) && !llvm::is_contained(handler.attributes, given.name))
        report("attribute '" + llvm::Twine(given.name) + "' is not known to the import of this op");
  if (diagnostics.size() == before)
    (this->*handler.run)(op);
}

void ModelImporter::importOp(const newir::Operation &op) {
  current = &op;
  size_t before = diagnostics.size();
  isBlocked = false;
  std::string device = text(op, "op_device");
  DeviceStage stage(builder, device);
  auto handler = handlers().find(op.name);
  llvm::StringRef name = op.name;
  const NewIrGradient *gradient = name.consume_front("1.") ? findNewIrGradient(name) : nullptr;
  if (handler != handlers().end())
    importByHandler(op, handler->second);
  else
    gradient && !findNewIrOp(name) ? importGradient(op, *gradient) : importByTable(op);
  if (diagnostics.size() == before && !isBlocked)
    updateStates(op);
  for (const newir::Definition &output : op.outputs)
    makers[output.id] = &op;
  byName[name.rtrim('_').str()].push_back(&op);
  if (diagnostics.size() == before && !isBlocked)
    return;
  for (const newir::Definition &output : op.outputs)
    poisoned.insert(output.id);
  std::set<int64_t> written;
  for (const std::vector<newir::Block> &region : op.regions)
    for (const newir::Block &block : region)
      findWritten(block, written);
  for (int64_t id : written) {
    values.erase(id);
    poisoned.insert(id);
  }
}

void ModelImporter::importFetch(const newir::Operation &op) {
  Values value = op.inputs.empty() ? Values() : operand(op.inputs[0]);
  if (value.size() == 1)
    fetches.emplace(integer(op, "col", static_cast<int64_t>(fetches.size())),
                    std::make_pair(text(op, "name"), value[0]));
}

void ModelImporter::importCombine(const newir::Operation &op) {
  if (llvm::any_of(op.inputs, [&](int64_t id) { return unused.count(id) != 0; })) {
    for (const newir::Definition &output : op.outputs)
      unused.insert(output.id);
    return;
  }
  Values list;
  for (int64_t id : op.inputs)
    llvm::append_range(list, operand(id));
  if (!isBlocked)
    define(op, 0, list);
}

void ModelImporter::importElements(const newir::Operation &op) {
  if (!op.inputs.empty() && unused.count(op.inputs[0])) {
    for (const newir::Definition &output : op.outputs)
      unused.insert(output.id);
    return;
  }
  Values list = op.inputs.empty() ? Values() : operand(op.inputs[0]);
  int64_t first = op.name == "0.slice" ? integer(op, "index", 0) : 0;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (first + i >= list.size())
      return report("the list has " + llvm::Twine(list.size()) + " elements");
    define(op, i, {list[first + i]});
  }
}

void ModelImporter::importIntegers(const newir::Operation &op) {
  const newir::Literal *value = op.attribute("value");
  std::vector<int64_t> integers = value ? newir::integersOf(*value) : std::vector<int64_t>();
  auto type = RankedTensorType::get({static_cast<int64_t>(integers.size())}, elementType(op, "dtype"));
  llvm::SmallVector<Attribute> elements;
  if (!type.getElementType().isInteger())
    return report("attribute 'dtype' is not a type of integers");
  for (int64_t index : integers)
    elements.push_back(builder.getIntegerAttr(type.getElementType(), index));
  define(op, 0, {pd::ConstantOp::create(builder, location(), type, DenseElementsAttr::get(type, elements))});
}

void ModelImporter::importValues(const newir::Operation &op) {
  if (Value values = literalValues(op, elementType(op, "dtype")))
    define(op, 0, {values});
}

void ModelImporter::importWideShape(const newir::Operation &op) {
  Values x = op.inputs.size() == 1 ? operand(op.inputs[0]) : Values();
  if (x.size() != 1)
    return;
  Value shape = build([&](pd::TensorBuilder &e) {
    return e.cast(e.wrap(e.create<pd::ShapeOp>(x[0])), builder.getI64Type());
  });
  if (shape)
    define(op, 0, {shape});
}

Value ModelImporter::build(llvm::function_ref<Value(pd::TensorBuilder &)> formula) {
  if (isBlocked)
    return {};
  Value value = buildFormula(builder, location(), formula);
  if (!value)
    report(std::exchange(mlirErrors, {}));
  return value;
}

Value ModelImporter::integers(llvm::ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, builder.getI64Type());
  return pd::ConstantOp::create(builder, location(), type, DenseElementsAttr::get(type, values));
}

Value ModelImporter::castElements(Value value, Type element) {
  return build([&](pd::TensorBuilder &e) { return e.cast(e.wrap(value), element); });
}

Value ModelImporter::literalValues(const newir::Operation &op, Type element) {
  const newir::Literal *literals = op.attribute("values"), *shape = op.attribute("shape");
  const auto *list = literals ? std::get_if<std::vector<newir::Literal>>(&literals->value) : nullptr;
  Type component = isa<ComplexType>(element) ? cast<ComplexType>(element).getElementType() : element;
  llvm::SmallVector<Attribute> values;
  for (const newir::Literal &literal : list ? *list : std::vector<newir::Literal>()) {
    const newir::Literal &scalar = newir::scalarOf(literal);
    const auto *integer = std::get_if<int64_t>(&scalar.value);
    double value = newir::numberOf(scalar).value_or(0);
    if (component.isInteger(1))
      values.push_back(builder.getBoolAttr(value != 0));
    else if (isa<IntegerType>(component))
      values.push_back(builder.getIntegerAttr(component, integer ? *integer : static_cast<int64_t>(value)));
    else
      values.push_back(builder.getFloatAttr(component, value));
  }
  std::vector<int64_t> dims = shape ? newir::integersOf(*shape) : std::vector<int64_t>{1};
  auto type = RankedTensorType::get(dims, component);
  if (values.size() != static_cast<size_t>(type.getNumElements())) {
    report("attribute 'values' has " + llvm::Twine(values.size()) + " numbers, 'shape' says " +
           llvm::Twine(type.getNumElements()));
    return {};
  }
  Value constant = pd::ConstantOp::create(builder, location(), type, DenseElementsAttr::get(type, values));
  return component == element ? constant : castElements(constant, element);
}

ModelImporter::Values ModelImporter::operand(int64_t id) {
  auto found = values.find(arrayOf(id));
  if (found != values.end())
    return found->second;
  isBlocked |= poisoned.count(id) != 0;
  if (!poisoned.count(id))
    report("value %" + llvm::Twine(id) + " is read before anything defines it");
  return {};
}

void ModelImporter::define(const newir::Operation &op, size_t output, Values value) {
  if (output < op.outputs.size())
    values[op.outputs[output].id] = std::move(value);
}

std::string ModelImporter::text(const newir::Operation &op, const char *name) {
  const newir::Literal *literal = op.attribute(name);
  const auto *string = literal ? std::get_if<std::string>(&literal->value) : nullptr;
  return string ? *string : "";
}

int64_t ModelImporter::integer(const newir::Operation &op, const char *name, int64_t otherwise) {
  const newir::Literal *literal = op.attribute(name);
  std::optional<double> value = literal ? newir::numberOf(*literal) : std::nullopt;
  return value ? static_cast<int64_t>(*value) : otherwise;
}

Attribute ModelImporter::typeAttribute(llvm::StringRef name) {
  if (auto dtype = dtypeFromName(name.str()))
    return TypeAttr::get(pd::elementTypeOf(&context, *dtype));
  report("'" + name + "' is not an element type");
  return {};
}

Type ModelImporter::elementType(const newir::Operation &op, const char *name) {
  std::string dtype = text(op, name);
  auto attribute = dyn_cast_if_present<TypeAttr>(typeAttribute(dtype));
  return attribute ? attribute.getValue() : builder.getI64Type();
}

Location ModelImporter::location() {
  return current && options.locations ? Location(NameLoc::get(builder.getStringAttr(current->path)))
                                      : UnknownLoc::get(&context);
}

void ModelImporter::report(const llvm::Twine &message) {
  diagnostics.add(options.source + ": " +
                      (current ? current->path + " (" + current->name + ")" : std::string()),
                  message.str());
}

bool isKnownInNewIr(llvm::StringRef name) {
  llvm::StringRef inDialect = name;
  return ModelImporter::hasHandler(name) ||
         (inDialect.consume_front("1.") && (findNewIrOp(inDialect) || findNewIrGradient(inDialect)));
}

Result<Interface> declaredInterface(MLIRContext &context, const newir::Model &model,
                                    const ImportOptions &options) {
  return ModelImporter(context, model, options).declaredInterface();
}

Result<OwningOpRef<ModuleOp>> importNewIr(MLIRContext &context, const newir::Model &model,
                                          const ImportOptions &options) {
  return ModelImporter(context, model, options).run();
}

} // namespace proa::import
