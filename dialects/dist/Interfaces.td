// Interfaces of ops of the dist dialect.
#ifndef PROA_DIALECTS_DIST_INTERFACES
#define PROA_DIALECTS_DIST_INTERFACES

include "mlir/IR/OpBase.td"

def StepOpInterface : OpInterface<"StepOpInterface"> {
  let cppNamespace = "::proa::dist";
  let description = [{
    An op on local tensors that leads from one sharding of a value to another: a collective, or the local ops
    `dist.slice` and `dist.to_partial`.
  }];
  let methods = [
    StaticInterfaceMethod<"The kind of step.", "::proa::spmd::StepKind", "getStepKind">,
    InterfaceMethod<"The local tensor before the step.",
      "::mlir::TypedValue<::mlir::RankedTensorType>", "getX">,
    InterfaceMethod<"The type of the value that the local tensors are shards of.",
      "::mlir::RankedTensorType", "getGlobal">,
    InterfaceMethod<"The sharding before the step.", "::proa::dist::ShardingAttr", "getFrom">,
    InterfaceMethod<"The sharding after the step.", "::proa::dist::ShardingAttr", "getTo">,
  ];
}

#endif
