/// Code of one thread: arithmetic on indices, conditions and loops.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace proa {

/// Creates ops at the insertion point of a builder, and folds what is known.
class CodeBuilder {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  CodeBuilder(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::Value constant(int64_t value) const { return mlir::arith::ConstantIndexOp::create(b, loc, value); }
  mlir::Value i32(int64_t value) const;
  mlir::Value toValue(mlir::OpFoldResult size) const;

  mlir::Value add(mlir::Value left, mlir::Value right) const {
    return fold<mlir::arith::AddIOp>(left, right);
  }
  mlir::Value add(mlir::Value left, int64_t right) const { return add(left, constant(right)); }
  mlir::Value subtract(mlir::Value left, mlir::Value right) const {
    return fold<mlir::arith::SubIOp>(left, right);
  }
  mlir::Value multiply(mlir::Value left, mlir::Value right) const {
    return fold<mlir::arith::MulIOp>(left, right);
  }
  mlir::Value multiply(mlir::Value left, int64_t right) const { return multiply(left, constant(right)); }
  mlir::Value divide(mlir::Value left, mlir::Value right) const {
    return fold<mlir::arith::DivUIOp>(left, right);
  }
  mlir::Value divide(mlir::Value left, int64_t right) const { return divide(left, constant(right)); }
  mlir::Value remainder(mlir::Value left, mlir::Value right) const {
    return fold<mlir::arith::RemUIOp>(left, right);
  }
  mlir::Value remainder(mlir::Value left, int64_t right) const { return remainder(left, constant(right)); }
  /// Of signed numbers.
  mlir::Value minimum(mlir::Value left, mlir::Value right) const {
    return fold<mlir::arith::MinSIOp>(left, right);
  }
  mlir::Value maximum(mlir::Value left, mlir::Value right) const {
    return fold<mlir::arith::MaxSIOp>(left, right);
  }

  mlir::Value isBelow(mlir::Value left, mlir::Value right) const {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, mlir::arith::CmpIPredicate::slt, left, right);
  }
  mlir::Value isEqual(mlir::Value left, int64_t right) const {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, mlir::arith::CmpIPredicate::eq, left, constant(right));
  }
  mlir::Value both(mlir::Value left, mlir::Value right) const {
    return fold<mlir::arith::AndIOp>(left, right);
  }
  mlir::Value select(mlir::Value condition, mlir::Value left, mlir::Value right) const {
    return b.createOrFold<mlir::arith::SelectOp>(loc, condition, left, right);
  }

  /// `body` where the condition holds; null: everywhere.
  void where(mlir::Value condition, llvm::function_ref<void()> body) const;
  /// The values of `then` where the condition holds, else the values of `otherwise`.
  Values where(mlir::Value condition, mlir::TypeRange types, llvm::function_ref<Values()> then,
               llvm::function_ref<Values()> otherwise) const;
  /// The indices from `begin` to `end` in steps.
  void loop(mlir::Value begin, mlir::Value end, mlir::Value step,
            llvm::function_ref<void(mlir::Value index)> body) const;
  /// The same with a state, of which `body` computes the next one. Returns the last one.
  Values loop(mlir::Value begin, mlir::Value end, mlir::Value step, mlir::ValueRange state,
              llvm::function_ref<Values(mlir::Value index, mlir::ValueRange state)> body) const;
  /// Combines the values of each group of `lanes` adjacent lanes, a power of two up to 32, by shuffles; all
  /// lanes of a group get the result, and all lanes of the warp must run the code. `combine` is associative
  /// and commutative. canShuffle() tells the types (ReductionForm.h).
  Values
  combineLanes(mlir::ValueRange values, int64_t lanes,
               llvm::function_ref<Values(mlir::ValueRange own, mlir::ValueRange others)> combine) const;

protected:
  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  mlir::Value shuffle(mlir::Value value, int64_t offset) const;
  template <class Op> mlir::Value fold(mlir::Value left, mlir::Value right) const {
    return b.createOrFold<Op>(loc, left, right);
  }
};

} // namespace proa
