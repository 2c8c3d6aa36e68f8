// The passes on kernels (functions on tensors) that CPU and GPU share, in the order of the pipelines.
#ifndef PROA_PASSES_KERNELS_PASSES
#define PROA_PASSES_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

def ExtractKernels : Pass<"proa-extract-kernels", "mlir::ModuleOp"> {
  let summary = "Remove everything but kernels";
  let description = [{
    Keeps the functions with the attribute `proa.kernel` or `#proa.device_kernel` and removes all other ops of the
    module. The passes that lower kernels change their signatures, so no function may call them. A kernel that refers to
    a symbol is an error; a module without kernels becomes empty, with a warning.
  }];
}

def CheckDims : Pass<"proa-check-dims", "mlir::func::FuncOp"> {
  let summary = "State which dynamic dims of arguments a kernel takes to be equal";
  let description = [{
    A linalg op walks a dim of each operand with the same loop, so the dims must be equal: one that is 1 at run time is
    not broadcast, and the kernel would read beyond its operand. For each pair of such dims of arguments that the types
    do not show to be equal, the kernel gets an entry of `proa.dim_checks`. The runtime compares the dims before each
    call (`runtime::DimCheck`).

    ```mlir
    func.func @sum(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32>
        attributes {proa.kernel, proa.dim_checks = [
            #proa.dim_check<argument = 1, axis = 0, other = 0, other_axis = 0>]}      // dim 0 of %y is dim 0 of %x
    ```
  }];
  let dependentDialects = ["::proa::ProaDialect"];
}

def StoreAsBytes : Pass<"proa-store-as-bytes", "mlir::ModuleOp"> {
  let summary = "Store tensors of booleans and 8-bit floats in kernels as bytes";
  let description = [{
    In kernels, tensors of `i1` become tensors of `i8` that hold 0 or 1, because a vector of `i1` is stored as packed
    bits and a scalar as a byte. Scalars inside `linalg.generic` stay `i1`: a byte is compared with 0 where it is
    read and extended where it is stored. Tensors of `f8E4M3FN` and `f8E5M2` become tensors of `i8` too, with
    `arith.bitcast` in bodies, because LLVM has no such types. A kernel that is called is an error, because its
    signature changes.

    ```mlir
    linalg.generic ins(%a : tensor<4xi1>) { ^bb0(%x: i1, ...)  ...          // before
    linalg.generic ins(%a : tensor<4xi8>) { ^bb0(%b: i8, ...)  %x = arith.cmpi ne, %b, %zero  // after
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def WidenHalfPrecision : Pass<"proa-widen-half-precision", "mlir::func::FuncOp"> {
  let summary = "Compute on elements of 8 and 16 bits in f32";
  let description = [{
    Arithmetic on scalars of `f16`, `bf16`, `f8E4M3FN` and `f8E5M2` is done in `f32`: values are extended where they
    are read and rounded where they are stored, with no rounding between the operations of one body. A reduction
    accumulates in an `f32` tensor that is rounded once at the end. It runs before and after fusion, which brings
    operations into one body.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
                           "mlir::tensor::TensorDialect"];
}

def CanonicalizeKernels : Pass<"proa-canonicalize-kernels"> {
  let summary = "Fold and canonicalize ops, with patterns that all passes of the context share";
  let description = [{
    Rewrites as MLIR's `canonicalize` does. MLIR's pass creates the patterns of all loaded dialects each time that a
    pipeline runs, which takes longer than to rewrite a small kernel; this one creates them once for a context.
  }];
  let dependentDialects = ["::proa::ProaDialect"];
}

def FuseElementwise : Pass<"proa-fuse-elementwise", "mlir::func::FuncOp"> {
  let summary = "Fuse elementwise operations into their only consumer";
  let description = [{
    A producer is fused if its consumer has the same number of loops and is its only user, or if it only copies, casts
    or broadcasts. A producer with fewer loops is not fused, because the consumer would repeat its work in the innermost
    loop. Reshapes between operations are moved to the arguments and results of the kernel.
  }];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect",
                           "::proa::ProaDialect"];
}

def CollapseLoops : Pass<"proa-collapse-loops", "mlir::func::FuncOp"> {
  let summary = "Merge loops that run over contiguous memory";
  let description = [{
    Adjacent dimensions that all operations of the kernel iterate together become one, so that an elementwise kernel has
    one long loop and rows are as long as possible. The loops of a reduction get the order of its input's memory.
  }];
  let dependentDialects = ["mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"];
}

def MarkFastMath : Pass<"proa-mark-fast-math", "mlir::func::FuncOp"> {
  let summary = "Allow contraction, and reassociation in reductions only";
  let description = [{
    Every floating-point operation but conversions may be contracted to a fused multiply-add. Of a conversion to a
    narrower type and back, nothing would remain. The addition or multiplication that accumulates a reduction may be
    reassociated, because it cannot be vectorized otherwise. A row that is divided by the result of a reduction, as in
    softmax, may be multiplied by the reciprocal, as in Paddle. A maximum or minimum of two zeros is either of them.
    Nothing else is allowed: masks contain infinities, and NaN must propagate. Run it before `proa-expand-math`, whose
    polynomials need strict arithmetic.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def ChooseRows : Pass<"proa-choose-rows", "mlir::func::FuncOp"> {
  let summary = "Choose how each kernel is divided into rows";
  let description = [{
    A row is the unit of work of a kernel: one task computes it. The pass finds the dimensions that all results of the
    kernel share and no operation reduces, chooses a tile size for each, and sets fields of `#proa.rows`:

    - `tiles = [1, 256]`: the tile size of each row dimension; one row is one tile.
    - `dims = [[0, -1], [0]]`: for each result, the row dimension that each of its dimensions is, or -1.
    - `nanoseconds`: estimated time of the whole kernel on one thread.

    The `tile` of `#proa.contraction` (a size for each loop of the op) determines the tiles of the kernel.
    Without shared dimensions the kernel is one row. `proa-tile-rows` and `proa-outline-shapes` read the attributes.
  }];
  let options = [
    Option<"innerElements", "inner-elements", "int64_t", "0",
      "Largest tile of an innermost parallel dimension, in elements; 0: floats that take half of the first cache">,
    Option<"leastInnerElements", "least-inner-elements", "int64_t", "64",
      "Largest tile of an innermost parallel dimension if a row reduces many elements for each of its own">,
    Option<"innerMultiple", "inner-multiple", "int64_t", "1",
      "A tile of an innermost dimension that is divided is a multiple of this">,
    Option<"rowElements", "row-elements", "int64_t", "512",
      "Number of elements of a row up to which outer dimensions are tiled">,
    Option<"transposedElements", "transposed-elements", "int64_t", "1",
      "Smallest tile of the dimension along which a transposed operand of the largest op is contiguous; also its "
      "multiple">,
    Option<"squareTransposes", "square-transposes", "int64_t", "0",
      "Tile of both this and the innermost dimension, larger where the other one is smaller; 0: as the options above">
  ];
  let dependentDialects = ["::proa::ProaDialect"];
}

def OutlineShapes : Pass<"proa-outline-shapes", "mlir::ModuleOp"> {
  let summary = "Add functions that compute the result dims of dynamic kernels";
  let description = [{
    For each kernel with a dynamic result dimension adds `@NAME_shape`, a function from the dynamic dims of the
    arguments to the dynamic dims of the results and the number of rows.
  }];
  let dependentDialects = ["::proa::ProaDialect", "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
                           "mlir::tensor::TensorDialect"];
}

def TileRows : Pass<"proa-tile-rows", "mlir::ModuleOp"> {
  let summary = "Add destinations and one loop over the rows to kernels";
  let description = [{
    The new signature has one memref for each argument and result, the dynamic dims of all of them, and a range of
    rows. The new body is one loop over that range, in which each operation computes only the slice that the row
    needs. Every result is written into a subview of its destination. Ops that do not depend on the row stay before
    the loop. A kernel that is called is an error, because its signature changes.
  }];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
                           "mlir::bufferization::BufferizationDialect", "mlir::linalg::LinalgDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect"];
}

def BufferizeKernels : Pass<"proa-bufferize-kernels", "mlir::ModuleOp"> {
  let summary = "Bufferize kernels";
  let description = [{
    Replaces empty tensors by the destinations that they are inserted into, then runs one-shot bufferization. Copies
    become loops, not calls. Functions with `#proa.device_kernel<op>`, which another pass lowers, stay on tensors.
  }];
  let dependentDialects = ["mlir::bufferization::BufferizationDialect", "mlir::linalg::LinalgDialect",
                           "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"];
}

def BoundScratch : Pass<"proa-bound-scratch", "mlir::func::FuncOp"> {
  let summary = "Allocate scratch buffers of a tile with the size of the largest tile";
  let description = [{
    The last tile of a dimension may be smaller than the others, so the size of a tile's buffer changes from row to
    row. Such a buffer can neither be hoisted out of the loop nor be on the stack. If an upper bound of the size is
    known, the buffer gets that size, and a view of it has the size that is needed.

    ```mlir
    %n = affine.min ...                               // at most 64
    %a = memref.alloc(%n) : memref<?xf32>             // before
    %b = memref.alloc() : memref<64xf32>              // after
    %a = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<64xf32> to memref<?xf32>
    ```
  }];
  let dependentDialects = ["mlir::affine::AffineDialect", "mlir::memref::MemRefDialect"];
}

def ExpandMath : Pass<"proa-expand-math", "mlir::func::FuncOp"> {
  let summary = "Expand math functions into polynomials that vectorize";
  let description = [{
    f32 functions become polynomials (at most about 5 units in the last place from the exact value), because calls
    into libm are not vectorized: sin and cos of all floats are within 1.6 units, tan within 3.3. exp and log of f64
    are within 1 unit, expm1 within 2, tanh within 3. Other f64 functions, and f32 functions whose polynomial is less
    exact (atan2, cbrt), stay calls. A remainder is exact: it is computed from the quotient where that has few bits, and
    else by libm. With `has-exp2` (a GPU), exp and erf of f32 need one power of two, which may be approximate, and
    sin, cos, tan, f64 functions and remainders stay calls.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
  let options = [
    Option<"hasExp2", "has-exp2", "bool", "false", "The target has an instruction for powers of two of f32">
  ];
}

def CallRemainders : Pass<"proa-call-remainders", "mlir::ModuleOp"> {
  let summary = "Call libm for remainders";
  let description = [{
    Remainders of f32 and f64 become calls of fmodf and fmod. LLVM takes its instruction for one without effects: in a
    loop that it vectorizes, each element would be computed by libm, also where a branch avoids it.
  }];
  let dependentDialects = ["mlir::func::FuncDialect"];
}

def ExpandArith : Pass<"proa-expand-arith", "mlir::func::FuncOp"> {
  let summary = "Expand divisions that round, and maxima and minima other than of f32 and f64";
  let description = [{
    Rounding divisions, and maxima and minima of types for which LLVM calls functions, become comparisons and selects
    (patterns of `arith-expand`). Maxima and minima of f32 and f64 stay: LLVM vectorizes a reduction by an intrinsic,
    but not by the comparisons that keep NaN. But `maxnumf` and `minnumf` in loops of fewer than 16 iterations are
    expanded: LLVM 22 leaves out the last elements of such a reduction (5 to 15 elements that 4 does not divide).
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def ExpandHalfConversions : Pass<"proa-expand-half-conversions", "mlir::func::FuncOp"> {
  let summary = "Convert to and from 8 and 16 bits by integer arithmetic where the CPU lacks an instruction";
  let description = [{
    LLVM calls functions of the compiler's support library (`__truncsfbf2`, `__truncsfhf2`, ...) where a CPU lacks an
    instruction: one call per element, of a function that not every such library has. After this pass the only
    conversions are those between f32 and the types that have instructions; integers are converted by way of f32.
    Rounding is to nearest even, also from f64, which is done in one step; NaN stays NaN. What is too large becomes
    infinity, and NaN in f8E4M3FN, as in the OCP specification of 8-bit floats (OFP8 1.0, without saturation).
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
  let options = [
    Option<"expandBFloat16", "bf16", "bool", "true", "There are no instructions between f32 and bf16">,
    Option<"expandFloat16", "f16", "bool", "true", "There are no instructions between f32 and f16">
  ];
}

#endif // PROA_PASSES_KERNELS_PASSES
