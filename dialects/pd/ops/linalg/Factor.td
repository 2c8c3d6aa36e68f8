// Factorizations of matrices. Matrices are the last two dimensions; those before them are a batch.
#ifndef PROA_DIALECTS_PD_LINALG_FACTOR
#define PROA_DIALECTS_PD_LINALG_FACTOR

include "dialects/pd/ir/Base.td"

def Pd_MatrixElement : AnyTypeOf<[F32, F64, Complex<F32>, Complex<F64>], "element of a matrix">;
def Pd_Matrices : RankedTensorOf<[Pd_MatrixElement], [], "tensor of f32, f64 or complex numbers">;

defvar squareConstraints = ["C1. x has rank 2 or more", "C2. the matrices of x are square"];

class Pd_FactorOp<string mnemonic, string text> : Pd_Op<mnemonic> {
  let summary = text;
  let constraints = ["C1. x has rank 2 or more"];
  let library = mnemonic;
}

def Pd_CholeskyOp : Pd_FactorOp<"cholesky", "The triangle L of x = L L^H, or U of x = U^H U"> {
  let sharding = "... * * -> ... * *";
  let arguments = (ins Pd_Matrices:$x, DefaultValuedAttr<BoolAttr, "false">:$upper);
  let results = (outs Pd_Matrices:$out);
  let constraints = squareConstraints;
  let infer = "inferSquare";
  let vjpInCode = 1;
  let legacy = [Legacy<"cholesky", ["X"], ["Out"], ["upper"]>];
  let newIrGradients = ["cholesky_grad(out)"];
}

def Pd_LuOp : Pd_FactorOp<"lu", "x with rows swapped as a product of triangles, in one matrix, and the swaps"> {
  let sharding = "... * * -> ... * *, ... *, ...";
  let description = [{
    L, with a diagonal of ones that is not stored, is below the diagonal of `out`, U the rest. Row i was swapped with row
    pivots[i], counted from 1. infos: 0, or the first pivot that is zero, counted from 1.
  }];
  let constraints = [
    "C1. x has rank 2 or more",
    "C3. pivot is true: the CPU kernels of Paddle know nothing else"
  ];
  let arguments = (ins Pd_Matrices:$x, DefaultValuedAttr<BoolAttr, "true">:$pivot);
  let results = (outs Pd_Matrices:$out, Pd_IntTensor:$pivots, Pd_IntTensor:$infos);
  let infer = "inferLu";
  let vjpInCode = 1;
  let legacy = [Legacy<"lu", ["X"], ["Out", "Pivots", "Infos"], ["pivot=pivots"]>];
  let newIrGradients = ["lu_grad(x, out, pivots)"];
}

def Pd_LuPermutationOp : Pd_Op<"lu_permutation"> {
  let summary = "The permutation P, of ones and zeros, with x = P L U for the pivots of pd.lu";
  let description = "The element of `rows_tensor` wins over `rows`.";
  let constraints = ["C1. pivots has rank 1 or more", "C2. rows is not below the number of pivots of a matrix"];
  let arguments = (ins Pd_IntTensor:$pivots, Optional<Pd_IntTensor>:$rows_tensor, DefaultValuedAttr<I64Attr, "0">:$rows,
    TypeAttr:$dtype);
  let results = (outs Pd_Matrices:$out);
  let infer = "inferLuPermutation";
  let library = "lu_permutation";
}

def Pd_LuUnpackOp : Pd_Op<"lu_unpack"> {
  let summary = "P, L and U of x = P L U, from what pd.lu gives";
  let description = "All three are computed, whatever the flags say.";
  let constraints = ["C1. x has rank 2 or more"];
  let arguments = (ins Pd_Matrices:$x, Pd_IntTensor:$pivots, DefaultValuedAttr<BoolAttr, "true">:$unpack_ludata,
    DefaultValuedAttr<BoolAttr, "true">:$unpack_pivots);
  let results = (outs Pd_Matrices:$pmat, Pd_Matrices:$l, Pd_Matrices:$u);
  let infer = "inferLuUnpack";
  let decomposesInCode = 1;
  let legacy = [Legacy<"lu_unpack", ["X", "Pivots"], ["Pmat", "L", "U"], ["unpack_ludata", "unpack_pivots"]>];
  let newIrGradients = ["lu_unpack_grad(x, pivots, l, u, pmat, dl, du)"];
}

def Pd_QrOp : Pd_FactorOp<"qr", "x = Q R with orthonormal columns in Q and a triangle R"> {
  let sharding = "... * * -> ... * *, ... * *";
  let description = [{
    `mode` is "reduced" (Q is m x min(m, n)), "complete" (Q is m x m) or "r" (no Q: it is empty).
  }];
  let constraints = [
    "C1. x has rank 2 or more"
  ];
  let arguments = (ins Pd_Matrices:$x, Pd_DefaultEnum<Pd_QrModeAttr, "Reduced">:$mode);
  let results = (outs Pd_Matrices:$q, Pd_Matrices:$r);
  let infer = "inferQr";
  let vjpInCode = 1;
  let legacy = [Legacy<"qr", ["X"], ["Q", "R"], ["mode"]>];
  let newIrGradients = ["qr_grad(x, q, r, dq, dr)"];
}

def Pd_SvdOp : Pd_FactorOp<"svd", "x = U diag(S) VH with orthonormal U and V and S falling"> {
  let sharding = "... * * -> ... * *, ... *, ... * *";
  let arguments = (ins Pd_Matrices:$x, DefaultValuedAttr<BoolAttr, "false">:$full_matrices);
  let results = (outs Pd_Matrices:$u, Pd_FloatTensor:$s, Pd_Matrices:$vh);
  let infer = "inferSvd";
  let vjpInCode = 1;
  let legacy = [Legacy<"svd", ["X"], ["U", "S", "VH"], ["full_matrices"]>];
  let newIrGradients = ["svd_grad(x, u, vh, s, du, dvh, ds)"];
}

def Pd_SvdvalsOp : Pd_Op<"svdvals"> {
  let summary = "The singular values of matrices, falling";
  let constraints = ["C1. x has rank 2 or more"];
  let arguments = (ins Pd_Matrices:$x);
  let results = (outs Pd_FloatTensor:$s);
  let infer = "inferSvdvals";
  let decomposesInCode = 1;
  let legacy = [LegacyReadOnly<"svdvals", ["x"], ["s"]>];
}

def Pd_EighOp : Pd_FactorOp<"eigh", "Eigenvalues, rising, and eigenvectors of symmetric or Hermitian matrices"> {
  let sharding = "... * * -> ... *, ... * *";
  let description = [{
    Only the triangle UPLO ("L" or "U") of x is read. The vectors are columns.
  }];
  let constraints = [
    "C1. x has rank 2 or more",
    "C2. x's matrices are square"
  ];
  let arguments = (ins Pd_Matrices:$x, Pd_DefaultEnum<Pd_TriangleAttr, "Lower">:$UPLO);
  let results = (outs Pd_FloatTensor:$w, Pd_Matrices:$v);
  let infer = "inferEigh";
  let vjpInCode = 1;
  let newIr = [NewIr<["x"], [], ["UPLO=uplo"], ["is_test"], "eigvalsh">];
  let legacy = [Legacy<"eigh", ["X"], ["Eigenvalues", "Eigenvectors"], ["UPLO"]>,
                Legacy<"eigvalsh", ["X"], ["Eigenvalues", "Eigenvectors"], ["UPLO"], ["is_test"]>];
  let newIrGradients = ["eigh_grad(w, v, dw, dv)", "eigvalsh_grad(v)"];
}

def Pd_EigOp : Pd_FactorOp<"eig", "Eigenvalues and eigenvectors (columns of norm 1) of any square matrices"> {
  let sharding = "... * * -> ... *, ... * *";
  let arguments = (ins Pd_Matrices:$x);
  let results = (outs RankedTensorOf<[Pd_Complex]>:$w, RankedTensorOf<[Pd_Complex]>:$v);
  let constraints = squareConstraints;
  let infer = "inferEig";
  let vjpInCode = 1;
  let legacy = [Legacy<"eig", ["X"], ["Eigenvalues", "Eigenvectors"]>];
  let newIrGradients = ["eig_grad(w, v, dw, dv)"];
}

def Pd_EigvalsOp : Pd_FactorOp<"eigvals", "Eigenvalues of any square matrices"> {
  let sharding = "... * * -> ... *";
  let arguments = (ins Pd_Matrices:$x);
  let results = (outs RankedTensorOf<[Pd_Complex]>:$w);
  let constraints = squareConstraints;
  let infer = "inferEigvals";
  let decomposesInCode = 1;
  let legacy = [Legacy<"eigvals", ["X"], ["Out"]>];
}

#endif
