//! pd-form-block-matmuls: matmuls with matrices that are dequantized by blocks read the bytes.
#include "passes/fuse/Passes.h"
#include "passes/fuse/QuantizedTensor.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/BlockQuantized.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FORMBLOCKMATMULS
#include "passes/fuse/Passes.h.inc"

namespace {

using pd::Expression;
using pd::TensorBuilder;

/// A tensor with an element for each block along an axis of a matrix.
struct PerBlock {
  Value values; ///< of rank 2, with the blocks along the axis
  int64_t blockSize = 0;

  /// Reads a matrix that repeats each element of another one for a block: pd.gather with the indices
  /// 0, .., 0, 1, .., 1, ..
  static std::optional<PerBlock> read(Value matrix, int64_t axis) {
    auto gather = matrix.getDefiningOp<pd::GatherOp>();
    if (!gather || gather.getAxisTensor() || pd::tensorType(gather.getX()).getRank() != 2 ||
        static_cast<int64_t>(gather.getAxis()) != axis)
      return std::nullopt;
    auto indices = pd::allKnownElements(gather.getIndex());
    if (!indices || indices->empty() || pd::tensorType(gather.getIndex()).getRank() != 1)
      return std::nullopt;
    auto size = static_cast<int64_t>(llvm::count(*indices, 0));
    for (auto [position, index] : llvm::enumerate(*indices))
      if (size == 0 || index != static_cast<int64_t>(position) / size)
        return std::nullopt;
    return PerBlock{gather.getX(), size};
  }
};

struct FormBlockMatmul : OpRewritePattern<pd::MatmulOp> {
  FormBlockMatmul(MLIRContext *context, PassRemarks remarks) : OpRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(pd::MatmulOp op, PatternRewriter &rewriter) const override {
    RankedTensorType x = pd::tensorType(op.getX()), y = pd::tensorType(op.getY());
    if (!x.getElementType().isF32() || op.getTransposeX() || x.getRank() < 2 || y.getRank() != 2)
      return rewriter.notifyMatchFailure(op, "x is transposed, a vector or not in f32, or y not one matrix");
    auto tensor = QuantizedTensor::read(op.getY());
    if (!tensor || !tensor->moves.empty() || tensor->factors.size() != 1 || tensor->factors[0].divides ||
        !pd::tensorType(tensor->integers).getElementType().isInteger(8))
      return rewriter.notifyMatchFailure(op, "y is not a scaled matrix of bytes");
    int64_t axis = op.getTransposeY() ? 1 : 0;
    auto scales = PerBlock::read(tensor->factors[0].value, axis);
    auto zeros = tensor->zero ? PerBlock::read(tensor->zero, axis) : std::nullopt;
    if (!scales || (tensor->zero && (!zeros || zeros->blockSize != scales->blockSize)))
      return rewriter.notifyMatchFailure(op,
                                         "scales and zero points do not belong to blocks of the summed dim");
    remarks.done(op) << "pd.matmul reads bytes in blocks of " << std::to_string(scales->blockSize);
    TensorBuilder e(rewriter, op);
    auto columnsLast = [&](Expression matrix) { return axis == 0 ? matrix : e.transpose(matrix, {1, 0}); };
    Expression codes = tensor->bytes(e);
    double shift = tensor->isUnsigned ? 0 : 128;
    if (!tensor->isUnsigned) {
      Type byte = IntegerType::get(op.getContext(), 8, IntegerType::Unsigned);
      codes = e.cast(e.cast(codes, rewriter.getI32Type()) + shift, byte);
    }
    Value zero;
    Expression scale = columnsLast(e.wrap(scales->values));
    if (zeros)
      zero = columnsLast(e.wrap(zeros->values)) + shift;
    else if (tensor->isUnsigned)
      zero = scale * 0.0;
    Value out = e.create<pd::BlockQuantizedMatmulOp>(
        op.getX(), axis == 0 ? e.transpose(codes, {1, 0}) : codes, scale, zero,
        static_cast<uint64_t>(scales->blockSize), /*bits=*/uint64_t(8));
    pd::replaceResult(rewriter, op.getOut(), out);
    rewriter.eraseOp(op);
    return success();
  }

  PassRemarks remarks;
};

class FormBlockMatmulsPass : public impl::FormBlockMatmulsBase<FormBlockMatmulsPass> {
public:
  void runOnOperation() override {
    PassRemarks remarks(getArgumentName());
    RewritePatternSet patterns(&getContext());
    patterns.add<FormBlockMatmul>(&getContext(), remarks);
    if (failed(applyPatternsInOrder(getOperation(), std::move(patterns), remarks)))
      signalPassFailure();
  }
};

} // namespace
} // namespace proa
