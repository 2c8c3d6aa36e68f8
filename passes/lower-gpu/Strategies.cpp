#include "passes/lower-gpu/Strategies.h"

using namespace mlir;

namespace proa {

SmallVector<Attribute> strategiesOf(func::FuncOp kernel) {
  SmallVector<Attribute> strategies{LaunchAttr::orEmpty(kernel)};
  kernel.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (op != kernel && isa<StrategyAttrInterface>(attribute.getValue()) &&
          !isa<LoopsAttr>(attribute.getValue()))
        strategies.push_back(attribute.getValue());
  });
  return strategies;
}

SmallVector<Attribute> loopsOf(func::FuncOp kernel) {
  SmallVector<Attribute> strategies;
  kernel.walk([&](Operation *op) {
    auto loops = op->getAttrOfType<LoopsAttr>(loopsAttribute);
    if (loops && !loops.getFusedWith() && (loops.getVector() || loops.getGroup()))
      strategies.push_back(LoopsAttr::get(op->getContext(), loops.getVector(), loops.getGroup(), {}, {}, {}));
  });
  return strategies;
}

void requestStrategies(func::FuncOp kernel, ArrayRef<Attribute> strategies) {
  SmallVector<Attribute> ofOps;
  for (Attribute strategy : strategies)
    if (auto launch = dyn_cast<LaunchAttr>(strategy))
      launch.setOn(kernel);
    else
      ofOps.push_back(strategy);
  if (!ofOps.empty())
    kernel->setAttr(strategiesAttribute, ArrayAttr::get(kernel.getContext(), ofOps));
}

Attribute takeStrategy(Operation *op, StringRef name, function_ref<bool(Attribute)> isOfKind) {
  if (Attribute own = op->getAttr(name))
    return own;
  return takeRequested(op->getParentOfType<func::FuncOp>(), isOfKind);
}

Attribute takeRequested(func::FuncOp kernel, function_ref<bool(Attribute)> isOfKind) {
  auto requested = kernel->getAttrOfType<ArrayAttr>(strategiesAttribute);
  if (!requested)
    return {};
  SmallVector<Attribute> left(requested.getValue());
  auto found = llvm::find_if(left, isOfKind);
  if (found == left.end())
    return {};
  Attribute taken = *found;
  left.erase(found);
  if (left.empty())
    kernel->removeAttr(strategiesAttribute);
  else
    kernel->setAttr(strategiesAttribute, ArrayAttr::get(kernel.getContext(), left));
  return taken;
}

LogicalResult verifyStrategiesTaken(func::FuncOp kernel, bool exceptLoops) {
  auto requested = kernel->getAttrOfType<ArrayAttr>(strategiesAttribute);
  SmallVector<Attribute> left(requested ? requested.getValue() : ArrayRef<Attribute>());
  if (exceptLoops)
    llvm::erase_if(left, llvm::IsaPred<LoopsAttr>);
  if (left.empty())
    return success();
  return kernel.emitError() << "'" << strategiesAttribute << "': " << left.size()
                            << " more than the kernel has ops for, the first one " << left[0];
}

} // namespace proa
