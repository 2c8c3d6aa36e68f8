//! pd-form-integer-products: matmuls and convolutions of quantized tensors as exact products of integers.
#include "passes/analysis/ConstantNumber.h"
#include "passes/fuse/Passes.h"
#include "passes/fuse/QuantizedTensor.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Layout.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/conv/IntegerConvOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/linalg/IntegerMatmul.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/quantization/Quantization.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FORMINTEGERPRODUCTS
#include "passes/fuse/Passes.h.inc"

namespace {

using pd::Expression;
using pd::TensorBuilder;

/// Sums of more products of two bytes, each less its zero point, may not fit into int32.
constexpr int64_t mostProducts = (int64_t(1) << 31) / (255 * 255) - 1;

/// Whether sums of `count` products fit; a dynamic count may be any.
bool fitsSums(int64_t count) { return !ShapedType::isDynamic(count) && count > 0 && count <= mostProducts; }

bool isSupportedFloat(Value value) {
  Type element = pd::tensorType(value).getElementType();
  return element.isF32() || element.isF64();
}

Expression sumOf(Expression bytes, ArrayRef<int64_t> axes) {
  TensorBuilder &e = bytes.owner();
  Type i32 = e.getBuilder().getI32Type();
  return e.wrap(e.create<pd::SumOp>(bytes, axes, /*keepdim=*/true, TypeAttr::get(i32)));
}

/// Bytes and their zero point in int32; the zero point may be absent. Processors multiply unsigned by signed
/// bytes: x has the former, y the latter.
struct Integers {
  Expression bytes;
  std::optional<Expression> zero;

  Integers(TensorBuilder &e, const QuantizedTensor &tensor, std::optional<Expression> givenZero)
      : bytes(tensor.bytes(e)) {
    if (givenZero)
      zero = e.cast(*givenZero, e.getBuilder().getI32Type());
  }

  /// As bytes of the other signedness, where that differs: numbers and zero point change by 128.
  void setSigned(bool isSigned) {
    TensorBuilder &e = bytes.owner();
    if (bytes.type().getElementType().isUnsignedInteger() != isSigned)
      return;
    MLIRContext *context = e.getBuilder().getContext();
    Type i32 = e.getBuilder().getI32Type();
    Type byte = IntegerType::get(context, 8, isSigned ? IntegerType::Signless : IntegerType::Unsigned);
    double change = isSigned ? -128 : 128;
    bytes = e.cast(e.cast(bytes, i32) + change, byte);
    zero = zero ? *zero + change : e.constant(change, i32);
    if (constantNumber(*zero) == 0.0)
      zero = std::nullopt;
  }
};

/// The factors of a product, and whether each divides instead; empty: 1.
using Factors = SmallVector<std::pair<Expression, bool>>;
std::optional<Expression> productOf(const Factors &factors) {
  std::optional<Expression> out;
  for (const auto &[factor, divides] : factors)
    out = !out ? (divides ? 1.0 / factor : factor) : divides ? *out / factor : *out * factor;
  return out;
}

/// Replaces a product by its exact sums times a scale. Casts of the product to int32, and of an exact float64
/// one to float32, read the sums.
void replaceProduct(PatternRewriter &rewriter, Operation *op, Expression sums,
                    std::optional<Expression> scale) {
  TensorBuilder &e = sums.owner();
  Value product = op->getResult(0);
  Type element = pd::tensorType(product).getElementType();
  if (!scale)
    for (Operation *user : llvm::to_vector(product.getUsers())) {
      auto cast = dyn_cast<pd::CastOp>(user);
      if (!cast || !(cast.getDtype().isInteger(32) || (cast.getDtype().isF32() && element.isF64())))
        continue;
      pd::replaceResult(rewriter, cast.getOut(), e.cast(sums, cast.getDtype()));
      rewriter.eraseOp(cast);
    }
  Expression value = e.cast(sums, element);
  pd::replaceResult(rewriter, product, scale ? value * e.cast(*scale, element) : value);
  rewriter.eraseOp(op);
}

//===-- Matrices ----------------------------------------------------------------------------------------===//

/// A factor of a matmul. Dimensions are counted from the last one, which is 1.
struct MatrixSide {
  QuantizedTensor tensor;
  int64_t summed; ///< the dimension of the operand that is summed over
  int64_t kept;   ///< the dimension of the result that the other dimension becomes

  /// Whether no zero point or factor changes along the summed dimension.
  bool isUniform() const {
    auto isConstant = [&](Value value) {
      auto type = pd::tensorType(value);
      return hasOneElement(value) || type.getRank() < summed || type.getDimSize(type.getRank() - summed) == 1;
    };
    return (!tensor.zero || isConstant(tensor.zero)) &&
           llvm::all_of(tensor.factors, [&](const auto &factor) { return isConstant(factor.value); });
  }

  /// A value for each row or column of the operand, as it broadcasts to the result.
  Expression oriented(Expression value) const {
    TensorBuilder &e = value.owner();
    if (hasOneElement(value))
      return e.reshape(value, {});
    if (value.rank() == 1)
      return kept == 1 ? value : e.reshape(value, {-1, 1});
    if (summed != kept)
      return value;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, value.rank()));
    std::swap(order[value.rank() - 1], order[value.rank() - 2]);
    return e.transpose(value, order);
  }

  std::optional<Expression> zero(TensorBuilder &e) const {
    return tensor.zero ? std::optional(oriented(e.wrap(tensor.zero))) : std::nullopt;
  }
  void addFactors(TensorBuilder &e, Factors &factors) const {
    for (const auto &[value, divides] : tensor.factors)
      factors.emplace_back(oriented(e.wrap(value)), divides);
  }
  /// The sums of the bytes for each row or column.
  Expression sums(Expression bytes) const { return oriented(sumOf(bytes, {bytes.rank() - summed})); }
};

/// sum (x - a) (y - b) = sum x y - a sum y - b (sum x - K a), where K is the number of products.
class FormIntegerMatmul : public OpRewritePattern<pd::MatmulOp> {
public:
  FormIntegerMatmul(MLIRContext *context, PassRemarks remarks)
      : OpRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(pd::MatmulOp op, PatternRewriter &rewriter) const override {
    auto xType = pd::tensorType(op.getX());
    if (!isSupportedFloat(op.getOut()))
      return rewriter.notifyMatchFailure(op, "the matmul is not in f32 or f64");
    if (xType.getRank() < 2 || pd::tensorType(op.getY()).getRank() < 2)
      return rewriter.notifyMatchFailure(op, "a factor of the matmul is a vector");
    int64_t summedX = op.getTransposeX() ? 2 : 1, count = xType.getDimSize(xType.getRank() - summedX);
    std::optional<QuantizedTensor> x = QuantizedTensor::read(op.getX()), y = QuantizedTensor::read(op.getY());
    if (!x || !y)
      return rewriter.notifyMatchFailure(op,
                                         x ? "y is not quantized to 8 bits" : "x is not quantized to 8 bits");
    if (!fitsSums(count))
      return rewriter.notifyMatchFailure(op, "the number of products is dynamic, 0, or too large for int32");
    MatrixSide left{*x, summedX, 2}, right{*y, op.getTransposeY() ? 1 : 2, 1};
    if (!left.isUniform() || !right.isUniform())
      return rewriter.notifyMatchFailure(op, "a scale or zero point changes along the summed dimension");
    remarks.done(op) << "pd.matmul becomes a product of integers";
    TensorBuilder e(rewriter, op);
    Integers a(e, *x, left.zero(e)), b(e, *y, right.zero(e));
    a.setSigned(false);
    b.setSigned(true);
    Expression sums =
        e.wrap(e.create<pd::IntegerMatmulOp>(a.bytes, b.bytes, op.getTransposeX(), op.getTransposeY()));
    if (a.zero)
      sums = sums - *a.zero * right.sums(b.bytes);
    if (b.zero) {
      Expression rows = left.sums(a.bytes);
      sums = sums - *b.zero * (a.zero ? rows - *a.zero * static_cast<double>(count) : rows);
    }
    Factors factors;
    left.addFactors(e, factors);
    right.addFactors(e, factors);
    replaceProduct(rewriter, op, sums, productOf(factors));
    return success();
  }

private:
  PassRemarks remarks;
};

//===-- Images ------------------------------------------------------------------------------------------===//

/// A value for each element of dimension 0 of a filter, along the channels of the result.
Expression alongChannels(Expression value, bool channelsLast) {
  TensorBuilder &e = value.owner();
  if (hasOneElement(value))
    return e.reshape(value, {});
  return e.reshape(value, channelsLast ? ArrayRef<int64_t>{-1} : ArrayRef<int64_t>{1, -1, 1, 1});
}

/// Whether a zero point or factor of a filter is one number, or one for each output channel.
bool isPerOutputChannel(Value value, RankedTensorType filter) {
  auto type = pd::tensorType(value);
  return hasOneElement(value) ||
         (type.getRank() == 4 && type.getDimSize(0) == filter.getDimSize(0) &&
          llvm::all_of(type.getShape().drop_front(), [](int64_t d) { return d == 1; }));
}

/// The products of an output element: the taps of one output channel.
int64_t tapsOf(RankedTensorType filter) {
  int64_t count = 1;
  for (int64_t dim : filter.getShape().drop_front())
    count = ShapedType::isDynamic(dim) || ShapedType::isDynamic(count) ? ShapedType::kDynamic : count * dim;
  return count;
}

class FormIntegerConv : public OpRewritePattern<pd::Conv2dOp> {
public:
  FormIntegerConv(MLIRContext *context, PassRemarks remarks) : OpRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(pd::Conv2dOp op, PatternRewriter &rewriter) const override {
    auto filterType = pd::tensorType(op.getFilter());
    if (!isSupportedFloat(op.getOut()))
      return rewriter.notifyMatchFailure(op, "the convolution is not in f32 or f64");
    std::optional<QuantizedTensor> image = QuantizedTensor::read(op.getInput()),
                                   filter = QuantizedTensor::read(op.getFilter());
    if (!image || !filter)
      return rewriter.notifyMatchFailure(op, image ? "the filter is not quantized to 8 bits"
                                                   : "the input is not quantized to 8 bits");
    if (!fitsSums(tapsOf(filterType)))
      return rewriter.notifyMatchFailure(op, "the number of products is dynamic, 0, or too large for int32");
    if (!isUniform(*image, [](Value value) { return hasOneElement(value); }))
      return rewriter.notifyMatchFailure(op, "the input has several scales or zero points");
    if (!isUniform(*filter, [&](Value value) { return isPerOutputChannel(value, filterType); }))
      return rewriter.notifyMatchFailure(op, "a scale or zero point of the filter changes within a channel");
    bool mayHaveZero = image->zero || !image->isUnsigned;
    if (mayHaveZero && !canPad(op))
      return rewriter.notifyMatchFailure(op, "the padding depends on a dynamic dim");
    remarks.done(op) << "pd.conv2d becomes a convolution of integers";
    TensorBuilder e(rewriter, op);
    bool isLast = pd::channelsAreLast(op.getDataFormat());
    auto zeroOf = [&](Value zero) {
      return zero ? std::optional(alongChannels(e.wrap(zero), isLast)) : std::nullopt;
    };
    Integers a(e, *image, zeroOf(image->zero)), b(e, *filter, zeroOf(filter->zero));
    a.setSigned(false);
    b.setSigned(true);
    Expression sums = sumsOf(op, a, b);
    Factors factors;
    for (const QuantizedTensor &tensor : {*image, *filter})
      for (const auto &[value, divides] : tensor.factors)
        factors.emplace_back(alongChannels(e.wrap(value), isLast), divides);
    replaceProduct(rewriter, op, sums, productOf(factors));
    return success();
  }

private:
  static bool isUniform(const QuantizedTensor &tensor, function_ref<bool(Value)> fits) {
    return (!tensor.zero || fits(tensor.zero)) &&
           llvm::all_of(tensor.factors, [&](const auto &factor) { return fits(factor.value); });
  }

  static bool isPadded(pd::Conv2dOp op) {
    return op.getPaddingAlgorithm() == pd::PaddingAlgorithm::Same ||
           llvm::any_of(op.getPaddings(), [](int64_t padding) { return padding != 0; });
  }
  /// Whether the image can be padded by another op.
  static bool canPad(pd::Conv2dOp op) {
    ArrayRef<int64_t> dims = pd::tensorType(op.getInput()).getShape();
    return !isPadded(op) || (op.getPaddingAlgorithm() == pd::PaddingAlgorithm::Explicit &&
                             llvm::none_of(dims.drop_front(), ShapedType::isDynamic));
  }

  /// The bytes with their zero point around the image.
  static Expression padded(pd::Conv2dOp op, const Integers &image) {
    TensorBuilder &e = image.bytes.owner();
    ArrayRef<int64_t> given = op.getPaddings();
    bool isLast = pd::channelsAreLast(op.getDataFormat()), isPairs = given.size() == 4;
    SmallVector<int64_t> paddings(8, 0), dims(4, 1);
    for (size_t i = 0; i < 2; ++i) {
      size_t dim = i + (isLast ? 1 : 2);
      paddings[2 * dim] = given[isPairs ? 2 * i : i];
      paddings[2 * dim + 1] = given[isPairs ? 2 * i + 1 : i];
      dims[dim] = image.bytes.type().getDimSize(static_cast<int64_t>(dim));
    }
    auto padBy = [&](Value x, double value) {
      return e.wrap(e.create<pd::PadOp>(x, paddings, APFloat(value)));
    };
    if (std::optional<double> zero = constantNumber(*image.zero))
      return padBy(image.bytes, *zero);
    Type element = image.bytes.type().getElementType(), i8 = e.getBuilder().getI8Type();
    auto maskType = RankedTensorType::get(dims, i8);
    Value ones = e.create<pd::ConstantOp>(
        maskType, DenseElementsAttr::get(maskType, e.getBuilder().getIntegerAttr(i8, 1)));
    return e.select(e.equal(padBy(ones, 0), 1), padBy(image.bytes, 0), e.cast(*image.zero, element));
  }

  /// As for matrices; with a padded image each output element has all products.
  static Expression sumsOf(pd::Conv2dOp op, const Integers &image, const Integers &filter) {
    TensorBuilder &e = image.bytes.owner();
    bool isLast = pd::channelsAreLast(op.getDataFormat()), pads = image.zero && isPadded(op);
    Expression bytes = pads ? padded(op, image) : image.bytes;
    SmallVector<int64_t> none{0, 0};
    auto convolve = [&](Value by) {
      return e.wrap(e.create<pd::IntegerConv2dOp>(bytes, by, op.getStrides(), pads ? none : op.getPaddings(),
                                                  op.getPaddingAlgorithm(), op.getDilations(), op.getGroups(),
                                                  op.getDataFormat()));
    };
    Expression sums = convolve(filter.bytes);
    if (image.zero)
      sums = sums - *image.zero * alongChannels(sumOf(filter.bytes, {1, 2, 3}), isLast);
    if (!filter.zero)
      return sums;
    // The sums of the windows, for one channel of each group.
    auto type = filter.bytes.type();
    SmallVector<int64_t> dims(type.getShape());
    dims[0] = op.getGroups() == 1 ? 1 : dims[0];
    auto onesType = type.clone(dims);
    Expression windows = convolve(e.create<pd::ConstantOp>(
        onesType, DenseElementsAttr::get(onesType, e.getBuilder().getIntegerAttr(type.getElementType(), 1))));
    if (image.zero)
      windows = windows - *image.zero * static_cast<double>(tapsOf(type));
    return sums - *filter.zero * windows;
  }

  PassRemarks remarks;
};

class FormIntegerProductsPass : public impl::FormIntegerProductsBase<FormIntegerProductsPass> {
public:
  void runOnOperation() override {
    PassRemarks remarks(getArgumentName());
    SmallVector<Operation *> quantizations;
    getOperation().walk([&](Operation *op) {
      if (op->hasTrait<pd::QuantizesTrait>())
        quantizations.push_back(op);
    });
    for (Operation *op : quantizations) {
      OpBuilder builder(op);
      if (failed(pd::replaceByDecomposition(builder, cast<pd::DecomposableOpInterface>(op))))
        return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<FormIntegerMatmul, FormIntegerConv>(&getContext(), remarks);
    if (failed(applyPatternsInOrder(getOperation(), std::move(patterns), remarks)))
      signalPassFailure();
  }
};

} // namespace
} // namespace proa
