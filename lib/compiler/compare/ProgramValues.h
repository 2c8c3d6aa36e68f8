/// The values of a program that a comparison shows: the values of ModelOptions::fetchesAll, with the ops that
/// compute them.
#pragma once

#include "lib/compiler/numerics/ReferenceProgram.h"
#include "proa/Model.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace proa::comparison {

/// A named tensor of a program.
struct ProgramValue {
  std::string name;
  std::string op;                    ///< "pd.relu"
  std::string line;                  ///< the user's line, "net.py:42"; may be empty
  size_t position = 0;               ///< index of the op among the ops of the program
  std::vector<std::string> operands; ///< nearest named values, feeds and parameters that the op depends on
  bool isSampled = false;            ///< random numbers, which depend on the order of ops
};

/// A program, imported for the dims of some feeds, whose function returns all values. Gradients are
/// decomposed, so that the reference evaluator can run each op.
class ValueProgram {
public:
  /// Imports the program of a model; without `allValues`, it returns its own fetches only. Errors: from
  /// reading, importing and specialization.
  static Result<ValueProgram> open(const std::string &path, const ModelOptions &options,
                                   const std::map<std::string, Tensor> &feeds, bool allValues = true);

  /// In program order.
  const std::vector<ProgramValue> &values() const { return list; }
  size_t opCount() const { return ops; }
  mlir::func::FuncOp main() { return imported.module->lookupSymbol<mlir::func::FuncOp>("main"); }
  /// A module as it was imported and specialized, before gradients were decomposed.
  mlir::OwningOpRef<mlir::ModuleOp> takeSpecialized() { return std::move(imported.specialized); }
  /// The values of the parameters in the model's files.
  const params::Tensors &weights() const { return stored; }

private:
  void describeValues();

  // The modules refer to the context, and so are destroyed first.
  std::unique_ptr<mlir::MLIRContext> context;
  numerics::ReferenceProgram imported;
  params::Tensors stored;
  std::vector<ProgramValue> list;
  size_t ops = 0;
};

} // namespace proa::comparison
