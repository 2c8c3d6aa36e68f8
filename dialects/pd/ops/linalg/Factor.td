// Matrix factorizations. Matrices are the last two dimensions; the leading dimensions are a batch.
#ifndef PROA_DIALECTS_PD_LINALG_FACTOR
#define PROA_DIALECTS_PD_LINALG_FACTOR

include "dialects/pd/ir/Base.td"

def Pd_MatrixElement : AnyTypeOf<[F32, F64, Complex<F32>, Complex<F64>], "element of a matrix">;
def Pd_Matrices : RankedTensorOf<[Pd_MatrixElement], [], "ranked tensor of f32, f64 or complex numbers">;

defvar squareConstraints = ["C1. x has rank 2 or more", "C2. the matrices of x are square"];

class Pd_FactorOp<string mnemonic, string text> : Pd_Op<mnemonic> {
  let summary = text;
  let constraints = ["C1. x has rank 2 or more"];
  let library = mnemonic;
  let cudaLibrary = "cusolver";
}

def Pd_CholeskyOp : Pd_FactorOp<"cholesky", "Cholesky factor: the triangle L of x = L L^H, or U of x = U^H U"> {
  let onnx = [OnnxWritten<"exportCholesky">];
  let sharding = "... * * -> ... * *";
  let arguments = (ins Pd_Matrices:$x, DefaultValuedAttr<BoolAttr, "false">:$upper);
  let results = (outs Pd_Matrices:$out);
  let constraints = squareConstraints;
  let infer = "inferSquare";
  let vjpInCode = 1;
  let legacy = [Legacy<"cholesky", ["X"], ["Out"], ["upper"]>];
  let newIrGradients = ["cholesky_grad(out)"];
  let batching = "batchFirstOperand";
  let referenceInCode = 1;
}

def Pd_LuOp : Pd_FactorOp<"lu", "LU factorization with row pivots, in one matrix"> {
  let onnx = [OnnxWritten<"exportLu">];
  let sharding = "... * * -> ... * *, ... *, ...";
  let description = [{
    L, with an implied unit diagonal, is below the diagonal of `out`; U is the rest. Row i was swapped with row
    pivots[i], counted from 1. infos: 0, or the first zero pivot, counted from 1.
  }];
  let constraints = [
    "C1. x has rank 2 or more",
    "C3. pivot is true, as in Paddle's CPU kernels"
  ];
  let arguments = (ins Pd_Matrices:$x, DefaultValuedAttr<BoolAttr, "true">:$pivot);
  let results = (outs Pd_Matrices:$out, Pd_IntTensor:$pivots, Pd_IntTensor:$infos);
  let infer = "inferLu";
  let vjpInCode = 1;
  let legacy = [Legacy<"lu", ["X"], ["Out", "Pivots", "Infos"], ["pivot=pivots"]>];
  let newIrGradients = ["lu_grad(x, out, pivots)"];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_LuPermutationOp : Pd_Op<"lu_permutation"> {
  let onnx = [OnnxWritten<"exportLuPermutation">];
  let sharding = "... *, * -> ... * *";
  let summary = "The permutation matrix P with x = P L U, from the pivots of pd.lu";
  let description = "The element of `rows_tensor` overrides `rows`.";
  let constraints = ["C1. pivots has rank 1 or more", "C2. rows is at least the number of pivots of a matrix"];
  let arguments = (ins Pd_IntTensor:$pivots, Optional<Pd_IntTensor>:$rows_tensor, DefaultValuedAttr<I64Attr, "0">:$rows,
    TypeAttr:$dtype);
  let results = (outs Pd_Matrices:$out);
  let infer = "inferLuPermutation";
  let library = "lu_permutation";
  let batching = "batchFirstOperand";
  let referenceInCode = 1;
}

def Pd_LuUnpackOp : Pd_Op<"lu_unpack"> {
  let summary = "P, L and U of x = P L U, from the results of pd.lu";
  let description = "All three are computed, independent of the flags.";
  let constraints = ["C1. x has rank 2 or more"];
  let arguments = (ins Pd_Matrices:$x, Pd_IntTensor:$pivots, DefaultValuedAttr<BoolAttr, "true">:$unpack_ludata,
    DefaultValuedAttr<BoolAttr, "true">:$unpack_pivots);
  let results = (outs Pd_Matrices:$pmat, Pd_Matrices:$l, Pd_Matrices:$u);
  let infer = "inferLuUnpack";
  let decomposesInCode = 1;
  let legacy = [Legacy<"lu_unpack", ["X", "Pivots"], ["Pmat", "L", "U"], ["unpack_ludata", "unpack_pivots"]>];
  let newIrGradients = ["lu_unpack_grad(x, pivots, l, u, pmat, dl, du)"];
}

def Pd_QrOp : Pd_FactorOp<"qr", "QR factorization: x = Q R with orthonormal columns in Q and triangular R"> {
  let onnx = [OnnxWritten<"exportQr", "isReal(op.getX())">];
  let sharding = "... * * -> ... * *, ... * *";
  let description = [{
    `mode` is "reduced" (Q is m x min(m, n)), "complete" (Q is m x m) or "r" (Q is empty).
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
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_SvdOp : Pd_FactorOp<"svd",
  "Singular value decomposition: x = U diag(S) VH with orthonormal U and V and descending S"> {
  let onnx = [OnnxWritten<"exportSvd", "isReal(op.getX())">];
  let sharding = "... * * -> ... * *, ... *, ... * *";
  let arguments = (ins Pd_Matrices:$x, DefaultValuedAttr<BoolAttr, "false">:$full_matrices);
  let results = (outs Pd_Matrices:$u, Pd_FloatTensor:$s, Pd_Matrices:$vh);
  let infer = "inferSvd";
  let vjpInCode = 1;
  let legacy = [Legacy<"svd", ["X"], ["U", "S", "VH"], ["full_matrices"]>];
  let newIrGradients = ["svd_grad(x, u, vh, s, du, dvh, ds)"];
  let batching = "batchFirstOperand";
  let referenceInCode = 1;
}

def Pd_SvdvalsOp : Pd_Op<"svdvals"> {
  let summary = "The singular values of matrices, in descending order";
  let constraints = ["C1. x has rank 2 or more"];
  let arguments = (ins Pd_Matrices:$x);
  let results = (outs Pd_FloatTensor:$s);
  let infer = "inferSvdvals";
  let decomposesInCode = 1;
  let legacy = [LegacyReadOnly<"svdvals", ["x"], ["s"]>];
}

def Pd_EighOp : Pd_FactorOp<"eigh",
  "Eigenvalues, in ascending order, and eigenvectors of symmetric or Hermitian matrices"> {
  let onnx = [OnnxWritten<"exportEigh", "isReal(op.getX())">];
  let sharding = "... * * -> ... *, ... * *";
  let description = [{
    Only the triangle UPLO ("L" or "U") of x is read. The eigenvectors are columns.
  }];
  let constraints = [
    "C1. x has rank 2 or more",
    "C2. x's matrices are square"
  ];
  let arguments = (ins Pd_Matrices:$x, Pd_DefaultEnum<Pd_TriangleAttr, "Lower">:$UPLO);
  let results = (outs Pd_FloatTensor:$w, Pd_Matrices:$v);
  let infer = "inferEigh";
  let vjpInCode = 1;
  let newIr = [NewIr<["x"], [], ["UPLO=uplo"], ["is_test=any"], "eigvalsh">];
  let legacy = [Legacy<"eigh", ["X"], ["Eigenvalues", "Eigenvectors"], ["UPLO"]>,
                Legacy<"eigvalsh", ["X"], ["Eigenvalues", "Eigenvectors"], ["UPLO"]>];
  let newIrGradients = ["eigh_grad(w, v, dw, dv)", "eigvalsh_grad(v)"];
  let batching = "batchFirstOperand";
  let referenceInCode = 1;
}

def Pd_EigOp : Pd_FactorOp<"eig", "Eigenvalues and eigenvectors (columns of norm 1) of square matrices"> {
  let cudaLibrary = "";
  let sharding = "... * * -> ... *, ... * *";
  let arguments = (ins Pd_Matrices:$x);
  let results = (outs RankedTensorOf<[Pd_Complex]>:$w, RankedTensorOf<[Pd_Complex]>:$v);
  let constraints = squareConstraints;
  let infer = "inferEig";
  let vjpInCode = 1;
  let legacy = [Legacy<"eig", ["X"], ["Eigenvalues", "Eigenvectors"]>];
  let newIrGradients = ["eig_grad(w, v, dw, dv)"];
  let batching = "batchFirstOperand";
}

def Pd_EigvalsOp : Pd_FactorOp<"eigvals", "Eigenvalues of square matrices"> {
  let cudaLibrary = "";
  let sharding = "... * * -> ... *";
  let arguments = (ins Pd_Matrices:$x);
  let results = (outs RankedTensorOf<[Pd_Complex]>:$w);
  let constraints = squareConstraints;
  let infer = "inferEigvals";
  let decomposesInCode = 1;
  let legacy = [Legacy<"eigvals", ["X"], ["Out"]>];
  let batching = "batchFirstOperand";
}

#endif
