#include "passes/kernels/KernelForm.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"

using namespace mlir;

namespace proa {

SmallVector<func::FuncOp> kernelsOf(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kernelAttribute) && !function.isDeclaration())
      kernels.push_back(function);
  return kernels;
}

static bool canBeInKernel(Operation &op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureTensorSemantics();
  // The words of index checks.
  if (isa<memref::ReinterpretCastOp>(op))
    return true;
  return op.getNumRegions() == 0 &&
         isa_and_present<affine::AffineDialect, arith::ArithDialect, complex::ComplexDialect,
                         math::MathDialect, tensor::TensorDialect, ub::UBDialect>(op.getDialect());
}

bool hasIndexChecks(func::FuncOp kernel) {
  return kernel->hasAttr(indexChecksAttribute) && kernel.getNumArguments() > 0;
}

LogicalResult verifyKernelSignature(func::FuncOp function) {
  bool isCorrect = true;
  auto refuse = [&] {
    isCorrect = false;
    return function.emitError();
  };
  auto checkTypes = [&](ArrayRef<Type> types, StringRef what) {
    for (auto [i, type] : llvm::enumerate(types))
      if (!isa<RankedTensorType>(type))
        refuse() << what << " " << i << " of kernel '" << function.getName() << "' has type " << type
                 << ", expected a ranked tensor";
  };
  // The last argument may be the words of index checks.
  checkTypes(function.getArgumentTypes().drop_back(hasIndexChecks(function) ? 1 : 0), "argument");
  checkTypes(function.getResultTypes(), "result");
  if (function.getNumResults() == 0)
    refuse() << "kernel '" << function.getName() << "' has no result, expected at least one tensor";
  if (!function.getBody().hasOneBlock())
    refuse() << "kernel '" << function.getName() << "' has several blocks, expected one";
  else if (!isa<func::ReturnOp>(function.getBody().front().getTerminator()))
    refuse() << "kernel '" << function.getName() << "' does not end with func.return";
  return success(isCorrect);
}

/// tensor.dim with an index outside of the rank is valid, with an undefined result.
static LogicalResult verifyDimIndex(tensor::DimOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  std::optional<int64_t> index = op.getConstantIndex();
  if (!type || !index || (*index >= 0 && *index < type.getRank()))
    return success();
  return op.emitError() << "dimension " << *index << " of " << type << " does not exist";
}

LogicalResult verifyTensorKernel(func::FuncOp function) {
  if (failed(verifyKernelSignature(function)))
    return failure();
  bool isCorrect = true;
  for (Operation &op : function.getBody().front().without_terminator())
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      isCorrect &= succeeded(verifyDimIndex(dim));
    } else if (!canBeInKernel(op)) {
      isCorrect = false;
      op.emitError() << "'" << op.getName() << "' cannot be in kernel '" << function.getName()
                     << "', expected linalg, tensor, arith, math, complex and affine ops on tensors";
    }
  return success(isCorrect);
}

LogicalResult verifyNotReferenced(ArrayRef<func::FuncOp> kernels, ModuleOp module) {
  if (kernels.empty())
    return success();
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(&module.getBodyRegion());
  llvm::DenseMap<StringAttr, Operation *> users;
  if (uses)
    for (const SymbolTable::SymbolUse &use : *uses)
      users.try_emplace(use.getSymbolRef().getRootReference(), use.getUser());
  bool isCorrect = true;
  for (func::FuncOp kernel : kernels) {
    Operation *user = users.lookup(kernel.getNameAttr());
    if (uses && !user)
      continue;
    isCorrect = false;
    InFlightDiagnostic error =
        kernel.emitError() << "kernel '" << kernel.getName()
                           << "' is called, but its signature must change, expected a module of kernels only "
                              "(--proa-extract-kernels)";
    if (user)
      error.attachNote(user->getLoc()) << "used here";
  }
  return success(isCorrect);
}

LogicalResult changeKernels(ModuleOp module, function_ref<bool(func::FuncOp)> changesSignature,
                            function_ref<LogicalResult(func::FuncOp)> pass) {
  SmallVector<func::FuncOp> kernels = kernelsOf(module), changed;
  bool isCorrect = true;
  for (func::FuncOp kernel : kernels) {
    bool isKernel = succeeded(verifyTensorKernel(kernel));
    isCorrect &= isKernel;
    if (isKernel && changesSignature(kernel))
      changed.push_back(kernel);
  }
  isCorrect &= succeeded(verifyNotReferenced(changed, module));
  if (!isCorrect)
    return failure();
  return failableParallelForEach(module.getContext(), kernels, pass);
}

} // namespace proa
