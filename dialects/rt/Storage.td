// Ops of pd whose results share memory with their operands at run time.
#ifndef PROA_DIALECTS_RT_STORAGE
#define PROA_DIALECTS_RT_STORAGE

include "mlir/IR/OpBase.td"

def StorageOpInterface : OpInterface<"StorageOpInterface"> {
  let cppNamespace = "::proa::rt";
  let description = [{
    An op of pd whose result shares memory with an operand when the runtime executes it. The planner asks it. The rt
    dialect attaches the interface to ops of pd (Storage.cpp): pd ops have values, not buffers.
  }];
  let methods = [
    InterfaceMethod<"How the result shares memory with the operands.", "::proa::rt::ResultStorage", "getResultStorage">,
  ];
}

#endif
