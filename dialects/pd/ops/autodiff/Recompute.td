// Recomputation of values instead of keeping them.
#ifndef PROA_DIALECTS_PD_AUTODIFF_RECOMPUTE
#define PROA_DIALECTS_PD_AUTODIFF_RECOMPUTE

include "dialects/pd/ir/Base.td"

def Pd_OptimizationBarrierOp : Pd_Op<"optimization_barrier", [Pd_Elementwise]> {
  let onnx = [OnnxWritten<"exportBarrier">];
  let summary = "The same tensor, protected from merging with x by optimizations";
  let description = [{
    out = x. Ops on `out` are not merged with ops on x, so that a value that is recomputed to save memory stays
    recomputed. Barriers of different `number` are not merged either. The op costs nothing: both tensors have the same
    memory.
  }];
  let constraints = SameTypeAsX;
  let arguments = (ins Pd_Tensor:$x, DefaultValuedAttr<I64Attr, "0">:$number);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSameAsFirst";
  let linear = ["x"];
  let evaluates = 1;
  let vjp = ["dout"];
  let precision = "follow";
}

def Pd_BinomialScheduleOp : Pd_Op<"binomial_schedule", [Pd_SameForAllExamples]> {
  let sharding = "whole: its few integers depend on each other";
  let summary = "The schedule of binomial checkpointing for the gradient of a loop"
    " with at most `snapshots` kept states";
  let description = [{
    Action i has the kind kinds[i] and the index k = numbers[i]. Kind 0 computes iteration k from the current state, 1
    stores the state in slot k, 2 restores the state of slot k, 3 reverses iteration k, whose initial state is the
    current one. The schedule computes the fewest iterations (Griewank and Walther, "Algorithm 799: Revolve", 2000).
    It is for gradients of loops with a dynamic trip count; there are no actions for 0 or fewer iterations.
  }];
  let constraints = ["C1. iterations has one element", "C2. snapshots is positive"];
  let arguments = (ins Pd_IntTensor:$iterations, I64Attr:$snapshots);
  let results = (outs Pd_IntTensor:$kinds, Pd_IntTensor:$numbers);
  let library = "binomial_schedule";
  let batching = "inCode";
}

def Pd_CheckpointOp : Pd_Op<"checkpoint", [SingleBlock, IsolatedFromAbove]> {
  let summary = "A region whose gradient keeps only its inputs and recomputes the values inside";
  let description = [{
    The op returns the results of the region, whose block arguments are the inputs. Where reverse mode needs values
    inside the region, it computes the region again from the inputs, separated by pd.optimization_barrier. Forward mode
    and batching use the decomposition, which inlines the region.

    ```mlir
    %y = pd.checkpoint(%x : tensor<4xf32>) : tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %e = pd.exp %a : (tensor<4xf32>) -> tensor<4xf32>
      %s = pd.sin %e : (tensor<4xf32>) -> tensor<4xf32>
      pd.yield %s : tensor<4xf32>
    }
    ```
  }];
  let constraints = [
    "C1. there is one block argument for each input, of its type",
    "C2. the region has no op with effects, at any depth; random ops would give other values the second time",
    "C3. the region ends with pd.yield of values of the results' types"
  ];
  let arguments = (ins Variadic<Pd_Tensor>:$inputs);
  let results = (outs Variadic<Pd_Tensor>:$outputs);
  let infer = "[](auto, Adaptor adaptor, auto &results) { return inferYielded(adaptor.getRegions(), results); }";
  let regions = (region SizedRegion<1>:$body);
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The op that C2 excludes, `op` or the first one in its regions with an effect, or null.
    static ::mlir::Operation *findEffect(::mlir::Operation *op);
  }];
  let assemblyFormat = "`(` ($inputs^ `:` type($inputs))? `)` attr-dict `:` type($outputs) $body";
  let batching = "inCode";
}

#endif
