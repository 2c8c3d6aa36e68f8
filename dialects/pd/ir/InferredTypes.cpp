#include "dialects/pd/ir/InferredTypes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "llvm/Support/Threading.h"

#include <vector>

using namespace mlir;

namespace proa::pd {

FailureOr<llvm::SmallVector<Type>> inferredTypes(Operation *op, std::optional<Location> location) {
  llvm::SmallVector<Type> types;
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference || failed(inference.inferReturnTypes(op->getContext(), location, op->getOperands(),
                                                      op->getDiscardableAttrDictionary(),
                                                      op->getPropertiesStorage(), op->getRegions(), types)))
    return failure();
  if (types.size() != op->getNumResults())
    return failure();
  return types;
}

LogicalResult inferAgain(Operation *op, std::optional<Location> location) {
  FailureOr<llvm::SmallVector<Type>> types = inferredTypes(op, location);
  if (failed(types))
    return failure();
  for (auto [result, type] : llvm::zip(op->getResults(), *types))
    result.setType(type);
  return success();
}

/// The errors that this thread reports while `run` runs.
static std::vector<mlir::Diagnostic> errorsOf(MLIRContext *context, llvm::function_ref<void()> run) {
  std::vector<mlir::Diagnostic> errors;
  uint64_t thread = llvm::get_threadid(); // functions are verified in parallel
  ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error || llvm::get_threadid() != thread)
      return failure();
    errors.push_back(std::move(diagnostic));
    return success();
  });
  run();
  return errors;
}

LogicalResult verifyInferredTypes(Operation *op) {
  auto inference = cast<InferTypeOpInterface>(op);
  llvm::SmallVector<Type> types;
  auto infer = [&](std::optional<Location> location) {
    types.clear();
    return inference.inferReturnTypes(op->getContext(), location, op->getOperands(),
                                      op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
                                      op->getRegions(), types);
  };
  if (succeeded(infer(std::nullopt))) {
    if (inference.isCompatibleReturnTypes(types, op->getResultTypes()))
      return success();
    return op->emitOpError() << "inferred type(s) " << types
                             << " are incompatible with return type(s) of operation " << op->getResultTypes();
  }
  std::vector<mlir::Diagnostic> reasons = errorsOf(op->getContext(), [&] { (void)infer(op->getLoc()); });
  if (reasons.empty())
    return op->emitOpError("types of the results cannot be inferred from the operands");
  for (mlir::Diagnostic &reason : reasons) {
    InFlightDiagnostic error =
        reason.getLocation() == op->getLoc() ? op->emitOpError() : emitError(reason.getLocation());
    error << reason.str();
    for (mlir::Diagnostic &note : reason.getNotes())
      error.attachNote(note.getLocation()) << note.str();
  }
  return failure();
}

} // namespace proa::pd
