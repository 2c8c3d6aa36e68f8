/// Lets several threads use an MLIRContext that was made for one.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace proa {

/// While it lives, several threads may use the context. One thread alone is faster without: the locks and the
/// tables of each thread cost about as much again as making an attribute.
class ThreadedContext {
public:
  explicit ThreadedContext(mlir::MLIRContext &context)
      : context(context), wasThreaded(context.isMultithreadingEnabled()) {
    context.enableMultithreading();
  }
  ~ThreadedContext() { context.enableMultithreading(wasThreaded); }
  ThreadedContext(const ThreadedContext &) = delete;
  ThreadedContext &operator=(const ThreadedContext &) = delete;

private:
  mlir::MLIRContext &context;
  bool wasThreaded;
};

} // namespace proa
