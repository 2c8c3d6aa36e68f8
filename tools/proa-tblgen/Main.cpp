//! proa-tblgen: generates C++ from the extra fields of op records (dialects/pd/ir/Base.td). One source file
//! per generator.
#include "mlir/Tools/mlir-tblgen/MlirTblgenMain.h"

int main(int argc, char **argv) { return mlir::MlirTblgenMain(argc, argv); }
