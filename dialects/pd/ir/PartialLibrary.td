// Composites whose library kernel computes only some of their forms.
#ifndef PROA_DIALECTS_PD_PARTIAL_LIBRARY
#define PROA_DIALECTS_PD_PARTIAL_LIBRARY

include "mlir/IR/OpBase.td"

def PartialLibraryOpInterface : OpInterface<"PartialLibraryOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    A composite with a library kernel (LibraryOpInterface) that does not compute all attributes and types of the op.
    The others are decomposed.
  }];
  let methods = [
    InterfaceMethod<"Why the kernel cannot compute the op; null if it can.", "const char *", "whyNoLibraryKernel">
  ];
}

#endif
