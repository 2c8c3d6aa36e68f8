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

def Proa_ThreadStrategy : I32Enum<"ThreadStrategy", "how the threads of a block compute an op together", [
    I32EnumCase<"Lines", 0, "lines">,     // a scan: each thread scans a line
    I32EnumCase<"Columns", 1, "columns">, // a scan: threads share each of adjacent lines
    I32EnumCase<"Tiles", 2, "tiles">,     // a scan: a block scans tiles of a line one after the other
    I32EnumCase<"Shared", 3, "shared">,   // a sort: a block sorts a line in shared memory
    I32EnumCase<"Merge", 4, "merge">,     // a sort: a block sorts tiles, and merges them in global memory
    I32EnumCase<"Select", 5, "select">,   // top-k: a block keeps the best elements of a line in shared memory
    I32EnumCase<"Ordered", 6, "ordered">, // a scatter: a block combines the updates of its slices in their order
    I32EnumCase<"Atomic", 7, "atomic">    // a scatter: threads add updates by atomic operations
]> {
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
