#include "lib/compiler/compare/DoublePrecision.h"

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/reference/HostScalar.h"
#include "lib/base/support/DiagnosticCollector.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace proa::comparison {

Tensor toDoublePrecision(const Tensor &tensor) {
  bool isComplex = tensor.dtype() == DType::Complex64;
  bool isFloat = tensor.dtype() >= DType::Float8E4M3FN && tensor.dtype() <= DType::Float32;
  if (!isComplex && !isFloat)
    return tensor;
  Tensor wide(isComplex ? DType::Complex128 : DType::Float64, tensor.dims());
  wide.setLod(tensor.lod());
  for (int64_t i = 0; i < tensor.size(); ++i)
    pd::storeScalar(wide, i, pd::loadScalar(tensor, i));
  return wide;
}

Result<void> toDoublePrecision(ModuleOp module) {
  MLIRContext *context = module.getContext();
  DiagnosticCollector errors(context);
  AttrTypeReplacer replacer;
  // A constant's elements change with its type; the numbers of other attributes keep theirs.
  replacer.addReplacement([&](DenseFPElementsAttr elements) {
    auto widen = [](const llvm::APFloat &value) {
      llvm::APFloat wide = value;
      bool losesDigits = false;
      wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesDigits);
      return wide.bitcastToAPInt();
    };
    return std::pair<Attribute, WalkResult>(elements.mapValues(Float64Type::get(context), widen),
                                            WalkResult::skip());
  });
  replacer.addReplacement(
      [&](FloatAttr scalar) { return std::pair<Attribute, WalkResult>(scalar, WalkResult::skip()); });
  replacer.addReplacement([&](FloatType) -> Type { return Float64Type::get(context); });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  if (failed(verify(module)))
    return errors.take("the program is invalid in double precision");
  return {};
}

} // namespace proa::comparison
