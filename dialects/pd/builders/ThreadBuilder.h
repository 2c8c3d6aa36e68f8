/// The code of one thread of a block: the builder for methods of ThreadOpInterface.
#pragma once

#include "dialects/pd/builders/ElementBuilder.h"
#include "dialects/pd/ir/ThreadInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace proa::pd {

/// The lines of a tensor along an axis: element i of line l is number (l / inner * length + i) * inner + l %
/// inner.
struct TensorLines {
  IndexValue outer, length, inner;
  IndexValue count() const { return outer * inner; }
  IndexValue first(IndexValue line) const { return line / inner * length * inner + line % inner; }
  IndexValue at(IndexValue first, IndexValue i) const { return first + i * inner; }

  /// Of an operand; with `flatten` there is one line with all elements.
  static TensorLines of(ElementBuilder &b, unsigned operand, int64_t axis, bool flatten = false);
};

/// The static sizes of such lines; kDynamic where not known.
struct StaticLines {
  int64_t outer = 1, length = 1, inner = 1;
  static StaticLines of(mlir::Value tensor, int64_t axis, bool flatten = false);
};

/// A size for a remark: "?" if it is dynamic.
std::string sizeText(int64_t size);

/// Emits the code of a thread for one row. Operands and results are in memory, i1 as bytes.
class ThreadBuilder : public ElementBuilder {
public:
  /// Values of the kernel.
  struct Kernel {
    llvm::ArrayRef<mlir::Value> operands, results; ///< memrefs with signless elements; null: an unused result
    mlir::Value row, thread;                       ///< indices
    int64_t threads = 0;                           ///< of a block
    mlir::Value scratch;                           ///< memref<?xi8>; null: none
  };
  ThreadBuilder(mlir::OpBuilder &builder, mlir::Operation *op, const Kernel &kernel, KernelChecks *checks);

  /// The row that the block computes.
  IndexValue row() { return {*this, kernel.row}; }
  /// The index of the thread in its block.
  IndexValue thread() { return {*this, kernel.thread}; }
  int64_t threads() const { return kernel.threads; }

  // Elements by their numbers in row-major order.
  Value loadFlat(unsigned operand, IndexValue index);
  /// Nothing for a result without uses.
  void storeFlat(unsigned result, IndexValue index, Value element);
  /// An element of a result that this block has written before a barrier.
  Value loadResult(unsigned result, IndexValue index);
  /// Combines a value with an element of a result in one step, which other threads may do at the same time.
  void updateFlat(unsigned result, IndexValue index, mlir::arith::AtomicRMWKind kind, Value element);
  bool hasResult(unsigned result) const { return kernel.results[result] != nullptr; }

  // Memory of the block. Its content is undefined at first.
  Value shared(llvm::ArrayRef<int64_t> dims, mlir::Type element);
  /// A view of the scratch memory from a byte on, a multiple of 16.
  Value scratchFrom(IndexValue byte, IndexValue count, mlir::Type element);
  Value loadFrom(Value memory, llvm::ArrayRef<IndexValue> at);
  void storeTo(Value memory, llvm::ArrayRef<IndexValue> at, Value element);
  /// Waits for all threads of the block; what they wrote before is seen afterwards.
  void barrier();

  // Control flow.
  void ifThen(Value condition, llvm::function_ref<void()> body);
  /// `begin`, begin + step, ... below `end`.
  Values loop(IndexValue begin, IndexValue end, IndexValue step, Values state,
              llvm::function_ref<Values(IndexValue, mlir::ValueRange)> body);
  void loop(IndexValue begin, IndexValue end, IndexValue step, llvm::function_ref<void(IndexValue)> body);
  /// The indices thread, thread + threads, ... below `count`.
  void spread(IndexValue count, llvm::function_ref<void(IndexValue)> body);
  /// As long as `condition` of the state holds, which is i1.
  Values whileLoop(Values state, llvm::function_ref<Value(mlir::ValueRange)> condition,
                   llvm::function_ref<Values(mlir::ValueRange)> body);
  Values choose(Value condition, llvm::function_ref<Values()> ifTrue, llvm::function_ref<Values()> ifFalse);
  using ElementBuilder::choose;

  // Scalars.
  Value logicalOr(Value x, Value y);
  Value logicalNot(Value x);
  Value select(Value condition, Value x, Value y);
  using ElementBuilder::select;
  Value integer(IndexValue x, mlir::Type type);
  IndexValue fromInteger(Value x);

private:
  template <class Body> auto inside(mlir::OpBuilder &inner, Body body);
  Value flat(Value memory);
  Kernel kernel;
};

} // namespace proa::pd
