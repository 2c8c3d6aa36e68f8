//! Special functions by the formulas of the dialect, on tensors. They compute in float64 and round once.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/Special.h"
#include "dialects/pd/ops/math/SpecialOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {
namespace {

/// ScalarBuilder (dialects/pd/builders/ScalarMethods.inc) on tensors.
class TensorScalars {
public:
  using Value = mlir::Value;

  TensorScalars(pd::TensorBuilder &e, Type result) : e(e), result(result) {}

  Value number(double value, Value like) { return e.constant(value, pd::tensorType(like).getElementType()); }
  Value add(Value x, Value y) { return e.wrap(x) + e.wrap(y); }
  Value subtract(Value x, Value y) { return e.wrap(x) - e.wrap(y); }
  Value multiply(Value x, Value y) { return e.wrap(x) * e.wrap(y); }
  Value divide(Value x, Value y) { return e.wrap(x) / e.wrap(y); }
  Value negate(Value x) { return -e.wrap(x); }
  Value abs(Value x) { return e.abs(e.wrap(x)); }
  Value exp(Value x) { return e.exp(e.wrap(x)); }
  Value log(Value x) { return e.log(e.wrap(x)); }
  Value sqrt(Value x) { return e.sqrt(e.wrap(x)); }
  Value sin(Value x) { return e.sin(e.wrap(x)); }
  Value cos(Value x) { return e.cos(e.wrap(x)); }
  Value floor(Value x) { return e.floor(e.wrap(x)); }
  Value round(Value x) { return e.create<pd::RoundOp>(x); }
  Value equal(Value x, Value y) { return e.create<pd::EqualOp>(x, y); }
  Value lessThan(Value x, Value y) { return e.create<pd::LessThanOp>(x, y); }
  Value lessEqual(Value x, Value y) { return e.create<pd::LessEqualOp>(x, y); }
  Value bitAnd(Value x, Value y) { return e.create<pd::LogicalAndOp>(x, y); }
  Value bitOr(Value x, Value y) { return e.create<pd::LogicalOrOp>(x, y); }
  Value select(Value condition, Value x, Value y) {
    return e.select(e.wrap(condition), e.wrap(x), e.wrap(y));
  }
  Value widen(Value x) { return e.cast(e.wrap(x), Float64Type::get(x.getContext())); }
  Value cast(Value x) { return e.cast(e.wrap(x), result); }

private:
  pd::TensorBuilder &e;
  Type result;
};

void exportFunction(NodeExporter &node, llvm::function_ref<Value(TensorScalars &, Value)> function) {
  Operation *op = node.getOp();
  node.exportAs([&](pd::TensorBuilder &e) {
    TensorScalars scalars(e, pd::tensorType(op->getResult(0)).getElementType());
    return llvm::SmallVector<Value>{function(scalars, op->getOperand(0))};
  });
}

} // namespace

void exportLgamma(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::lgamma(b, x); });
}
void exportDigamma(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::digamma(b, x); });
}
void exportErfinv(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::erfinv(b, x); });
}
void exportI0(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::besselI(b, x, 0, false); });
}
void exportI0e(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::besselI(b, x, 0, true); });
}
void exportI1(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::besselI(b, x, 1, false); });
}
void exportI1e(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::besselI(b, x, 1, true); });
}
void exportPolygamma(NodeExporter &node) {
  auto order = static_cast<int>(node.get<pd::PolygammaOp>().getN());
  exportFunction(node, [&](TensorScalars &b, Value x) { return pd::special::polygamma(b, x, order); });
}

} // namespace proa::exporter::onnxhooks
