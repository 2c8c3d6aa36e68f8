#include "passes/fuse/AttentionMatmuls.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceAsOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "passes/fuse/ConstantFactor.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace proa {

std::optional<double> factorOf(Operation *op) {
  if (std::optional<double> factor = constantFactor(op))
    return factor;
  DenseFPElementsAttr constant;
  if (!isa_and_present<pd::MultiplyOp, pd::DivideOp, pd::AddOp>(op) ||
      !matchPattern(op->getOperand(1), m_Constant(&constant)) || !constant.isSplat())
    return std::nullopt;
  if (isa<pd::AddOp>(op)) // of a decomposed pd.scale: changes the sign of zeros alone
    return constant.getSplatValue<APFloat>().isZero() ? std::optional(1.0) : std::nullopt;
  double factor = constant.getSplatValue<APFloat>().convertToDouble();
  if (isa<pd::DivideOp>(op))
    factor = 1 / factor;
  return std::isfinite(factor) ? std::optional(factor) : std::nullopt;
}

bool isFloatCast(Operation *op) {
  auto cast = dyn_cast<pd::CastOp>(op);
  return cast && isa<FloatType>(pd::tensorType(cast.getX()).getElementType()) &&
         isa<FloatType>(pd::tensorType(cast.getOut()).getElementType());
}

bool keepsMatrices(Operation *op) {
  if (!isa_and_present<pd::ReshapeOp>(op))
    return false;
  ArrayRef<int64_t> from = pd::tensorType(op->getOperand(0)).getShape(),
                    to = pd::tensorType(op->getResult(0)).getShape();
  return from.size() >= 2 && to.size() >= 2 && from.take_back(2) == to.take_back(2) &&
         !ShapedType::isDynamicShape(from.take_back(2));
}

Value targetOfSum(Operation *op, Value gradient) {
  auto sum = dyn_cast_or_null<pd::ReduceAsOp>(op);
  bool isSum = sum && sum.getX() == gradient && sum.getOut().getType() == gradient.getType();
  return isSum ? sum.getTarget() : Value();
}

Value reshaped(OpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, pd::tensorType(value).getElementType());
  if (value.getType() == type)
    return value;
  for (auto before = value.getDefiningOp<pd::ReshapeOp>();
       before && pd::tensorType(before.getX()).hasStaticShape();
       before = value.getDefiningOp<pd::ReshapeOp>())
    if (value = before.getX(); value.getType() == type)
      return value;
  return pd::ReshapeOp::create(builder, value.getLoc(), value, Value(), builder.getDenseI64ArrayAttr(shape));
}

Value scaledBy(OpBuilder &builder, Location loc, Value value, double factor) {
  if (factor == 1)
    return value;
  return pd::ScaleOp::create(builder, loc, value, Value(), Value(), builder.getF64FloatAttr(factor),
                             builder.getF64FloatAttr(0), builder.getBoolAttr(true));
}

std::optional<AttentionMatmul> AttentionMatmul::of(Operation *op, bool mayShareHead) {
  auto contraction = dyn_cast_or_null<pd::ContractionOpInterface>(op);
  if (!contraction || op->getNumResults() != 1)
    return std::nullopt;
  SmallVector<AffineMap> maps = contraction.getContractionMaps();
  if (maps.size() != 3)
    return std::nullopt;
  unsigned loops = maps[0].getNumDims();
  if (loops < 3)
    return std::nullopt;
  unsigned m = loops - 3, n = loops - 2, k = loops - 1;
  auto map = [&](unsigned row, unsigned column) {
    SmallVector<unsigned> dims = llvm::to_vector(llvm::seq<unsigned>(0, loops - 3));
    dims.append({row, column});
    return AffineMap::getMultiDimMapWithTargets(loops, dims, op->getContext());
  };
  AttentionMatmul matmul{op, maps[0] == map(k, m), maps[1] == map(n, k)};
  constexpr unsigned loopsOfHeads = 5;
  if (mayShareHead && loops == loopsOfHeads && maps[1].getNumResults() == 4 &&
      maps[1].getResult(1) == getAffineConstantExpr(0, op->getContext())) {
    SmallVector<AffineExpr> all(maps[1].getResults());
    all[1] = getAffineDimExpr(1, op->getContext());
    maps[1] = AffineMap::get(loops, 0, all, op->getContext());
    matmul.isYTransposed = maps[1] == map(n, k);
    matmul.sharesHead = true;
  }
  bool isMatmul = (matmul.isXTransposed || maps[0] == map(m, k)) &&
                  (matmul.isYTransposed || maps[1] == map(k, n)) && maps[2] == map(m, n);
  return isMatmul ? std::optional(matmul) : std::nullopt;
}

} // namespace proa
