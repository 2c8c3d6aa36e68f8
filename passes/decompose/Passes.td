#ifndef PROA_PASSES_DECOMPOSE_PASSES
#define PROA_PASSES_DECOMPOSE_PASSES

include "mlir/Pass/PassBase.td"

def Decompose : Pass<"pd-decompose"> {
  let summary = "Replace composite ops by the simpler ops that define them";
  let description = [{
    Every op that has a decomposition is replaced by it, again and again, until primitives are left.
    With `target=cpu`, an op that the CPU runtime has a library kernel for stays as it is. An op that is named and not there
    is an error.

    ```mlir
    // before
    %0 = pd.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    // after
    %c = pd.constant dense<0.000000e+00> : tensor<f32>
    %0 = pd.maximum %x, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "Leave ops that this back end runs as they are: cpu">,
    ListOption<"only", "only", "std::string", "Names of the ops to decompose (pd.relu or relu); all where empty">,
    ListOption<"except", "except", "std::string", "Names of ops to leave">,
  ];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

def WidenLibraryOps : Pass<"pd-widen-library-ops"> {
  let summary = "Put casts around ops in 16 bits whose library kernels compute in f32";
  let description = [{
    The runtime's library kernels take f16 and bf16 where the op's record says so (`libraryHalf`). Other library ops get
    their operands in f32, and their results are rounded to the type that they had. It runs when what decomposes for the
    back end has been decomposed.

    ```mlir
    // before
    %0 = pd.poisson %x : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
    // after
    %a = pd.cast %x {dtype = f32} : (tensor<4x4xbf16>) -> tensor<4x4xf32>
    %b = pd.poisson %a : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %0 = pd.cast %b {dtype = bf16} : (tensor<4x4xf32>) -> tensor<4x4xbf16>
    ```
  }];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

#endif
