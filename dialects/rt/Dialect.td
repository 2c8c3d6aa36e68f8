// The rt dialect.
#ifndef PROA_DIALECTS_RT_DIALECT
#define PROA_DIALECTS_RT_DIALECT

include "mlir/IR/DialectBase.td"

def Rt_Dialect : Dialect {
  let name = "rt";
  let cppNamespace = "::proa::rt";
  let summary = "Fused calls and collectives of the CPU runtime";
  let dependentDialects = ["::proa::pd::PdDialect", "::proa::dist::DistDialect"];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Reports ops that the dialect does not have.
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

#endif
