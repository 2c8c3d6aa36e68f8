#include "passes/lower-gpu/hopper/TensorView.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace proa {
namespace {

constexpr size_t maximalRank = 5;
/// Bytes from one index to the next, in each dim but the last one, are multiples of this number.
constexpr int64_t strideBytes = 16;

/// Sizes of memrefs as expressions of the dynamic dims of their kernel.
class SizeFinder {
public:
  explicit SizeFinder(func::FuncOp kernel) : context(kernel.getContext()) {
    unsigned count = 0;
    for (BlockArgument argument : kernel.getArguments())
      if (argument.getType().isIndex())
        numbers[argument] = count++;
  }

  /// Null for a size that is computed in another way than by products.
  AffineExpr of(OpFoldResult size) const {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      return getAffineConstantExpr(*constant, context);
    auto value = cast<Value>(size);
    if (auto found = numbers.find(value); found != numbers.end())
      return getAffineSymbolExpr(found->second, context);
    if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
      return ofMap(apply.getAffineMap(), apply.getOperands());
    if (auto product = value.getDefiningOp<arith::MulIOp>())
      return times(of(OpFoldResult(product.getLhs())), of(OpFoldResult(product.getRhs())));
    if (auto dim = value.getDefiningOp<memref::DimOp>())
      if (std::optional<int64_t> index = dim.getConstantIndex()) {
        SmallVector<AffineExpr> sizes = ofMemory(dim.getSource());
        return static_cast<size_t>(*index) < sizes.size() ? sizes[static_cast<size_t>(*index)] : AffineExpr();
      }
    return {};
  }

  /// The sizes of a contiguous view of a buffer; empty if they, or the view, are unknown.
  SmallVector<AffineExpr> ofMemory(Value memory) const {
    if (auto type = cast<MemRefType>(memory.getType()); type.hasStaticShape())
      return llvm::map_to_vector(type.getShape(),
                                 [&](int64_t size) { return getAffineConstantExpr(size, context); });
    SmallVector<AffineExpr> sizes;
    if (auto cast = memory.getDefiningOp<memref::ReinterpretCastOp>()) {
      for (OpFoldResult size : cast.getMixedSizes())
        sizes.push_back(of(size));
    } else if (auto collapse = memory.getDefiningOp<memref::CollapseShapeOp>()) {
      SmallVector<AffineExpr> all = ofMemory(collapse.getSrc());
      for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
        AffineExpr product = getAffineConstantExpr(1, context);
        for (int64_t dim : group)
          product = static_cast<size_t>(dim) < all.size() ? times(product, all[static_cast<size_t>(dim)])
                                                          : AffineExpr();
        sizes.push_back(product);
      }
    } else if (auto expand = memory.getDefiningOp<memref::ExpandShapeOp>()) {
      for (OpFoldResult size :
           getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), context))
        sizes.push_back(of(size));
    } else if (auto cast = memory.getDefiningOp<memref::CastOp>()) {
      sizes = ofMemory(cast.getSource());
    }
    return llvm::is_contained(sizes, AffineExpr()) ? SmallVector<AffineExpr>() : sizes;
  }

private:
  MLIRContext *context;
  llvm::DenseMap<Value, unsigned> numbers;

  static AffineExpr times(AffineExpr left, AffineExpr right) {
    return left && right ? left * right : AffineExpr();
  }

  AffineExpr ofMap(AffineMap map, ValueRange operands) const {
    SmallVector<AffineExpr> dims, symbols;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      AffineExpr expression = of(OpFoldResult(operand));
      if (!expression)
        return {};
      (i < map.getNumDims() ? dims : symbols).push_back(expression);
    }
    return map.getResult(0).replaceDimsAndSymbols(dims, symbols);
  }
};

/// The buffer of a contiguous view that starts where it starts; null if there is none.
BlockArgument bufferOf(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (auto cast = dyn_cast<memref::ReinterpretCastOp>(op)) {
      if (getConstantIntValue(cast.getMixedOffsets()[0]) != 0)
        return {};
      memory = cast.getSource();
    } else if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(op)) {
      memory = op->getOperand(0);
    } else {
      return {};
    }
  }
  auto argument = dyn_cast<BlockArgument>(memory);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? argument : BlockArgument();
}

bool isContiguous(MemRefType type) { return type.getLayout().isIdentity() && !type.getMemorySpace(); }

} // namespace

std::string whyNotForWgmma(AffineMap map, unsigned outerLoop, unsigned kLoop, Type element) {
  auto isAdjacentAlong = [&](unsigned loop) {
    return map.getResults().back() == getAffineDimExpr(loop, map.getContext());
  };
  if (!isAdjacentAlong(kLoop) && !isAdjacentAlong(outerLoop))
    return "its adjacent elements differ in another loop than its rows, its columns or k";
  return isAdjacentAlong(kLoop) || element.getIntOrFloatBitWidth() == 16
             ? ""
             : "elements of other than 16 bits must be adjacent along k";
}

std::string whyNotAddressable(ArrayRef<int64_t> sizes, Type element) {
  if (sizes.empty() || sizes.size() > maximalRank)
    return "it has rank " + std::to_string(sizes.size()) + ", expected 1 to 5";
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return "its elements are not bytes";
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (sizes.size() > 1 && (ShapedType::isDynamic(sizes.back()) || sizes.back() * bytes % strideBytes != 0))
    return "its rows are not a multiple of 16 bytes";
  return "";
}

std::optional<TensorView> TensorView::of(Value memory, std::string &reason) {
  TensorView view;
  auto subview = memory.getDefiningOp<memref::SubViewOp>();
  Value source = subview ? subview.getSource() : memory;
  auto type = cast<MemRefType>(source.getType());
  view.buffer = bufferOf(source);
  view.element = type.getElementType();
  if (!view.buffer || !isContiguous(type)) {
    reason = "it is not a view of a contiguous buffer of the kernel";
    return std::nullopt;
  }
  auto kernel = cast<func::FuncOp>(view.buffer.getOwner()->getParentOp());
  view.sizes = SizeFinder(kernel).ofMemory(source);
  reason = whyNotAddressable(type.getShape(), view.element);
  if (view.sizes.empty() && type.getRank() > 0)
    reason = "its sizes are not products of dims of the kernel";
  if (!reason.empty())
    return std::nullopt;
  OpBuilder b(kernel.getContext());
  llvm::SmallBitVector dropped(static_cast<unsigned>(type.getRank()));
  if (subview) {
    if (llvm::any_of(subview.getMixedStrides(), [](OpFoldResult s) { return getConstantIntValue(s) != 1; })) {
      reason = "it skips elements";
      return std::nullopt;
    }
    view.offsets = subview.getMixedOffsets();
    view.viewSizes = subview.getMixedSizes();
    dropped = subview.getDroppedDims();
  } else {
    view.offsets.assign(static_cast<size_t>(type.getRank()), b.getIndexAttr(0));
  }
  for (unsigned dim = 0; dim < dropped.size(); ++dim)
    if (!dropped[dim])
      view.dims.push_back(dim);
  return view;
}

bool TensorView::isWhole(unsigned dim) const {
  if (viewSizes.empty())
    return true;
  auto kernel = cast<func::FuncOp>(buffer.getOwner()->getParentOp());
  return getConstantIntValue(offsets[dim]) == 0 && SizeFinder(kernel).of(viewSizes[dim]) == sizes[dim];
}

Value TensorView::addTensorMap(func::FuncOp kernel, ArrayRef<int64_t> box, int64_t swizzle) const {
  MLIRContext *context = kernel.getContext();
  unsigned symbols = 0;
  for (Type type : kernel.getArgumentTypes())
    symbols += type.isIndex();
  AffineMap dims = AffineMap::get(0, symbols - 2, sizes, context); // the last two are the range of rows
  int64_t index = buffer.getArgNumber();                           // buffers are the first parameters
  auto description = TensorMapAttr::get(context, index, element.getIntOrFloatBitWidth() / 8,
                                        AffineMapAttr::get(dims), box, swizzle);
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (kernel.getArgAttr(i, tensorMapAttribute) == description)
      return kernel.getArgument(i);
  Builder b(context);
  unsigned position = kernel.getNumArguments();
  (void)kernel.insertArgument(position, LLVM::LLVMPointerType::get(context),
                              b.getDictionaryAttr(b.getNamedAttr(tensorMapAttribute, description)),
                              kernel.getLoc());
  return kernel.getArgument(position);
}

} // namespace proa
