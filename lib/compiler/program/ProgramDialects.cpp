#include "lib/compiler/program/ProgramDialects.h"

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/proa/Proa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"

namespace proa {

void registerProgramDialects(mlir::DialectRegistry &registry) {
  registry.insert<ProaDialect, pd::PdDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
  mlir::func::registerInlinerExtension(registry);
}

} // namespace proa
