// Enums of the attributes of kernels. A file of its own: mlir-tblgen generates all enums of a file and of its includes.
#ifndef PROA_DIALECTS_PROA_ENUMS
#define PROA_DIALECTS_PROA_ENUMS

include "mlir/IR/EnumAttr.td"

def Proa_MatmulKind : I32Enum<"MatmulKind", "how the threads of a block multiply matrices", [
    I32EnumCase<"Fma", 0, "fma">,    // each thread multiplies and adds
    I32EnumCase<"Mma", 1, "mma">,    // warps use tensor cores (mma.sync)
    I32EnumCase<"Wgmma", 2, "wgmma"> // warpgroups do (wgmma), from what the tensor memory accelerator copies
]> {
  let cppNamespace = "::proa";
}

// An option: one kind, or the kind with the lowest estimate for each op.
def Proa_MatmulStrategy : I32Enum<"MatmulStrategy", "the kinds that a pass chooses from", [
    I32EnumCase<"Fastest", 0, "fastest">, I32EnumCase<"Fma", 1, "fma">, I32EnumCase<"Mma", 2, "mma">,
    I32EnumCase<"Wgmma", 3, "wgmma">]> {
  let cppNamespace = "::proa";
}

def Proa_DeviceKernel : I32Enum<"DeviceKernel", "what the body of a kernel for the GPU is", [
    I32EnumCase<"Op", 0, "op">,          // one op of pd (DeviceKernelOpInterface), which a pass for the GPU lowers
    I32EnumCase<"Threads", 1, "threads"> // code of one thread, on memory
]> {
  let cppNamespace = "::proa";
}

def Proa_FusedWith : I32Enum<"FusedWith", "the code of a contraction that contains an op", [
    I32EnumCase<"Operand", 0, "operand">, // the op computes an operand, where it is copied to shared memory
    I32EnumCase<"Result", 1, "result">    // the op reads the result, in registers
]> {
  let cppNamespace = "::proa";
}

#endif
