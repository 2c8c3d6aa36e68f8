#include "dialects/pd/ops/linalg/BlockQuantized.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace proa::pd {

Expression unpackBits(Expression bytes, int64_t bits, int64_t count) {
  TensorBuilder &e = bytes.owner();
  Type i32 = e.getBuilder().getI32Type();
  Expression x = e.cast(bytes, i32);
  if (bits == 8)
    return x;
  Expression shifts = iota(e, 8 / bits, i32) * static_cast<double>(bits);
  Expression pieces = e.wrap(e.create<BitwiseRightShiftOp>(insertDim(x, x.rank()), shifts, true));
  pieces = e.wrap(e.create<BitwiseAndOp>(pieces, e.constant(static_cast<double>((1 << bits) - 1), i32)));
  llvm::SmallVector<int64_t> shape(static_cast<size_t>(x.rank()), 0);
  shape.back() = -1;
  Expression flat = e.reshape(pieces, shape);
  return slice(flat, flat.rank() - 1, 0, count);
}

//===-- Inference ---------------------------------------------------------------------------------------===//

namespace {

LogicalResult checkBlocks(std::optional<Location> location, BlockQuantizedMatmulOp::Adaptor op) {
  auto codes = tensorType(op.getCodes()), scales = tensorType(op.getScales());
  int64_t bits = op.getBits(), block = op.getBlockSize();
  if ((bits != 2 && bits != 4 && bits != 8) || block <= 0 || block * bits % 8 != 0)
    return inferenceError(location, "C2: bits is " + std::to_string(bits) + " and block_size " +
                                        std::to_string(block) +
                                        ", expected 2, 4 or 8 bits, and blocks of whole bytes");
  int64_t inner = tensorType(op.getX()).getShape().back(), bytes = codes.getDimSize(1);
  int64_t blocks = scales.getDimSize(0), bytesOfBlock = block * bits / 8;
  bool fitsBytes =
      ShapedType::isDynamic(bytes) || ShapedType::isDynamic(blocks) || bytes == blocks * bytesOfBlock;
  bool fitsX =
      ShapedType::isDynamic(inner) || ShapedType::isDynamic(blocks) || blocks == (inner + block - 1) / block;
  if (!fitsBytes || !fitsX)
    return inferenceError(location, "C3: x is " + debugString(op.getX().getType()) + ", codes " +
                                        debugString(codes) + " and scales " + debugString(scales) +
                                        " for blocks of " + std::to_string(block) + " elements of " +
                                        std::to_string(bits) + " bits");
  bool fitsScales = mayBeEqual(scales.getDimSize(1), codes.getDimSize(0));
  if (Value zeros = op.getZeroPoints()) {
    auto type = tensorType(zeros);
    fitsScales &= mayBeEqual(type.getDimSize(0), blocks) &&
                  mayBeEqual(type.getDimSize(1), scales.getDimSize(1)) &&
                  type.getElementType() == scales.getElementType();
  }
  if (!fitsScales)
    return inferenceError(location, "C4: codes is " + debugString(codes) + ", scales " + debugString(scales) +
                                        (op.getZeroPoints()
                                             ? ", zero_points " + debugString(op.getZeroPoints().getType())
                                             : std::string()));
  return success();
}

} // namespace

LogicalResult BlockQuantizedMatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                       Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto x = tensorType(adaptor.getX());
  bool haveRanks = x.getRank() > 0;
  for (Value matrix : adaptor.getOperands().drop_front())
    haveRanks &= tensorType(matrix).getRank() == 2;
  if (!haveRanks)
    return inferenceError(location, "C1: x is " + debugString(x) + ", codes " +
                                        debugString(adaptor.getCodes().getType()) + " and scales " +
                                        debugString(adaptor.getScales().getType()));
  if (failed(checkBlocks(location, adaptor)))
    return failure();
  SmallVector<int64_t> shape(x.getShape());
  shape.back() = tensorType(adaptor.getCodes()).getDimSize(0);
  results.push_back(x.clone(shape));
  return success();
}

//===-- Formula -----------------------------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> BlockQuantizedMatmulOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  Type element = x.type().getElementType();
  bool isNarrow = element.getIntOrFloatBitWidth() < 32;
  Type own = isNarrow ? Type(builder.getF32Type()) : element;
  DimSize blocks(e.wrap(getScales()), 0), columns(e.wrap(getScales()), 1), block(getBlockSize());
  // [N, blocks, 1] of [blocks, N]
  auto perBlock = [&](Value values) {
    return insertDim(e.transpose(e.cast(e.wrap(values), own), {1, 0}), 2);
  };
  Expression codes = reshapeTo(unpackBits(e.wrap(getCodes()), getBits(), toTheEnd), {columns, blocks, block});
  Expression zero = getZeroPoints() ? perBlock(getZeroPoints())
                                    : e.constant(static_cast<double>(1 << (getBits() - 1)), own);
  Expression matrix = (e.cast(codes, own) - zero) * perBlock(getScales());
  matrix = e.reshape(matrix, {0, -1});
  DimSize inner(x, x.rank() - 1);
  if (!inner.isKnown())
    return failure();
  matrix = slice(matrix, 1, 0, inner.getNumber());
  return e.results({e.matmul(x, e.cast(matrix, element), false, true)});
}

std::optional<int64_t> BlockQuantizedMatmulOp::getMultiplyAdds() {
  return multiplyAddsOfMatmul(getX(), getOut(), /*transposeX=*/false);
}

//===-- Kernels -----------------------------------------------------------------------------------------===//

const char *BlockQuantizedMatmulOp::whyNoLibraryKernel() {
  Type element = tensorType(getX()).getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return "its elements are neither float32 nor of 16 bits";
  if (getBits() == 2)
    return "it has codes of 2 bits";
  // The kernel would unpack them in each run.
  return tensorType(getCodes()).hasStaticShape() ? nullptr : "codes has dynamic dims";
}

const char *BlockQuantizedMatmulOp::whyNoDeviceKernel() { return "GPUs have no kernel of packed codes"; }
std::optional<int64_t> BlockQuantizedMatmulOp::getDeviceOperations() {
  auto count = getMultiplyAdds();
  return count ? std::optional(2 * *count) : std::nullopt;
}

//===-- Splitting over devices --------------------------------------------------------------------------===//

/// Rows of x and columns of the matrix. The summed dimension could be split between blocks only.
bool BlockQuantizedMatmulOp::describeSharding(ShardingRuleBuilder &rule) {
  enum Operand : unsigned { x, codes, scales };
  int64_t last = rule.resultType(0).getRank() - 1;
  for (int64_t dim = 0; dim < last; ++dim)
    rule.pair(x, dim, 0, dim);
  unsigned columns = rule.addFactor(rule.resultType(0).getDimSize(last));
  rule.setResult(0, last, columns);
  rule.setOperand(codes, 0, columns);
  for (unsigned operand = scales; operand < getNumOperands(); ++operand)
    rule.setOperand(operand, 1, columns);
  return true;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/linalg/BlockQuantized.cpp.inc"
#include "dialects/pd/ops/linalg/BlockQuantized.methods.inc"
