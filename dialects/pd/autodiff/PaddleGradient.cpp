#include "dialects/pd/autodiff/PaddleGradient.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace proa::pd {
namespace {

bool hasPaddleGradient(Operation *op) {
  std::optional<RegisteredOperationName> name = op->getRegisteredInfo();
  return name && llvm::any_of(name->getAttributeNames(),
                              [](StringAttr attribute) { return attribute == paddleGradientAttribute; });
}

} // namespace

void usePaddleGradients(Operation *op) {
  Builder builder(op->getContext());
  op->walk([&](Operation *inner) {
    if (inner != op && hasPaddleGradient(inner))
      inner->setAttr(paddleGradientAttribute, builder.getBoolAttr(true));
  });
}

bool differsFromPaddleGradient(Operation *op) {
  auto isUsed = op->getAttrOfType<BoolAttr>(paddleGradientAttribute);
  return hasPaddleGradient(op) && !(isUsed && isUsed.getValue());
}

} // namespace proa::pd
