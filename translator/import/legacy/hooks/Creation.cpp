//! Hooks of ops that create tensors from attributes.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"

#include <cstdlib>
#include <limits>

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// The value of a fill: an integer where the element type needs all its digits.
struct FillValue {
  llvm::APFloat value;
  IntegerAttr integer;
};

/// `value` is a float. str_value has the values that it cannot hold ("16777217", "inf", "nan").
FillValue fillValue(OpImporter &importer, Type dtype) {
  std::string text = importer.stringAttribute("str_value", "");
  double value = importer.floatAttribute("value", 0);
  int64_t integer = 0;
  IntegerAttr exact;
  if (!text.empty() && isa<IntegerType>(dtype) && !llvm::StringRef(text).getAsInteger(10, integer)) {
    exact = importer.getBuilder().getI64IntegerAttr(integer);
    value = static_cast<double>(integer); // the value of a bool
  } else if (!text.empty()) {
    char *end = nullptr;
    value = std::strtod(text.c_str(), &end);
    if (*end != '\0')
      importer.report("attribute 'str_value' is \"" + text + "\", expected a number");
  }
  return {llvm::APFloat(value), exact};
}

} // namespace

void importFillConstant(OpImporter &importer) {
  Type dtype = importer.typeAttribute("dtype", 5);
  if (!dtype)
    return;
  Value shapeTensor;
  if (llvm::SmallVector<Value> list = importer.inputs("ShapeTensorList"); !list.empty())
    shapeTensor = importer.stackScalars(list);
  else if (Value shape = importer.input("ShapeTensor"))
    shapeTensor = shape;
  else
    shapeTensor = importer.variableOfAttribute("shape");
  llvm::SmallVector<int64_t> shape;
  if (!shapeTensor)
    shape = importer.intsAttribute("shape");
  FillValue fill = fillValue(importer, dtype);
  importer.setOutput("Out", importer.tensors().create<pd::FullOp>(shapeTensor, importer.input("ValueTensor"),
                                                                  shape, dtype, fill.value, fill.integer));
}

void importFullBatchSizeLike(OpImporter &importer) {
  Type dtype = importer.typeAttribute("dtype", 5);
  Value input = importer.requiredInput("Input");
  if (!dtype || !input)
    return;
  // The batch size of sequences is their number.
  llvm::SmallVector<Value> levels = importer.lod("Input");
  int64_t inputDim = importer.intAttribute("input_dim_idx", 0);
  if (!levels.empty() && inputDim == 0)
    input = slice(importer.wrap(levels.back()), 0, 1, std::numeric_limits<int32_t>::max());
  FillValue fill = fillValue(importer, dtype);
  importer.setOutput("Out", importer.tensors().create<pd::FullBatchSizeLikeOp>(
                                input, importer.intsAttribute("shape"), dtype, fill.value, fill.integer,
                                inputDim, importer.intAttribute("output_dim_idx", 0)));
}

void importFullLike(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  if (!x)
    return;
  // -1 means the element type of X.
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
  // Older programs have one attribute for each type, newer ones `values`, the op fill `value`.
  llvm::SmallVector<double> values;
  llvm::SmallVector<int64_t> integers, shape = importer.intsAttribute("shape");
  for (const char *name :
       {"bool_values", "fp32_values", "int32_values", "int64_values", "fp64_values", "values", "value"})
    if (values.empty()) {
      values = importer.floatsAttribute(name);
      integers = importer.intsAttribute(name);
    }
  int64_t count = 1;
  for (int64_t dim : shape)
    count = dim < 0 || (dim > 0 && count > std::numeric_limits<int32_t>::max() / dim) ? -1 : count * dim;
  if (count != static_cast<int64_t>(values.size())) {
    importer.report("there are " + llvm::Twine(values.size()) + " values for a shape of " +
                    llvm::Twine(count) + " elements");
    return;
  }
  Builder &builder = importer.getBuilder();
  llvm::SmallVector<Attribute> elements;
  for (auto [value, integer] : llvm::zip(values, integers))
    elements.push_back(isa<FloatType>(dtype) ? Attribute(builder.getFloatAttr(dtype, value))
                                             : Attribute(builder.getIntegerAttr(dtype, integer)));
  importer.setOutput(
      "Out", importer.constant(DenseElementsAttr::get(RankedTensorType::get(shape, dtype), elements)));
}

} // namespace proa::import::hooks
