//! proa-tblgen: turns the extra fields of op records (dialects/pd/ir/Base.td) into C++. One file a product.
#include "mlir/Tools/mlir-tblgen/MlirTblgenMain.h"

int main(int argc, char **argv) { return mlir::MlirTblgenMain(argc, argv); }
