#include "passes/kernel-entry/TensorMapForm.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace proa {
namespace {

constexpr StringLiteral bufferName = "buffer", bytesName = "element_bytes", sizesName = "sizes",
                        boxName = "box", swizzleName = "swizzle";
/// Limits of cuTensorMapEncodeTiled.
constexpr size_t maximalRank = 5;
constexpr int64_t maximalBox = 256;

bool isCorrect(const TensorMapForm &form) {
  size_t rank = form.box.size();
  bool isShape = rank >= 1 && rank <= maximalRank && form.sizes.getNumResults() == rank &&
                 form.sizes.getNumDims() == 0 && llvm::all_of(form.sizes.getResults(), [](AffineExpr size) {
                   return SizeFactors::of(size).has_value();
                 });
  bool isBox = llvm::all_of(form.box, [](int64_t size) { return size >= 1 && size <= maximalBox; });
  bool isElement = form.elementBytes >= 1 && form.elementBytes <= 8 && llvm::isPowerOf2_64(form.elementBytes);
  bool isSwizzle = form.swizzle == 0 || form.swizzle == 32 || form.swizzle == 64 || form.swizzle == 128;
  return form.buffer >= 0 && isShape && isBox && isElement && isSwizzle;
}

} // namespace

DictionaryAttr TensorMapForm::toAttribute(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr({b.getNamedAttr(bufferName, b.getI64IntegerAttr(buffer)),
                              b.getNamedAttr(bytesName, b.getI64IntegerAttr(elementBytes)),
                              b.getNamedAttr(sizesName, AffineMapAttr::get(sizes)),
                              b.getNamedAttr(boxName, b.getDenseI64ArrayAttr(box)),
                              b.getNamedAttr(swizzleName, b.getI64IntegerAttr(swizzle))});
}

FailureOr<TensorMapForm> TensorMapForm::read(Attribute attribute, Operation *op) {
  TensorMapForm form;
  auto fields = dyn_cast<DictionaryAttr>(attribute);
  auto number = [&](StringRef name, int64_t &value) {
    auto found = fields ? fields.getAs<IntegerAttr>(name) : IntegerAttr();
    value = found && found.getType().isInteger(64) ? found.getInt() : -1;
  };
  number(bufferName, form.buffer);
  number(bytesName, form.elementBytes);
  number(swizzleName, form.swizzle);
  auto sizes = fields ? fields.getAs<AffineMapAttr>(sizesName) : AffineMapAttr();
  auto box = fields ? fields.getAs<DenseI64ArrayAttr>(boxName) : DenseI64ArrayAttr();
  if (sizes && box) {
    form.sizes = sizes.getValue();
    form.box.assign(box.asArrayRef().begin(), box.asArrayRef().end());
  }
  if (sizes && box && isCorrect(form))
    return form;
  return op->emitError()
         << "'" << tensorMapAttribute << "' is " << attribute
         << ", expected a dictionary with the i64 'buffer', 'element_bytes' (1, 2, 4 or 8) and "
            "'swizzle' (0, 32, 64 or 128), the map 'sizes' of symbols to 1 to 5 products, and as "
            "many sizes of 1 to 256 in 'box'";
}

std::optional<SizeFactors> SizeFactors::of(AffineExpr size) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return SizeFactors{constant.getValue(), {}};
  if (auto symbol = dyn_cast<AffineSymbolExpr>(size))
    return SizeFactors{1, {symbol.getPosition()}};
  auto product = dyn_cast<AffineBinaryOpExpr>(size);
  if (!product || product.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto left = of(product.getLHS()), right = of(product.getRHS());
  if (!left || !right)
    return std::nullopt;
  left->constant *= right->constant;
  left->dims.append(right->dims);
  return left;
}

} // namespace proa
