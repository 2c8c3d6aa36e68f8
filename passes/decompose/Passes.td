#ifndef PROA_PASSES_DECOMPOSE_PASSES
#define PROA_PASSES_DECOMPOSE_PASSES

include "mlir/Pass/PassBase.td"

def Decompose : Pass<"pd-decompose"> {
  let summary = "Replace composite ops by the simpler ops that define them";
  let description = [{
    Replaces every composite by its decomposition until no composite is left. With `target=cpu`, an op that the CPU
    runtime has a library kernel for stays. With `target=gpu` a composite that has a kernel of its own there
    (DeviceKernelOpInterface) stays too. An unknown op name in an option is an error. A composite whose decomposition
    fails (a dim is not known) stays; a remark names it (`--remarks=pd-decompose`).

    ```mlir
    // before
    %0 = pd.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    // after
    %c = pd.constant dense<0.000000e+00> : tensor<f32>
    %0 = pd.maximum %x, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"target", "target", "::proa::DeviceKind", "::proa::DeviceKind::Any",
      "Device whose library ops stay; any: none stay", "::proa::deviceKindValues()">,
    ListOption<"only", "only", "std::string", "Names of the ops to decompose (pd.relu or relu); default: all">,
    ListOption<"except", "except", "std::string", "Names of ops to leave unchanged">,
  ];
  let dependentDialects = ["::proa::pd::PdDialect"];
}

def WidenLibraryOps : Pass<"pd-widen-library-ops"> {
  let summary = "Add casts around 16-bit ops whose library kernels compute in f32";
  let description = [{
    Library kernels of the runtime support f16 and bf16 if the op's record says so (`libraryHalf`). The operands of
    other library ops are cast to f32, and their results are rounded to their previous type. Runs after the
    decomposition for the back end.

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
