/// Helpers of the tests of derivatives: the functions of the .mlir files of this folder, random arguments,
/// and a way to run IR.
///   Argument attributes:  test.low, test.high: where random elements lie (-1 to 1; integers 0 to 1);
///                         test.values: all elements;  test.constant: not differentiated
#pragma once

#include "lib/runtime/run/Executable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <random>

namespace proa::test {

using runtime::NamedTensors;

/// All functions; null if one does not parse.
mlir::ModuleOp cases();
mlir::func::FuncOp caseOf(const std::string &name);
std::vector<std::string> caseNames();

bool isFloat64(mlir::Type type);

/// A compiled program, run by name of feed.
class Runner {
public:
  static Result<Runner> create(mlir::ModuleOp module);

  Result<std::vector<Tensor>> run(const NamedTensors &feeds) { return session->run(feeds); }

private:
  std::unique_ptr<runtime::Session> session;
};

/// A program `main` that calls functions, inlined.
class Program {
public:
  explicit Program(mlir::Location location);
  /// Adds a feed, named "in" with its index, and returns the index.
  unsigned feed(mlir::Type type);
  llvm::SmallVector<mlir::Type> typesOf(llvm::ArrayRef<unsigned> feeds);
  /// Calls the function with argument i from feed feeds[i]. Returns the index of its first result among the
  /// results of the program.
  size_t call(mlir::func::FuncOp function, llvm::ArrayRef<unsigned> feeds);
  Result<Runner> compile();

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder;
  mlir::func::FuncOp main;
  llvm::SmallVector<mlir::Value> results;
};

double dot(const Tensor &x, const Tensor &y);

/// A random tensor for an argument, by its attributes.
Tensor randomTensor(mlir::func::FuncOp function, unsigned argument, std::mt19937 &random);

/// Stacks tensors of one shape along a new first dimension.
Tensor stacked(const std::vector<Tensor> &parts);

} // namespace proa::test
