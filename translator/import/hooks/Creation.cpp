//! Hooks of ops that make tensors from attributes.
#include "translator/import/LegacyTable.h"

#include "dialects/pd/Infer.h"

#include <cstdlib>

using namespace mlir;

namespace proa::import::hooks {

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
  llvm::SmallVector<NamedAttribute> attributes{
      importer.named("shape", builder.getDenseI64ArrayAttr(importer.intsAttribute("shape"))),
      importer.named("dtype", TypeAttr::get(dtype))};
  // `value` is a float: what it can't hold stands in str_value ("16777217", "inf", "nan").
  std::string text = importer.stringAttribute("str_value", "");
  double value = importer.floatAttribute("value", 0);
  int64_t integer = 0;
  if (!text.empty() && isa<IntegerType>(dtype) && !llvm::StringRef(text).getAsInteger(10, integer)) {
    attributes.push_back(importer.named("integer_value", builder.getI64IntegerAttr(integer)));
  } else if (!text.empty()) {
    char *end = nullptr;
    value = std::strtod(text.c_str(), &end);
    if (*end != '\0') {
      importer.report("attribute 'str_value' is \"" + text + "\", expected a number");
      return;
    }
  }
  attributes.push_back(importer.named("value", builder.getF64FloatAttr(value)));
  importer.setOutput("Out", importer.createOne("pd.full", {shapeTensor, valueTensor}, attributes));
}

} // namespace proa::import::hooks
