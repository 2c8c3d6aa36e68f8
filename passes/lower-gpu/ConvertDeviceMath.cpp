// Math ops with instructions on the GPU: see Passes.td.
#include "dialects/rt/Wgmma.h"
#include "passes/kernels/ExpandArith.h"
#include "passes/lower-gpu/Passes.h"

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_CONVERTDEVICEMATH
#include "passes/lower-gpu/Passes.h.inc"

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

/// Powers of two of f32 that may be approximate.
struct LowerApproximateExp2 : ConvertOpToLLVMPattern<math::Exp2Op> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  static bool isApproximate(math::Exp2Op op) {
    return op.getType().isF32() && bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
  }

  LogicalResult matchAndRewrite(math::Exp2Op op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isApproximate(op))
      return rewriter.notifyMatchFailure(op, "expected the power of libdevice");
    rewriter.replaceOpWithNewOp<rt::Exp2FtzOp>(op, op.getType(), adaptor.getOperand());
    return success();
  }
};

/// Replaces, in one kernel, ops that the assembler computes by calls: it does not overlap wgmma with anything
/// in a kernel with calls.
class CallAvoider {
public:
  explicit CallAvoider(func::FuncOp kernel) : kernel(kernel) {}

  void run() {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      if (isa<arith::DivFOp, math::SqrtOp, arith::DivUIOp, arith::RemUIOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      llvm::TypeSwitch<Operation *>(op)
          .Case<arith::DivFOp>([](auto found) { approximate(found); })
          .Case<math::SqrtOp>([](math::SqrtOp found) { approximateRoot(found); })
          .Case<arith::DivUIOp, arith::RemUIOp>([](auto found) { narrow(found); });
  }

private:
  func::FuncOp kernel;

  /// div.approx instead of a division that is rounded correctly: an error of two units in the last place.
  static void approximate(arith::DivFOp op) {
    if (getElementTypeOrSelf(op.getType()).isF32())
      op.setFastmath(op.getFastmath() | arith::FastMathFlags::afn);
  }

  static void approximateRoot(math::SqrtOp op) {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return;
    OpBuilder b(op);
    auto flags = LLVM::FastmathFlagsAttr::get(b.getContext(), LLVM::FastmathFlags::afn);
    Value root = LLVM::SqrtOp::create(b, op.getLoc(), op.getType(), op.getOperand(), flags);
    op.replaceAllUsesWith(root);
    op.erase();
  }

  /// Indices of elements and tiles of one dim are below 2^32: more elements do not fit any memory.
  template <class DivisionOp> static void narrow(DivisionOp op) {
    if (!op.getType().isIndex() || getConstantIntValue(op.getRhs()))
      return;
    OpBuilder b(op);
    Location loc = op.getLoc();
    Type i32 = b.getI32Type();
    Value left = arith::IndexCastUIOp::create(b, loc, i32, op.getLhs()),
          right = arith::IndexCastUIOp::create(b, loc, i32, op.getRhs());
    Value result =
        arith::IndexCastUIOp::create(b, loc, b.getIndexType(), DivisionOp::create(b, loc, left, right));
    op.replaceAllUsesWith(result);
    op.erase();
  }
};

struct ConvertDeviceMath : impl::ConvertDeviceMathBase<ConvertDeviceMath> {
  using ConvertDeviceMathBase::ConvertDeviceMathBase;

  void runOnOperation() override {
    auto isFloat32 = [](Operation *op) { return getElementTypeOrSelf(op->getResult(0).getType()).isF32(); };
    if (failed(expandArith(getOperation(), isFloat32)))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel.walk([](NVVM::WgmmaMmaAsyncOp) { return WalkResult::interrupt(); }).wasInterrupted())
        CallAvoider(kernel).run();
    LLVMTypeConverter types(&getContext());
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerAbsI, LowerApproximateExp2, VectorConvertToLLVMPattern<math::FmaOp, LLVM::FMAOp>,
                 VectorConvertToLLVMPattern<math::TruncOp, LLVM::FTruncOp>>(types);
    LLVMConversionTarget target(getContext());
    target.addIllegalOp<math::AbsIOp, math::FmaOp, math::TruncOp>();
    target.addLegalOp<rt::Exp2FtzOp>();
    target.addDynamicallyLegalOp<math::Exp2Op>(
        [](math::Exp2Op op) { return !LowerApproximateExp2::isApproximate(op); });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace proa
