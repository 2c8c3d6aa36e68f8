// Linear systems, inverses and determinants. Matrices are the last two dimensions.
#ifndef PROA_DIALECTS_PD_LINALG_SOLVE
#define PROA_DIALECTS_PD_LINALG_SOLVE

include "dialects/pd/ir/Base.td"
include "dialects/pd/autodiff/Broadcasting.td"

def Pd_SystemElement : AnyTypeOf<[F32, F64, Complex<F32>, Complex<F64>], "element of a matrix">;
def Pd_SystemMatrices : RankedTensorOf<[Pd_SystemElement], [], "ranked tensor of f32, f64 or complex numbers">;

defvar systemDescription = "The batch dimensions of both operands broadcast. A singular matrix is an error of the run.";
defvar systemConstraints = [
  "C1. the operands are matrices",
  "C2. the matrices of the system are square",
  "C3. the other operand has as many rows",
  "C4. the batches broadcast",
  "C5. both operands have the same element type"
];

def Pd_SolveOp : Pd_Op<"solve", [Pd_BroadcastsOperands]> {
  let onnx = [OnnxWritten<"exportSolve">];
  let sharding = "... * *, ... * k -> ... * k";
  let summary = "The solution of x * out = y; a y of rank 1, or with the dimensions of x except the last, contains "
    "vectors";
  let description = systemDescription;
  let constraints = systemConstraints;
  let arguments = (ins Pd_SystemMatrices:$x, Pd_SystemMatrices:$y);
  let results = (outs Pd_SystemMatrices:$out);
  let infer = "inferSolve";
  let vjpInCode = 1;
  let library = "solve";
  let cudaLibrary = "cusolver";
  let legacy = [Legacy<"solve", ["X", "Y"], ["Out"]>];
  let newIrGradients = ["solve_grad(x, y, out)"];
  let batching = "batchSystem";
  let referenceInCode = 1;
}

def Pd_CholeskySolveOp : Pd_Op<"cholesky_solve", [Pd_BroadcastsOperands]> {
  let onnx = [OnnxWritten<"exportCholeskySolve">];
  let sharding = "... * k, ... * * -> ... * k";
  let summary = "The solution of A * out = x for A = y y^H, or y^H y with `upper`";
  let description = systemDescription;
  let constraints = systemConstraints;
  let arguments = (ins Pd_SystemMatrices:$x, Pd_SystemMatrices:$y, DefaultValuedAttr<BoolAttr, "false">:$upper);
  let results = (outs Pd_SystemMatrices:$out);
  let infer = "inferCholeskySolve";
  let vjpInCode = 1;
  let library = "cholesky_solve";
  let cudaLibrary = "cusolver";
  let legacy = [Legacy<"cholesky_solve", ["X", "Y"], ["Out"], ["upper"]>];
  let newIrGradients = ["cholesky_solve_grad(x, y, out)"];
  let batching = "batchSystem";
  let referenceInCode = 1;
}

def Pd_TriangularSolveOp : Pd_Op<"triangular_solve", [Pd_BroadcastsOperands]> {
  let onnx = [OnnxWritten<"exportTriangularSolve">];
  let sharding = "... * *, ... * k -> ... * k";
  let summary = "The solution of x * out = y, or x^T * out = y, for triangular x, of which one triangle is read";
  let description = systemDescription # " With `unitriangular` the diagonal of x is taken to be 1.";
  let constraints = systemConstraints;
  let arguments = (ins Pd_SystemMatrices:$x, Pd_SystemMatrices:$y, DefaultValuedAttr<BoolAttr, "true">:$upper,
    DefaultValuedAttr<BoolAttr, "false">:$transpose, DefaultValuedAttr<BoolAttr, "false">:$unitriangular);
  let results = (outs Pd_SystemMatrices:$out);
  let infer = "inferTriangularSolve";
  let vjpInCode = 1;
  let library = "triangular_solve";
  let cudaLibrary = "cusolver";
  let legacy = [Legacy<"triangular_solve", ["X", "Y"], ["Out"], ["upper", "transpose", "unitriangular"]>];
  let newIrGradients = ["triangular_solve_grad(x, y, out)"];
  let batching = "batchSystem";
  let referenceInCode = 1;
}

def Pd_LuSolveOp : Pd_Op<"lu_solve"> {
  let summary = "The solution of A * out = b for A = P L U from pd.lu; `trans` T: of A^T, C: of A^H";
  let description = [{
    A singular matrix is an error of the run.
  }];
  let constraints = [
    "C1. the operands are matrices",
    "C2. the matrices of the system are square",
    "C3. b has as many rows",
    "C4. the batches broadcast",
    "C5. b and lu have the same element type"
  ];
  let arguments = (ins Pd_SystemMatrices:$b, Pd_SystemMatrices:$lu, Pd_IntTensor:$pivots,
    Pd_DefaultEnum<Pd_TranspositionAttr, "None">:$trans);
  let results = (outs Pd_SystemMatrices:$out);
  let decomposesInCode = 1;
  let newIrGradients = ["lu_solve_grad(b, lu, pivots, out)"];
}

class Pd_SquareMatrixOp<string mnemonic, string text> : Pd_Op<mnemonic> {
  let summary = text;
  let constraints = [
    "C1. x has rank 2 or more",
    "C2. x's matrices are square"
  ];
  let results = (outs Pd_SystemMatrices:$out);
}

def Pd_InverseOp : Pd_SquareMatrixOp<"inverse", "The inverse of a matrix; a singular matrix is an error of the run"> {
  let onnx = [OnnxWritten<"exportInverse">];
  let sharding = "... * * -> ... * *";
  let arguments = (ins Pd_SystemMatrices:$x);
  let infer = "inferSquare";
  let vjp = ["-(e.matmul(e.matmul(adjoint(out), dout), adjoint(out)))"];
  let library = "inverse";
  let cudaLibrary = "cusolver";
  let legacy = [Legacy<"inverse", ["Input"], ["Output"]>];
  let newIrGradients = ["inverse_grad(out)"];
  let batching = "batchFirstOperand";
  let referenceInCode = 1;
}

def Pd_DetOp : Pd_SquareMatrixOp<"det", "The determinant"> {
  let sharding = "... * * -> ...";
  let arguments = (ins Pd_SystemMatrices:$x);
  let infer = "inferDet";
  let vjp = ["asMatrixFactor(dout) * adjoint(e.wrap(e.create<AdjugateOp>(x)))"];
  let library = "det";
  let onnx = [OnnxReadOnly<"Det", ["X"], ["Y"]>, OnnxWritten<"exportDet">];
  let legacy = [Legacy<"determinant", ["Input"], ["Out"]>];
  let newIrGradients = ["det_grad(x, out)"];
  let batching = "batchFirstOperand";
  let referenceInCode = 1;
}

def Pd_AdjugateOp : Pd_SquareMatrixOp<"adjugate",
    "The adjugate: det(x) times the inverse, also defined for singular x"> {
  let description = [{
    The derivative of det. Up to 8 rows the cofactors are determinants of minors; above, they follow from the singular
    value decomposition. Derivatives of the adjugate use the minors up to 16 rows; above, det(x) times the inverse, so
    that a singular matrix is an error of the run there.
  }];
  let arguments = (ins Pd_SystemMatrices:$x);
  let infer = "inferSquare";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let batching = "batchFirstOperand";
}

def Pd_SlogdetOp : Pd_SquareMatrixOp<"slogdet",
  "The signs of the determinants, then the logarithms of their absolute values"> {
  let onnx = [OnnxWritten<"exportSlogdet">];
  let sharding = "... * * -> * ...";
  let arguments = (ins Pd_SystemMatrices:$x);
  let infer = "inferSlogdet";
  let vjpInCode = 1;
  let library = "slogdet";
  let legacy = [Legacy<"slogdeterminant", ["Input"], ["Out"]>];
  let newIrGradients = ["slogdet_grad(x, out)"];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_MatrixPowerOp : Pd_SquareMatrixOp<"matrix_power", "The n-th power; of the inverse where n < 0"> {
  let arguments = (ins Pd_SystemMatrices:$x, I64Attr:$n);
  let infer = "inferSquare";
  let decomposesInCode = 1;
  let legacy = [Legacy<"matrix_power", ["X"], ["Out"], ["n"]>];
  let newIrGradients = ["matrix_power_grad(x, out)"];
}

def Pd_MatrixRankOp : Pd_Op<"matrix_rank"> {
  let summary = "Rank of matrices: the number of singular values (with `hermitian`, of absolute eigenvalues) above a "
    "threshold";
  let description = [{
    The threshold is tol_tensor, which broadcasts with the batch; or, with `use_default_tol`, the largest value times
    the machine epsilon times the larger dim size; or `tol`.
  }];
  let constraints = [
    "C1. x has rank 2 or more",
    "C2. with `hermitian`, x's matrices are square",
    "C3. tol_tensor broadcasts with the batch of x"
  ];
  let arguments = (ins Pd_SystemMatrices:$x, Optional<Pd_FloatTensor>:$tol_tensor, DefaultValuedAttr<F64Attr,
    "0.0">:$tol, DefaultValuedAttr<BoolAttr, "false">:$hermitian, DefaultValuedAttr<BoolAttr, "true">:$use_default_tol);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferMatrixRank";
  let decomposesInCode = 1;
  let legacy = [Legacy<"matrix_rank", ["X", "TolTensor"], ["Out"], ["tol", "hermitian", "use_default_tol"]>];
}

def Pd_LstsqOp : Pd_Op<"lstsq"> {
  let onnx = [OnnxWritten<"exportLstsq", "isReal(op.getX())">];
  let sharding = "inCode";
  let summary = "Least squares: the out with the smallest |x * out - y|, and the smallest such out";
  let description = [{
    `driver` is the LAPACK routine: gels (x has full rank), gelsy, gelsd or gelss. Singular values below rcond times
    the largest are taken to be 0. Results that a driver does not compute are empty, and so are residuals of systems
    with no more equations than unknowns.
  }];
  let constraints = [
    "C1. both operands are matrices",
    "C3. they have the same batch dims and number of rows",
    "C5. both operands have the same element type"
  ];
  let arguments = (ins Pd_SystemMatrices:$x, Pd_SystemMatrices:$y, DefaultValuedAttr<F64Attr, "0.0">:$rcond,
    Pd_DefaultEnum<Pd_LstsqDriverAttr, "Gelsy">:$driver);
  let newIr = [NewIr<["x", "y", "#rcond"]>];
  let results = (outs Pd_SystemMatrices:$solution, Pd_SystemMatrices:$residuals, Pd_IntTensor:$rank,
    Pd_FloatTensor:$singular_values);
  let infer = "inferLstsq";
  let library = "lstsq";
  let legacy = [Legacy<"lstsq", ["X", "Y"], ["Solution", "Residuals", "Rank", "SingularValues"], ["rcond", "driver"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "unbatched";
}

#endif
