/// Batching of functions with shardings: the dimension of the examples gets an entry in each sharding.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa::autodiff {

/// Registers the batching rules of the ops of dist.
void registerDistBatching(mlir::DialectRegistry &registry);

/// Replaces `dist.shardings` of ops by `dist.constrain` of their results, which a batching rule covers.
void constrainAnnotated(mlir::Region &region);

/// Errors: shardings of ops in the function that name no mesh.
llvm::LogicalResult checkAnnotated(mlir::func::FuncOp function);

/// Adds an entry for the dimension of the examples, at index `place`, to the sharding and the global type of
/// an argument; `size`: the number of examples. `isOpen`: propagation may split the dimension.
void addExamplesToArgument(mlir::func::FuncOp function, unsigned index, int64_t position, int64_t size,
                           bool isOpen);
/// The attributes of a result with entries for the examples, its first dimension.
mlir::DictionaryAttr withExamples(mlir::DictionaryAttr attributes, int64_t size, bool isOpen);

/// Tells the batching rules, while it exists, that propagation may split the examples of constraints.
class OpenExamples {
public:
  OpenExamples(mlir::func::FuncOp function, bool isOpen);
  OpenExamples(const OpenExamples &) = delete;
  ~OpenExamples();

private:
  mlir::func::FuncOp function;
};

} // namespace proa::autodiff
