// Ops that kernels for GPUs compute. pd-expand-for-device creates them.
#ifndef PROA_DIALECTS_RT_DEVICE
#define PROA_DIALECTS_RT_DEVICE

include "dialects/pd/ir/ElementInterface.td"
include "dialects/pd/ir/Enums.td"
include "dialects/pd/ir/ThreadInterface.td"

//===-- Random numbers --------------------------------------------------------------------------------------------===//

// An op whose elements kernels compute.
class Rt_ElementOp<string mnemonic> : Op<Rt_Dialect, mnemonic, [Pd_DeclaredAttributesOnly, Pure,
    DeclareOpInterfaceMethods<ElementOpInterface>]> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// Constraint C1: `call` has two elements. C2: as C5 of pd.uniform for `part_begin` and `whole_shape`.
class Rt_RandomOp<string mnemonic, Type element, dag parameters> : Rt_ElementOp<mnemonic> {
  let arguments = !con((ins RankedTensorOf<[I64]>:$call, Optional<RankedTensorOf<[I32, I64]>>:$part_begin,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$whole_shape), parameters);
  let results = (outs StaticShapeTensorOf<[element]>:$out);
  let hasVerifier = 1;
}

def Rt_UniformOp : Rt_RandomOp<"uniform", AnyFloat, (ins F64Attr:$min, F64Attr:$max,
    DefaultValuedAttr<I64Attr, "0">:$diag_num, DefaultValuedAttr<I64Attr, "0">:$diag_step,
    DefaultValuedAttr<F64Attr, "1.0">:$diag_val)> {
  let summary = "pd.uniform for an execution: equal numbers on all devices";
}
def Rt_GaussianOp : Rt_RandomOp<"gaussian", AnyTypeOf<[AnyFloat, AnyComplex]>, (ins F64Attr:$mean, F64Attr:$std)> {
  let summary = "pd.gaussian for an execution: numbers of all devices differ by rounding only";
}
def Rt_RandintOp : Rt_RandomOp<"randint", AnyTypeOf<[I32, I64]>, (ins I64Attr:$low, I64Attr:$high)> {
  let summary = "pd.randint for an execution: equal numbers on all devices";
}

//===-- Scattering ------------------------------------------------------------------------------------------------===//

def Rt_ScatterKeysOp : Rt_ElementOp<"scatter_keys"> {
  let summary = "The row-major indices of the slices of x that index tuples address";
  let description = [{
    Without `axis` the last dimension of `index`, of static size k, addresses the first k dimensions of x, as in
    pd.scatter_nd; the result has the other dimensions. With `axis` each element of `index` addresses an element of x in
    its own place, but for the axis, as in pd.put_along_axis. A negative index counts from the end; a wrong one is
    reported, and its key is -1.

    Constraints. C1: with `axis`, x and index have the same rank, and the axis is a dimension. C2: without it, index has
    a last dimension, whose size is static and at most the rank of x. C3: the result has the dimensions of the keys.
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$index, OptionalAttr<I64Attr>:$axis);
  let results = (outs RankedTensorOf<[I32, I64]>:$out);
  let hasVerifier = 1;
}

def Rt_ScatterSortedOp : Rt_ElementOp<"scatter_sorted"> {
  let summary = "x with updates at sorted keys";
  let description = [{
    Update `order[i]` has the key `keys[i]`, and the keys ascend. Slice p of x, in its first `depth` dimensions,
    is combined with the updates whose key is p, in the order of `order`: with `reduce`, as in pd.scatter_nd. `updates`
    has the dimensions of `keys`, then the dimensions of x from `depth` on.

    Constraints. C1: keys and order are vectors. C2: depth is at most the rank of x, and updates has the rank of x, less
    depth, and one dimension more. C3: x, updates and the result have the same element type; the result has the type
    of x.
  }];
  let arguments = (ins AnyRankedTensor:$x, RankedTensorOf<[I32, I64]>:$keys, RankedTensorOf<[I64]>:$order,
    AnyRankedTensor:$updates, I64Attr:$depth, Pd_DefaultEnum<Pd_ScatterReduceAttr, "Assign">:$reduce);
  let results = (outs AnyRankedTensor:$out);
  let hasVerifier = 1;
}

def Rt_ScatterOwnedOp : Op<Rt_Dialect, "scatter_owned", [Pd_DeclaredAttributesOnly, Pure,
    DeclareOpInterfaceMethods<ThreadOpInterface>]> {
  let summary = "x with updates at keys, by blocks of threads that each own some slices of the result";
  let description = [{
    Slice p of the result, in its first `depth` dimensions, is the slice of x combined with the updates whose key is p;
    negative keys have no slice. Without x each element starts with `start`. `updates` has the dimension of `keys`, then
    the dimensions of the result from `depth` on.

    Each block of threads copies its slices of x, reads all keys, and combines the updates of its slices, by one of the
    strategies (`proa.strategy`):

    - `ordered` (default): the block collects the updates of its slices in their order; a thread combines elements of
      its own columns. Equal runs give equal numbers.
    - `atomic`, with `reduce` add: a thread adds all elements of an update by atomic additions. The order of float sums
      depends on the run.

    Constraints. C1: keys is a vector. C2: all dims are static; depth is at most the rank of the result, and updates has
    the number of keys and then the other dims of the result. C3: x, updates and the result have the same element type,
    and x the dims of the result. C4: other than with `reduce` assign, elements have 32 or 64 bits, because sums are in
    the memory of the result.
  }];
  let arguments = (ins RankedTensorOf<[I32, I64]>:$keys, AnyRankedTensor:$updates, Optional<AnyRankedTensor>:$x,
    I64Attr:$depth, Pd_DefaultEnum<Pd_ScatterReduceAttr, "Assign">:$reduce, DefaultValuedAttr<F64Attr, "0.0">:$start);
  let results = (outs AnyRankedTensor:$out);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif
