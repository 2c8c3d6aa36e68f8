// The dist dialect itself, for the records of its attributes, types and ops.
#ifndef PROA_DIALECTS_DIST_DIALECT
#define PROA_DIALECTS_DIST_DIALECT

include "mlir/IR/DialectBase.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let cppNamespace = "::proa::dist";
  let summary = "Meshes of devices, shardings of tensors, and collectives";
  let description = [{
    Says how tensors are distributed over devices, in two forms of a program:

    - **global**: values have the types of the single-device program. Shardings are attributes: `dist.sharding` on
      arguments and results of functions, `dist.shardings` on ops (one entry for each result, a sharding or `unit`), and
      the ops `dist.constrain` and `dist.reshard`.
    - **local**: values are the tensors of one device; all devices of a mesh run the same program. Collectives take and
      give local tensors. Arguments and results of functions keep `dist.sharding`, and `dist.global` is their type in
      the single-device program.

    `dist.to_local` and `dist.to_global` lead from one form to the other. docs/dist.md defines which device holds which
    elements, and gives the reasons.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    /// Reports ops that the dialect does not have.
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

#endif
