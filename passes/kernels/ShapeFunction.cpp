#include "passes/kernels/ShapeFunction.h"

using namespace mlir;

namespace proa {

static std::string nameOf(func::FuncOp kernel) { return (kernel.getName() + "_shape").str(); }

func::FuncOp shapeFunctionOf(func::FuncOp kernel) {
  return kernel->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(nameOf(kernel));
}

FailureOr<std::string> nameOfShapeFunction(func::FuncOp kernel) {
  std::string name = nameOf(kernel);
  if (kernel->getParentOfType<ModuleOp>().lookupSymbol(name))
    return kernel.emitError("its shape function needs the name '") << name << "', which another function has";
  return name;
}

func::FuncOp createShapeFunction(OpBuilder &b, func::FuncOp kernel, size_t parameters) {
  b.setInsertionPointAfter(kernel);
  SmallVector<Type> types(parameters, b.getIndexType());
  auto shapes = func::FuncOp::create(b, kernel.getLoc(), nameOf(kernel), b.getFunctionType(types, {}));
  shapes.setPrivate();
  b.setInsertionPointToStart(shapes.addEntryBlock());
  func::ReturnOp::create(b, kernel.getLoc());
  b.setInsertionPointToStart(&shapes.getBody().front());
  return shapes;
}

void setShapes(func::FuncOp shapes, ValueRange results) {
  shapes.getBody().front().getTerminator()->setOperands(results);
  shapes.setType(FunctionType::get(shapes.getContext(), shapes.getArgumentTypes(), results.getTypes()));
}

} // namespace proa
