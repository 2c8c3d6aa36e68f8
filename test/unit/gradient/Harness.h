/// What the tests of derivatives share: the functions of ops.mlir, random arguments, and a way to run IR.
///   Argument attributes:  test.low, test.high: where random elements lie (-1 to 1; integers 0 to 1);
///                         test.values: all elements;  test.constant: not differentiated
#pragma once

#include "lib/runtime/Executable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <random>

namespace proa::test {

using runtime::NamedTensors;

/// ops.mlir; null where it does not parse.
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

/// A random tensor of an argument, as its attributes say.
Tensor randomTensor(mlir::func::FuncOp function, unsigned argument, std::mt19937 &random);

} // namespace proa::test
