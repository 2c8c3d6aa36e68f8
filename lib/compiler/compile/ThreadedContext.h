/// Use of a single-threaded MLIRContext by several threads.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace proa {

/// While it lives, several threads may use the context. A single thread is faster without: locks and
/// thread-local tables double the time to create an attribute.
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
