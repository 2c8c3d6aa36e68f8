// The dialect itself, for the records of its ops, types and attributes.
#ifndef PROA_DIALECTS_PD_DIALECT
#define PROA_DIALECTS_PD_DIALECT

include "mlir/IR/DialectBase.td"

def Pd_Dialect : Dialect {
  let name = "pd";
  let cppNamespace = "::proa::pd";
  let summary = "Model ops of deep-learning programs";
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Registers the ops of a family. Each family calls it from its own file, to keep rebuilds small.
    template <class... Ops> void addFamily() { addOperations<Ops...>(); }
    /// Defined where the generated storage classes are: Enums.cpp and Types.cpp.
    void registerAttributes();
    void registerTypes();
    /// Reports ops that the dialect does not have.
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

#endif
