// Interfaces of attributes of the proa dialect.
#ifndef PROA_DIALECTS_PROA_INTERFACES
#define PROA_DIALECTS_PROA_INTERFACES

include "mlir/IR/OpBase.td"

def Proa_StrategyAttrInterface : AttrInterface<"StrategyAttrInterface"> {
  let cppNamespace = "::proa";
  let description = [{
    An attribute that says how a kernel or an op of it is computed, and that `proa-tune` varies: `#proa.contraction`,
    `#proa.attention`, `#proa.launch`, of which `threads` and `shared_bytes` follow from the kernel, and `vector` and
    `group` of `#proa.loops`. Its choices are its optional fields: passes choose those that are not set.
    `proa.strategies` requests some for a kernel.
  }];
  let methods = [
    InterfaceMethod<[{
      Valid attributes that differ from this one in one choice, in one size of it, or in two sizes of two choices by
      the same factor. Another value of an enum leaves the other choices to the passes.
    }], "::llvm::SmallVector<::mlir::Attribute>", "changes">,
  ];
}

#endif
