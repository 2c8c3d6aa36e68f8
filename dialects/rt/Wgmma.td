// Instructions of the GPU that the nvvm dialect lacks.
#ifndef PROA_DIALECTS_RT_WGMMA
#define PROA_DIALECTS_RT_WGMMA

include "mlir/Dialect/LLVMIR/BasicPtxBuilderInterface.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/rt/Dialect.td"

def Rt_WgmmaOp : Op<Rt_Dialect, "wgmma", [AllTypesMatch<["sums", "out"]>,
    DeclareOpInterfaceMethods<BasicPtxBuilderOpInterface, ["getAsmValues"]>]> {
  let summary = "A wgmma whose first operand is in registers";
  let description = [{
    `nvvm.wgmma.mma_async` reads both operands from shared memory. This op has 64 rows of 16 columns of x in four
    registers of each thread of the warpgroup, two 16-bit floats each, and reads y by its matrix descriptor. It adds the
    products to `sums`, a struct with half as many f32 as y has columns. The registers of x and of the sums may be read
    after `nvvm.wgmma.wait.group.sync.aligned`.

    ```mlir
    %out = rt.wgmma f16(%x0, %x1, %x2, %x3), %y, %sums {transposes_y} : !llvm.struct<(f32, f32, f32, f32)>
    ```

    `convert-nvvm-to-llvm` writes it as PTX: `wgmma.mma_async.sync.aligned.m64nNk16.f32.T.T`, table "Register fragments"
    of section 9.7.15.5 of the PTX ISA 8.4.

    Constraints:
    - C1. x has four registers
    - C2. `sums` has 4 to 128 values of f32, a multiple of 4: y has 8 to 256 columns
    - C3. `element` is f16 or bf16
  }];
  let arguments = (ins TypeAttr:$element, Variadic<I32>:$x, I64:$y, LLVM_AnyStruct:$sums, UnitAttr:$transposes_y);
  let results = (outs LLVM_AnyStruct:$out);
  let assemblyFormat = "$element `(` $x `)` `,` $y `,` $sums attr-dict `:` type($sums)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows of x, and the k of one instruction.
    static constexpr int64_t m = ::proa::wgmmaInstruction.rows, k = ::proa::wgmmaInstruction.k(16);
    ::proa::MatrixElement getMatrixElement() {
      return getElement().isF16() ? ::proa::MatrixElement::F16 : ::proa::MatrixElement::BF16;
    }
    ::mlir::LLVM::LLVMStructType getSumsType() {
      return ::llvm::cast<::mlir::LLVM::LLVMStructType>(getSums().getType());
    }
    /// Columns of y.
    int64_t getColumns() { return 2 * static_cast<int64_t>(getSumsType().getBody().size()); }
  }];
}

def Rt_Exp2FtzOp : Op<Rt_Dialect, "exp2_ftz", [Pure]> {
  let summary = "A power of two by one instruction, without subnormal results";
  let description = [{
    The relative error is below 2^-22; results below 2^-126 are zero. The code generator writes it as LLVM's intrinsic
    of `ex2.approx.ftz.f32`. Without `ftz`, which libdevice has, the assembler adds a comparison and two
    multiplications for subnormal results.

    ```mlir
    %power = rt.exp2_ftz %exponent
    ```
  }];
  let arguments = (ins F32:$exponent);
  let results = (outs F32:$out);
  let assemblyFormat = "$exponent attr-dict";
}

#endif
