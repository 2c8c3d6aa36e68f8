// Math ops with instructions on the GPU: see Passes.td.
#include "passes/lower-gpu/Passes.h"

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"

namespace proa {
#define GEN_PASS_DEF_CONVERTDEVICEMATH
#include "passes/lower-gpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// The smallest number has no absolute value; it stays, as on the CPU.
struct LowerAbsI : ConvertOpToLLVMPattern<math::AbsIOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(math::AbsIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::AbsOp>(op, op.getType(), adaptor.getOperand(),
                                             /*is_int_min_poison=*/false);
    return success();
  }
};

struct ConvertDeviceMath : proa::impl::ConvertDeviceMathBase<ConvertDeviceMath> {
  using ConvertDeviceMathBase::ConvertDeviceMathBase;

  void runOnOperation() override {
    LLVMTypeConverter types(&getContext());
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerAbsI, VectorConvertToLLVMPattern<math::FmaOp, LLVM::FMAOp>,
                 VectorConvertToLLVMPattern<math::TruncOp, LLVM::FTruncOp>>(types);
    LLVMConversionTarget target(getContext());
    target.addIllegalOp<math::AbsIOp, math::FmaOp, math::TruncOp>();
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
