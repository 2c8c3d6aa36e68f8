// Products of groups of rows of different sizes, as mixtures of experts have them.
#ifndef PROA_DIALECTS_PD_LINALG_GROUPED
#define PROA_DIALECTS_PD_LINALG_GROUPED

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/DeviceKernel.td"

def Pd_GroupSizes : RankedTensorOf<[I32, I64], [], "ranked tensor of i32 or i64">;

class Pd_GroupedProductOp<string mnemonic> : Pd_Op<mnemonic, [DeclareOpInterfaceMethods<DeviceKernelOpInterface>]> {
  let lod = "none";
  let vjpInCode = 1;
  let batching = "unbatched";
  let referenceInCode = 1;
  let precision = "low";
  let sharding = "inCode";
  let libraryHalf = 1;
}

defvar groupsOfRows = [{
    Group g has the sizes[g] rows that follow the rows of the groups before it. }];
defvar groupedSource = [{

    At run time: no size is negative, and their sum is at most T.

    Source: Gale et al., "MegaBlocks: Efficient Sparse Training with Mixture-of-Experts" (2022); `jax.lax.ragged_dot` of
    JAX computes the same.
  }];

def Pd_GroupedMatmulOp : Pd_GroupedProductOp<"grouped_matmul"> {
  let summary = "Product of each group of rows with the matrix of the group";
  let description = groupsOfRows # [{For the rows t of group g

        out[t, n] = sum over k of x[t, k] * y[g, k, n]

    and, with `transpose_y`, of x[t, k] * y[g, n, k]. Rows after the last group have the result 0. The dims are x
    [T, K], y [G, K, N] ([G, N, K] with `transpose_y`), sizes [G] and out [T, N]. Sums of 16-bit elements are computed
    in float32.}] # groupedSource;
  let constraints = [
    "C1. x has rank 2, y rank 3 and sizes rank 1",
    "C2. x and y have the same element type",
    "C3. the contracted dims are equal",
    "C4. sizes has an element for each matrix of y"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$y, Pd_GroupSizes:$sizes,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_y);
  let results = (outs Pd_FloatTensor:$out);
  let library = "grouped_matmul";
  let linear = ["x", "y"];
}

def Pd_GroupedMatmulYGradOp : Pd_GroupedProductOp<"grouped_matmul_y_grad"> {
  let summary = "Gradient of the matrices of pd.grouped_matmul: products of the columns of each group of rows";
  let description = groupsOfRows # [{With the rows t of group g

        y_grad[g, k, n] = sum over t of x[t, k] * out_grad[t, n]

    A group without rows has the result 0. The dims are x [T, K], out_grad [T, N], sizes [G] and y_grad [G, K, N]. Sums
    of 16-bit elements are computed in float32.}] # groupedSource;
  let constraints = [
    "C1. x and out_grad have rank 2 and sizes rank 1",
    "C2. x and out_grad have the same element type",
    "C3. x and out_grad have the same number of rows"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$out_grad, Pd_GroupSizes:$sizes);
  let results = (outs Pd_FloatTensor:$y_grad);
  let library = "grouped_matmul_y_grad";
  let linear = ["x", "out_grad"];
}

#endif
