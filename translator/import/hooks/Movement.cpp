//! Hooks of ops that pick and place elements.
#include "translator/import/AlignedAxes.h"
#include "translator/import/LegacyTable.h"
#include "translator/import/hooks/Formula.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// The one-element tensors in a slot, stacked; nothing where it is empty.
Operands stacked(OpImporter &importer, llvm::StringRef slot) {
  Operands values = importer.inputs(slot);
  return values.empty() ? Operands{} : Operands{importer.stackScalars(values)};
}

NamedAttribute intsNamed(OpImporter &importer, llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
  return importer.named(name, importer.getBuilder().getDenseI64ArrayAttr(values));
}

Value reshape(OpImporter &importer, Value value, llvm::ArrayRef<int64_t> shape) {
  return importer.createOne("pd.reshape", {{value}, {}}, {intsNamed(importer, "shape", shape)});
}

} // namespace

void importGather(OpImporter &importer) {
  Value index = importer.requiredInput("Index");
  if (!index)
    return;
  // A matrix of one column stands for a vector.
  auto type = pd::tensorType(index);
  if (type.getRank() == 2 && type.getDimSize(1) == 1)
    importer.overrideInput("Index",
                           reshape(importer, index, {type.isDynamicDim(0) ? -1 : type.getDimSize(0)}));
  importer.importByTable();
}

/// Puts what changes no sum or product in place of the elements that updates are put to: x is not included in
/// it.
static bool clearAddressed(OpImporter &importer, llvm::StringRef reduce) {
  if (reduce != "add" && reduce != "multiply") {
    importer.report("attribute 'Include_self' is false with Reduce '" + reduce + "', expected add or mul");
    return false;
  }
  Value x = importer.requiredInput("Input"), index = importer.requiredInput("Index");
  if (!x || !index)
    return false;
  Builder &builder = importer.getBuilder();
  Type element = pd::tensorType(x).getElementType();
  Value neutral =
      importer.createOne("pd.full_like", {{index}, {}},
                         {importer.named("value", builder.getF64FloatAttr(reduce == "multiply" ? 1 : 0)),
                          importer.named("dtype", TypeAttr::get(element))});
  Value cleared = importer.createOne(
      "pd.put_along_axis", {{x}, {index}, {neutral}},
      {importer.named("axis", builder.getI64IntegerAttr(importer.intAttribute("Axis", 0)))});
  importer.overrideInput("Input", cleared);
  return cleared != nullptr;
}

/// Of values that reach further than the indices only those at an index count.
static void trimValues(OpImporter &importer) {
  Value values = importer.requiredInput("Value"), index = importer.requiredInput("Index");
  if (!values || !index || pd::tensorType(values).getRank() != pd::tensorType(index).getRank())
    return;
  auto from = pd::tensorType(values), to = pd::tensorType(index);
  Formula f(importer);
  if (from.hasStaticShape() && to.hasStaticShape()) {
    for (auto [axis, extent] : llvm::enumerate(to.getShape()))
      if (values && from.getDimSize(axis) > extent)
        values = f.slice(values, axis, 0, extent);
  } else {
    auto axes = llvm::to_vector(llvm::seq<int64_t>(0, to.getRank()));
    llvm::SmallVector<int64_t> starts(axes.size(), 0);
    Value ends = f.make("pd.shape", {{index}});
    values = f.make("pd.slice", {{values}, {}, {ends}, {}},
                    {f.integers("axes", axes), f.integers("starts", starts)});
  }
  importer.overrideInput("Value", values);
}

void importPutAlongAxis(OpImporter &importer) {
  std::string reduce = importer.stringAttribute("Reduce", "assign");
  if (reduce == "mul")
    importer.overrideAttribute("Reduce", importer.getBuilder().getStringAttr(reduce = "multiply"));
  if (!importer.boolAttribute("Include_self", true) && reduce != "assign" &&
      !clearAddressed(importer, reduce))
    return;
  trimValues(importer);
  importer.importByTable();
}

namespace {

/// The literal values of a set_value, in whichever attribute they stand, as a constant of the element type of
/// x.
Value literalValues(OpImporter &importer, Type element) {
  llvm::SmallVector<double> numbers;
  llvm::SmallVector<int64_t> integers, shape = importer.intsAttribute("shape");
  for (const char *name :
       {"values", "bool_values", "int32_values", "int64_values", "fp32_values", "fp64_values", "fp16_values"})
    if (numbers.empty()) {
      numbers = importer.floatsAttribute(name);
      integers = importer.intsAttribute(name);
    }
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  if (numbers.empty() || count != static_cast<int64_t>(numbers.size())) {
    importer.report("set_value holds " + llvm::Twine(numbers.size()) + " values for a shape of " +
                    llvm::Twine(count) + " elements");
    return {};
  }
  Builder &builder = importer.getBuilder();
  llvm::SmallVector<Attribute> elements;
  for (auto [number, integer] : llvm::zip(numbers, integers)) {
    if (isa<FloatType>(element))
      elements.push_back(builder.getFloatAttr(element, number));
    else if (isa<IntegerType>(element))
      elements.push_back(builder.getIntegerAttr(element, integer));
  }
  if (elements.empty()) {
    importer.report("literal values of a set_value on complex numbers are not supported");
    return {};
  }
  return importer.constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), elements));
}

/// The value aligned with the slice that it replaces.
Value alignedValue(OpImporter &importer, Value value, int64_t rank) {
  AlignedAxes axes =
      alignedAxes(pd::tensorType(value).getRank(), rank, importer.intsAttribute("decrease_axes"),
                  importer.intsAttribute("none_axes"));
  if (!axes.dropped.empty())
    value = importer.createOne("pd.squeeze", {{value}, {}}, {intsNamed(importer, "axis", axes.dropped)});
  return value && !axes.inserted.empty()
             ? importer.createOne("pd.unsqueeze", {{value}, {}}, {intsNamed(importer, "axis", axes.inserted)})
             : value;
}

} // namespace

void importSetValue(OpImporter &importer) {
  Value x = importer.requiredInput("Input");
  if (!x)
    return;
  auto type = pd::tensorType(x);
  Value value = importer.input("ValueTensor");
  if (!value)
    value = literalValues(importer, type.getElementType());
  if (value && pd::tensorType(value).getElementType() != type.getElementType())
    value = importer.createOne("pd.cast", {{value}},
                               {importer.named("dtype", TypeAttr::get(type.getElementType()))});
  if (value)
    value = alignedValue(importer, value, type.getRank());
  if (!value)
    return;
  llvm::SmallVector<Operands> operands{{x},
                                       {value},
                                       stacked(importer, "StartsTensorList"),
                                       stacked(importer, "EndsTensorList"),
                                       stacked(importer, "StepsTensorList")};
  llvm::SmallVector<NamedAttribute> attributes{intsNamed(importer, "axes", importer.intsAttribute("axes"))};
  constexpr const char *bounds[] = {"starts", "ends", "steps"};
  for (auto [i, name] : llvm::enumerate(bounds))
    if (operands[i + 2].empty())
      attributes.push_back(intsNamed(importer, name, importer.intsAttribute(name)));
  importer.setOutput("Out", importer.createOne("pd.set_value", operands, attributes));
}

/// A mask stands for the coordinates of its true elements, a vector for each of its dimensions.
void importIndexPut(OpImporter &importer) {
  Builder &builder = importer.getBuilder();
  llvm::SmallVector<Value> indices;
  for (Value index : importer.inputs("indices")) {
    auto type = pd::tensorType(index);
    if (!type.getElementType().isInteger(1)) {
      indices.push_back(index);
      continue;
    }
    Value places = importer.createOne("pd.nonzero", {{index}});
    for (int64_t axis = 0; places && axis < type.getRank(); ++axis) {
      auto ints = [&](llvm::StringRef name, int64_t value) {
        return importer.named(name, builder.getDenseI64ArrayAttr({value}));
      };
      Value column = importer.createOne(
          "pd.slice", {{places}, {}, {}, {}},
          {ints("axes", 1), ints("starts", axis), ints("ends", axis + 1), ints("strides", 1)});
      indices.push_back(column ? importer.createOne("pd.reshape", {{column}, {}}, {ints("shape", -1)})
                               : Value());
      if (!indices.back())
        return;
    }
  }
  importer.overrideInputs("indices", indices);
  importer.importByTable();
}

} // namespace proa::import::hooks
