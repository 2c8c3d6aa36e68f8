// Ops that blocks of GPU threads compute with code of their own, and reductions to the index of an element.
#ifndef PROA_DIALECTS_PD_THREAD_INTERFACE
#define PROA_DIALECTS_PD_THREAD_INTERFACE

include "mlir/IR/OpBase.td"

def ThreadOpInterface : OpInterface<"ThreadOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    An op whose threads exchange data in another way than reductions do: scans, sorting, scattering. On GPUs it is a
    kernel of its own. The kernel has rows, which are independent; a block of threads computes one. On CPUs library
    kernels compute such ops.
  }];
  let methods = [
    InterfaceMethod<"Why no kernel can compute the op with these attributes and types; null if one can.",
      "const char *", "whyNoThreads">,
    InterfaceMethod<[{
      How blocks compute the op, which the other methods follow, with the figures that decide. An attribute
      `proa.strategy` of the op overrides it where the op can be computed so.
    }], "::proa::pd::ThreadChoice", "chooseStrategy">,
    InterfaceMethod<"The number of threads of a block, a power of two from 32 to 1024.", "int64_t", "getThreads">,
    InterfaceMethod<"The size of a dynamic dimension of a result, as an index.", "::mlir::Value", "buildResultDim",
      (ins "::proa::pd::ElementBuilder &":$b, "unsigned":$result, "int64_t":$dim)>,
    InterfaceMethod<"The number of rows, as an index.", "::mlir::Value", "buildRowCount",
      (ins "::proa::pd::ElementBuilder &":$b)>,
    InterfaceMethod<"The number of bytes of scratch memory of all rows together, as an index; null: none.",
      "::mlir::Value", "buildScratchBytes", (ins "::proa::pd::ElementBuilder &":$b), "", "return {};">,
    InterfaceMethod<[{
      The code of one thread for the row `b.row()`. It reads no operand and writes no result out of bounds. All threads
      of the block reach its barriers.
    }], "void", "buildThreads", (ins "::proa::pd::ThreadBuilder &":$b)>,
  ];
}

def ArgExtremeOpInterface : OpInterface<"ArgExtremeOpInterface"> {
  let cppNamespace = "::proa::pd";
  let description = [{
    A reduction of the first operand to the index of its first greatest or least element. NaN is never found; the index
    is 0 if no element is above the lowest finite number (below the largest one), as in Paddle.
  }];
  let methods = [
    InterfaceMethod<"Why no kernel can compute the op; null if one can.", "const char *", "whyNoArgExtreme">,
    InterfaceMethod<"Whether the greatest element is meant.", "bool", "isGreatest">,
    InterfaceMethod<[{
      The reduced dimensions, as ascending non-negative indices: one, or all. The index counts their elements in
      row-major order.
    }], "::llvm::SmallVector<int64_t>", "getSearchedDims">,
  ];
}

#endif
