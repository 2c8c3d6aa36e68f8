// Computing something twice instead of keeping it.
#ifndef PROA_DIALECTS_PD_AUTODIFF_RECOMPUTE
#define PROA_DIALECTS_PD_AUTODIFF_RECOMPUTE

include "dialects/pd/ir/Base.td"

def Pd_OptimizationBarrierOp : Pd_Op<"optimization_barrier", [Pd_Elementwise]> {
  let summary = "The same tensor, which optimizations take for another one";
  let description = [{
    out = x. What is computed from `out` is not merged with what was computed from x before, so that a value that is computed
    once more, to save the memory between, stays so. Barriers of different `number` are not merged either. Costs nothing: the
    planner gives both the same place.
  }];
  let constraints = SameTypeAsX;
  let arguments = (ins Pd_Tensor:$x, DefaultValuedAttr<I64Attr, "0">:$number);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSameAsFirst";
  let evaluates = 1;
  let vjp = ["dout"];
  let precision = "follow";
}

def Pd_BinomialScheduleOp : Pd_Op<"binomial_schedule"> {
  let summary = "The order in which binomial checkpointing goes back through a loop"
    " with at most `snapshots` of its states kept";
  let description = [{
    Action i is by kinds[i], with k = numbers[i]: 0 computes iteration k from the state there is, 1 keeps that state at place k, 2 takes
    the one at place k, 3 goes back through iteration k, whose first state is there. In the order of the least number of
    iterations computed (Griewank and Walther, "Algorithm 799: Revolve", 2000). The gradient of a loop reads it whose number of
    iterations only the run knows; 0 iterations or fewer have no actions.
  }];
  let constraints = ["C1. iterations has one element", "C2. snapshots is positive"];
  let arguments = (ins Pd_IntTensor:$iterations, I64Attr:$snapshots);
  let results = (outs Pd_IntTensor:$kinds, Pd_IntTensor:$numbers);
  let library = "binomial_schedule";
  let batching = "inCode";
}

def Pd_CheckpointOp : Pd_Op<"checkpoint", [SingleBlock, IsolatedFromAbove]> {
  let summary = "Ops of which a gradient keeps the inputs only, and computes the others once more";
  let description = [{
    The results are those of the region, whose block arguments are the inputs. Reverse mode computes the region again from
    the inputs, behind barriers (optimization_barrier), where it needs the values inside. Forward mode and batching go through
    the decomposition: the region's ops in the place of the op.

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
    "C1. There is one block argument for each input, of its type",
    "C2. The region has no op with effects, so no random numbers: the second time they would be others",
    "C3. The region ends with pd.yield of values of the results' types"
  ];
  let arguments = (ins Variadic<Pd_Tensor>:$inputs);
  let results = (outs Variadic<Pd_Tensor>:$outputs);
  let infer = "[](auto, Adaptor adaptor, auto &results) { return inferYielded(adaptor.getRegions(), results); }";
  let regions = (region SizedRegion<1>:$body);
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let hasRegionVerifier = 1;
  let assemblyFormat = "`(` ($inputs^ `:` type($inputs))? `)` attr-dict `:` type($outputs) $body";
  let batching = "inCode";
}

#endif
