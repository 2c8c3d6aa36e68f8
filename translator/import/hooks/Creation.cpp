//! Hooks of ops that make tensors from attributes.
#include "translator/import/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"

#include <cstdlib>
#include <limits>

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// The attributes that say with what to fill. `value` is a float: what it can't hold stands in str_value
/// ("16777217", "inf", "nan").
void addFillValue(OpImporter &importer, Type dtype, llvm::SmallVectorImpl<NamedAttribute> &attributes) {
  Builder &builder = importer.getBuilder();
  std::string text = importer.stringAttribute("str_value", "");
  double value = importer.floatAttribute("value", 0);
  int64_t integer = 0;
  if (!text.empty() && isa<IntegerType>(dtype) && !llvm::StringRef(text).getAsInteger(10, integer)) {
    attributes.push_back(importer.named("integer_value", builder.getI64IntegerAttr(integer)));
  } else if (!text.empty()) {
    char *end = nullptr;
    value = std::strtod(text.c_str(), &end);
    if (*end != '\0')
      importer.report("attribute 'str_value' is \"" + text + "\", expected a number");
  }
  attributes.push_back(importer.named("value", builder.getF64FloatAttr(value)));
}

} // namespace

void importFillConstant(OpImporter &importer) {
  Builder &builder = importer.getBuilder();
  Type dtype = importer.typeAttribute("dtype", 5);
  if (!dtype)
    return;
  llvm::SmallVector<Value> shapeTensor, valueTensor;
  if (llvm::SmallVector<Value> list = importer.inputs("ShapeTensorList"); !list.empty())
    shapeTensor = {importer.stackScalars(list)};
  else if (Value shape = importer.input("ShapeTensor"))
    shapeTensor = {shape};
  else if (Value variable = importer.variableOfAttribute("shape"))
    shapeTensor = {variable};
  if (Value value = importer.input("ValueTensor"))
    valueTensor = {value};
  llvm::SmallVector<int64_t> shape;
  if (shapeTensor.empty())
    shape = importer.intsAttribute("shape");
  llvm::SmallVector<NamedAttribute> attributes{importer.named("shape", builder.getDenseI64ArrayAttr(shape)),
                                               importer.named("dtype", TypeAttr::get(dtype))};
  addFillValue(importer, dtype, attributes);
  importer.setOutput("Out", importer.createOne("pd.full", {shapeTensor, valueTensor}, attributes));
}

void importFullBatchSizeLike(OpImporter &importer) {
  Type dtype = importer.typeAttribute("dtype", 5);
  Value input = importer.requiredInput("Input");
  if (!dtype || !input)
    return;
  Builder &builder = importer.getBuilder();
  // A batch of sequences has as many samples as sequences.
  llvm::SmallVector<Value> levels = importer.lod("Input");
  if (!levels.empty() && importer.intAttribute("input_dim_idx", 0) == 0)
    input = importer.createOne(
        "pd.slice", {{levels.back()}, {}, {}, {}},
        {importer.named("axes", builder.getDenseI64ArrayAttr({0})),
         importer.named("starts", builder.getDenseI64ArrayAttr({1})),
         importer.named("ends", builder.getDenseI64ArrayAttr({std::numeric_limits<int32_t>::max()})),
         importer.named("strides", builder.getDenseI64ArrayAttr({1}))});
  if (!input)
    return;
  llvm::SmallVector<NamedAttribute> attributes{
      importer.named("shape", builder.getDenseI64ArrayAttr(importer.intsAttribute("shape"))),
      importer.named("dtype", TypeAttr::get(dtype))};
  for (const char *name : {"input_dim_idx", "output_dim_idx"})
    attributes.push_back(importer.named(name, builder.getI64IntegerAttr(importer.intAttribute(name, 0))));
  addFillValue(importer, dtype, attributes);
  importer.setOutput("Out", importer.createOne("pd.full_batch_size_like", {{input}}, attributes));
}

void importFullLike(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x)
    return;
  // -1 stands for the element type of X.
  if (importer.intAttribute("dtype", -1) < 0)
    importer.overrideAttribute("dtype", TypeAttr::get(pd::tensorType(x).getElementType()));
  importer.importByTable();
}

void importAssignValue(OpImporter &importer) {
  Type dtype = importer.typeAttribute("dtype", 5);
  if (!dtype)
    return;
  if (isa<ComplexType>(dtype)) {
    importer.report("complex values in the program are not supported");
    return;
  }
  // The values stand in the attribute of their type; older programs have one attribute a type, newer ones
  // `values`, the op fill `value`.
  llvm::SmallVector<double> numbers;
  llvm::SmallVector<int64_t> integers, shape = importer.intsAttribute("shape");
  for (const char *name :
       {"bool_values", "fp32_values", "int32_values", "int64_values", "fp64_values", "values", "value"})
    if (numbers.empty()) {
      numbers = importer.floatsAttribute(name);
      integers = importer.intsAttribute(name);
    }
  int64_t count = 1;
  for (int64_t extent : shape)
    count = extent < 0 || (extent > 0 && count > std::numeric_limits<int32_t>::max() / extent)
                ? -1
                : count * extent;
  if (count != static_cast<int64_t>(numbers.size())) {
    importer.report("there are " + llvm::Twine(numbers.size()) + " values for a shape of " +
                    llvm::Twine(count) + " elements");
    return;
  }
  Builder &builder = importer.getBuilder();
  llvm::SmallVector<Attribute> elements;
  for (auto [number, integer] : llvm::zip(numbers, integers))
    elements.push_back(isa<FloatType>(dtype) ? Attribute(builder.getFloatAttr(dtype, number))
                                             : Attribute(builder.getIntegerAttr(dtype, integer)));
  importer.setOutput(
      "Out", importer.constant(DenseElementsAttr::get(RankedTensorType::get(shape, dtype), elements)));
}

} // namespace proa::import::hooks
