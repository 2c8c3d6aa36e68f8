#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "translator/export/ExportOp.h"
#include "translator/export/OpExporter.h"

using namespace mlir;

namespace proa::exporter {
namespace {

/// assign_value has bool, int32, int64, float32 and float64: one of them that holds all values of the type;
/// null for others.
Type assignable(Type element) {
  MLIRContext *context = element.getContext();
  if (element.isF32() || element.isF64() || element.isInteger(1) || element.isInteger(32) ||
      element.isInteger(64))
    return element;
  if (isa<IntegerType>(element))
    return IntegerType::get(context, 32);
  return isa<FloatType>(element) ? Type(Float32Type::get(context)) : Type();
}

legacy::Operation assignValue(RankedTensorType type, llvm::ArrayRef<double> reals,
                              llvm::ArrayRef<int64_t> integers, const std::string &name) {
  legacy::Operation out;
  Type element = type.getElementType();
  out.outputs.push_back({"Out", {name}});
  if (type.getNumElements() == 0) { // which assign_value refuses
    out.type = "fill_constant";
    out.attributes = {
        {"shape", std::vector<int64_t>(type.getShape())}, {"dtype", dtypeCode(element)}, {"value", 0.0F}};
    return out;
  }
  out.type = "assign_value";
  out.attributes = {{"shape", std::vector<int32_t>(type.getShape().begin(), type.getShape().end())},
                    {"dtype", dtypeCode(element)}};
  if (element.isF64())
    out.attributes.push_back({"fp64_values", std::vector<double>(reals)});
  else if (element.isF32())
    out.attributes.push_back({"fp32_values", std::vector<float>(reals.begin(), reals.end())});
  else if (element.isInteger(64))
    out.attributes.push_back({"int64_values", std::vector<int64_t>(integers)});
  else
    out.attributes.push_back({element.isInteger(1) ? "bool_values" : "int32_values",
                              std::vector<int32_t>(integers.begin(), integers.end())});
  return out;
}

double realOf(APFloat value) {
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

/// The real and the imaginary components, brought together by `complex`.
std::vector<legacy::Operation> complexConstant(DenseElementsAttr elements, RankedTensorType type,
                                               Names &names, const std::string &name) {
  auto components = type.clone(cast<ComplexType>(type.getElementType()).getElementType());
  llvm::SmallVector<double> real, imaginary;
  for (const std::complex<APFloat> &value : elements.getValues<std::complex<APFloat>>()) {
    real.push_back(realOf(value.real()));
    imaginary.push_back(realOf(value.imag()));
  }
  std::string x = names.temporary(components), y = names.temporary(components);
  legacy::Operation join;
  join.type = "complex";
  join.inputs = {{"X", {x}}, {"Y", {y}}};
  join.outputs = {{"Out", {name}}};
  return {assignValue(components, real, {}, x), assignValue(components, imaginary, {}, y), join};
}

} // namespace

Result<std::vector<legacy::Operation>> exportConstant(Operation *op, Names &names) {
  auto constant = cast<pd::ConstantOp>(op);
  auto type = cast<RankedTensorType>(constant.getType());
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  Type element = type.getElementType(), written = assignable(element);
  std::string name = names.of(constant.getResult());
  if (elements && isa<ComplexType>(element))
    return complexConstant(elements, type, names, name);
  if (!elements || !written)
    return errorAt("", "a constant of this kind cannot be written");
  llvm::SmallVector<double> reals;
  llvm::SmallVector<int64_t> integers;
  if (isa<FloatType>(element))
    for (const APFloat &value : elements.getValues<APFloat>())
      reals.push_back(realOf(value));
  else
    for (const APInt &value : elements.getValues<APInt>())
      integers.push_back(element.isInteger(1) || element.isUnsignedInteger()
                             ? static_cast<int64_t>(value.getZExtValue())
                             : value.getSExtValue());
  if (written == element)
    return std::vector{assignValue(type, reals, integers, name)};
  std::string wide = names.temporary(type.clone(written));
  legacy::Operation cast;
  cast.type = "cast";
  cast.inputs = {{"X", {wide}}};
  cast.outputs = {{"Out", {name}}};
  cast.attributes = {{"in_dtype", dtypeCode(written)}, {"out_dtype", dtypeCode(element)}};
  return std::vector{assignValue(type.clone(written), reals, integers, wide), cast};
}

} // namespace proa::exporter
