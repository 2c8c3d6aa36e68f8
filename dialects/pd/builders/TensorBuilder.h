/// Builders that let decompositions read as formulas: for the field `decomposition` of op records and for
/// decompose() in family files.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

class TensorBuilder;

/// A tensor in a formula.
class Expression {
public:
  Expression(TensorBuilder &builder, mlir::Value value) : builder(&builder), value(value) {}
  operator mlir::Value() const { return value; }
  mlir::RankedTensorType type() const { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
  int64_t rank() const { return type().getRank(); }
  TensorBuilder &owner() const { return *builder; }

private:
  TensorBuilder *builder;
  mlir::Value value;
};

/// Creates primitives. Numbers in formulas become rank-0 constants of the other operand's element type. For
/// operands in f16 or bf16 the formula is computed in f32 and the result is rounded once.
class TensorBuilder {
public:
  /// For the decomposition of `op`.
  TensorBuilder(mlir::OpBuilder &builder, mlir::Operation *op);

  /// The op's operand, in the type in which the formula is computed.
  Expression operand(unsigned index) { return computed(op->getOperand(index)); }
  /// A value in the type in which the formula is computed: f16 and bf16 are widened to f32.
  Expression computed(mlir::Value value);
  /// The values rounded to the element types of the op's results.
  llvm::SmallVector<mlir::Value> results(llvm::ArrayRef<Expression> values);
  /// For derivatives: the cotangent times the conjugate of a partial derivative.
  Expression chain(Expression cotangent, Expression partial);
  Expression chain(Expression cotangent, double partial);
  /// For derivatives: the gradient cast to the element type of `operand`; null if the operand has no
  /// gradient.
  mlir::Value gradient(Expression value, mlir::Value operand);
  /// The complex conjugate; a real tensor is returned unchanged.
  Expression conj(Expression x);
  /// A value as an expression, without a cast.
  Expression wrap(mlir::Value value) { return {*this, value}; }
  mlir::OpBuilder &getBuilder() { return builder; }

  Expression constant(double value, mlir::Type elementType);
  Expression exp(Expression x);
  Expression expm1(Expression x);
  Expression log(Expression x);
  Expression log1p(Expression x);
  Expression sqrt(Expression x);
  Expression rsqrt(Expression x);
  Expression sin(Expression x);
  Expression cos(Expression x);
  Expression tanh(Expression x);
  Expression erf(Expression x);
  Expression abs(Expression x);
  Expression sigmoid(Expression x);
  Expression floor(Expression x);
  Expression isnan(Expression x);
  Expression equal(Expression x, double y);
  /// x > y ? x : y. A NaN in x gives y: pass the bound as x to keep NaN.
  Expression maximum(Expression x, Expression y);
  Expression maximum(double x, Expression y);
  Expression maximum(Expression x, double y);
  Expression minimum(Expression x, Expression y);
  Expression minimum(double x, Expression y);
  Expression minimum(Expression x, double y);
  Expression pow(Expression x, Expression y);
  Expression select(Expression condition, Expression x, Expression y);
  Expression select(Expression condition, Expression x, double y);
  Expression select(Expression condition, double x, Expression y);
  Expression cast(Expression x, mlir::Type elementType);
  /// 1 where the condition is true, else 0, in the element type of `like`.
  Expression indicator(Expression condition, Expression like) {
    return cast(condition, like.type().getElementType());
  }

  Expression sum(Expression x, llvm::ArrayRef<int64_t> axes, bool keepdim = true);
  Expression max(Expression x, llvm::ArrayRef<int64_t> axes, bool keepdim = true);
  /// The sum divided by the number of elements, which may be dynamic.
  Expression mean(Expression x, llvm::ArrayRef<int64_t> axes, bool keepdim = true);
  /// The number of elements along the axes as a rank-0 tensor of x's element type.
  Expression countAlong(Expression x, llvm::ArrayRef<int64_t> axes);
  Expression reshape(Expression x, llvm::ArrayRef<int64_t> shape);
  Expression transpose(Expression x, llvm::ArrayRef<int64_t> permutation);
  Expression matmul(Expression x, Expression y, bool transposeX = false, bool transposeY = false);

  /// Creates an op and returns its first result.
  template <class Op, class... Args> mlir::Value create(Args &&...args) {
    return Op::create(builder, op->getLoc(), std::forward<Args>(args)...)->getResult(0);
  }

private:
  mlir::OpBuilder &builder;
  mlir::Operation *op;
};

Expression operator+(Expression x, Expression y);
Expression operator+(Expression x, double y);
Expression operator+(double x, Expression y);
Expression operator-(Expression x, Expression y);
Expression operator-(Expression x, double y);
Expression operator-(double x, Expression y);
Expression operator-(Expression x);
Expression operator*(Expression x, Expression y);
Expression operator*(Expression x, double y);
Expression operator*(double x, Expression y);
Expression operator/(Expression x, Expression y);
Expression operator/(Expression x, double y);
Expression operator/(double x, Expression y);
Expression operator<(Expression x, double y);
Expression operator<(Expression x, Expression y);
Expression operator>(Expression x, double y);
Expression operator>(Expression x, Expression y);
Expression operator<=(Expression x, double y);
Expression operator<=(Expression x, Expression y);
Expression operator>=(Expression x, Expression y);
Expression operator==(Expression x, Expression y);
Expression operator>=(Expression x, double y);

} // namespace proa::pd
