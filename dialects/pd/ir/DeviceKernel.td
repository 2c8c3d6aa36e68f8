// Composites that a GPU computes by one kernel.
#ifndef PROA_DIALECTS_PD_DEVICE_KERNEL
#define PROA_DIALECTS_PD_DEVICE_KERNEL

include "mlir/IR/OpBase.td"

def DeviceKernelOpInterface : OpInterface<"DeviceKernelOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    A composite that has a kernel of its own on GPUs (`passes/lower-gpu/`), which is faster than the kernels of its
    decomposition. On CPUs it is decomposed.
  }];
  let methods = [
    InterfaceMethod<"Why the kernel cannot compute the op with these attributes and types; null if it can.",
      "const char *", "whyNoDeviceKernel">,
    InterfaceMethod<"Number of multiplications and additions of the products; empty if a dim is dynamic.",
      "::std::optional<int64_t>", "getDeviceOperations">
  ];
}

#endif
