//! pd-widen-library-ops: adds casts around ops whose library kernels compute in f32.
#include "passes/decompose/Passes.h"

#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ir/LibraryTypes.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "passes/remarks/Remarks.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_WIDENLIBRARYOPS
#include "passes/decompose/Passes.h.inc"

namespace {

bool isHalfTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && pd::isHalf(tensor.getElementType());
}

bool isHalfArray(Type type) {
  auto array = dyn_cast<pd::ArrayType>(type);
  return array && array.getElement() && isHalfTensor(array.getElement());
}

class WidenLibraryOpsPass : public impl::WidenLibraryOpsBase<WidenLibraryOpsPass> {
public:
  using WidenLibraryOpsBase::WidenLibraryOpsBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (pd::hasOnlyFullKernel(op) &&
          (llvm::any_of(op->getOperandTypes(), isInHalf) || llvm::any_of(op->getResultTypes(), isInHalf)))
        ops.push_back(op);
    });
    bool allWidened = true;
    for (Operation *op : ops)
      allWidened &= succeeded(widen(op));
    if (!allWidened)
      signalPassFailure();
  }

private:
  PassRemarks remarks{getArgumentName()};

  static bool isInHalf(Type type) { return isHalfTensor(type) || isHalfArray(type); }

  LogicalResult widen(Operation *op) {
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (isHalfArray(type))
        return op->emitOpError() << "has a library kernel for f32 only and cannot convert the array " << type;
    OpBuilder builder(op);
    Type full = builder.getF32Type();
    for (OpOperand &operand : op->getOpOperands())
      if (isHalfTensor(operand.get().getType()))
        operand.set(pd::CastOp::create(builder, op->getLoc(), operand.get(), TypeAttr::get(full)));
    // Ops without operands have the element type of their result as an attribute.
    for (NamedAttribute attribute : op->getAttrs())
      if (auto type = dyn_cast<TypeAttr>(attribute.getValue()); type && pd::isHalf(type.getValue()))
        op->setAttr(attribute.getName(), TypeAttr::get(full));
    builder.setInsertionPointAfter(op);
    for (OpResult result : op->getResults()) {
      if (!isHalfTensor(result.getType()))
        continue;
      auto type = cast<RankedTensorType>(result.getType());
      result.setType(type.clone(full));
      auto narrow = pd::CastOp::create(builder, op->getLoc(), result, TypeAttr::get(type.getElementType()));
      result.replaceAllUsesExcept(narrow, narrow);
    }
    remarks.done(op) << op->getName().getStringRef() << " computes in f32 between casts";
    return success();
  }
};

} // namespace
} // namespace proa
