// The proa dialect.
#ifndef PROA_DIALECTS_PROA_DIALECT
#define PROA_DIALECTS_PROA_DIALECT

include "mlir/IR/DialectBase.td"

def Proa_Dialect : Dialect {
  let name = "proa";
  let cppNamespace = "::proa";
  let summary = "Attributes about the compilation of a program";
  let description = [{
    The machine that a program is compiled for, and what passes decided about its kernels.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
}

#endif
