/// Arithmetic on indices in generated code.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace proa {

/// Creates ops at the insertion point of a rewriter, and folds what is known.
class IndexBuilder {
public:
  IndexBuilder(mlir::IRRewriter &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::Value constant(int64_t value) const { return mlir::arith::ConstantIndexOp::create(b, loc, value); }
  mlir::Value add(mlir::Value left, mlir::Value right) const {
    return b.createOrFold<mlir::arith::AddIOp>(loc, left, right);
  }
  mlir::Value add(mlir::Value left, int64_t right) const { return add(left, constant(right)); }
  mlir::Value multiply(mlir::Value left, mlir::Value right) const {
    return b.createOrFold<mlir::arith::MulIOp>(loc, left, right);
  }
  mlir::Value multiply(mlir::Value left, int64_t right) const { return multiply(left, constant(right)); }
  mlir::Value divide(mlir::Value left, mlir::Value right) const {
    return b.createOrFold<mlir::arith::DivUIOp>(loc, left, right);
  }
  mlir::Value divide(mlir::Value left, int64_t right) const { return divide(left, constant(right)); }
  mlir::Value remainder(mlir::Value left, mlir::Value right) const {
    return b.createOrFold<mlir::arith::RemUIOp>(loc, left, right);
  }
  mlir::Value remainder(mlir::Value left, int64_t right) const { return remainder(left, constant(right)); }
  mlir::Value isBelow(mlir::Value left, mlir::Value right) const {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, mlir::arith::CmpIPredicate::slt, left, right);
  }
  mlir::Value isEqual(mlir::Value left, int64_t right) const {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, mlir::arith::CmpIPredicate::eq, left, constant(right));
  }

  mlir::Value select(mlir::Value condition, mlir::Value left, mlir::Value right) const {
    return b.createOrFold<mlir::arith::SelectOp>(loc, condition, left, right);
  }

protected:
  mlir::IRRewriter &b;
  mlir::Location loc;
};

} // namespace proa
