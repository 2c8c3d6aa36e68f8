#include "dialects/pd/autodiff/LinearOps.h"

#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/nn/ConvOps.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/ops/nn/InterpolateOps.h"
#include "dialects/pd/ops/nn/PoolOps.h"
#include "dialects/pd/ops/reduce/ReduceAsOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Groups = llvm::SmallVector<llvm::SmallVector<unsigned>>;

/// One group of all operands that may have tangents.
Groups together(Operation *op) {
  llvm::SmallVector<unsigned> all;
  for (OpOperand &operand : op->getOpOperands())
    if (hasTangent(operand.get().getType()))
      all.push_back(operand.getOperandNumber());
  return {all};
}

template <class... Ops> bool isOneOf(Operation *op) { return isa<Ops...>(op); }

} // namespace

std::optional<Groups> linearGroups(Operation *op) {
  if (isOneOf<ReshapeOp, TransposeOp, ExpandOp, SliceOp, SumOp, MeanOp, GatherOp, GatherNdOp, TakeAlongAxisOp,
              NegateOp, CumsumOp, ReduceAsOp, LinearInterpOp, BilinearInterpOp, TrilinearInterpOp,
              BicubicInterpOp, NearestInterpOp>(op))
    return Groups{{0}};
  if (isOneOf<ConcatOp, SetValueOp, AddOp, SubtractOp, ArrayWriteOp, ArrayReadOp, ArraySliceOp,
              ArrayToTensorOp, ArrayCastOp, ArrayReadOrOp, ArrayAddOp, ArrayConcatOp, ArraySplitOp,
              tensor::CastOp>(op))
    return together(op);
  if (isOneOf<MatmulOp, Conv2dOp, Conv3dOp, Conv2dTransposeOp, Conv3dTransposeOp, Conv2dWeightGradientOp,
              Conv3dWeightGradientOp, MultiplyOp>(op))
    return Groups{{0}, {1}};
  // Where a maximum stands does not change with its operand, and of a mean's operand only the shape counts.
  if (isOneOf<EmbeddingOp, Pool2dGradientOp, Pool3dGradientOp, InterpolateGradientOp>(op))
    return Groups{{1}};
  if (auto pad = dyn_cast<PadOp>(op); pad && pad.getPadValue().isZero())
    return Groups{{0}};
  if (auto pool = dyn_cast<Pool2dOp>(op); pool && pool.getPoolingType() == PoolingType::Avg)
    return Groups{{0}};
  if (auto pool = dyn_cast<Pool3dOp>(op); pool && pool.getPoolingType() == PoolingType::Avg)
    return Groups{{0}};
  auto adds = [](ScatterReduce reduce) {
    return reduce == ScatterReduce::Add || reduce == ScatterReduce::Assign;
  };
  if (auto scatter = dyn_cast<ScatterNdOp>(op); scatter && adds(scatter.getReduce()))
    return together(op);
  if (auto put = dyn_cast<PutAlongAxisOp>(op); put && adds(put.getReduce()))
    return together(op);
  return std::nullopt;
}

} // namespace proa::pd
