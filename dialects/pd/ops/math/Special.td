// Special functions, computed in double precision by the formulas of Special.h.
#ifndef PROA_DIALECTS_PD_MATH_SPECIAL
#define PROA_DIALECTS_PD_MATH_SPECIAL

include "dialects/pd/ir/Base.td"

class Pd_SpecialOp<string mnemonic, string text, string body, string derivative,
    list<Legacy> spellings, dag attributes = (ins)>
    : Pd_FoldableOp<mnemonic> {
  let summary = text;
  let arguments = !con((ins Pd_FloatTensor:$x), attributes);
  let results = (outs Pd_FloatTensor:$out);
  let constraints = SameTypeAsX;
  let infer = "inferSameAsFirst";
  let scalar = body;
  let derivatives = [derivative];
  let legacy = spellings;
}

class SpecialByX<string type> : Legacy<type, ["X"], ["Out"]>;
class SpecialBySmallX<string type> : Legacy<type, ["x"], ["out"]>;

def Pd_LgammaOp : Pd_SpecialOp<"lgamma", "Logarithm of the absolute value of the gamma function",
  "special::lgamma(b, x)",
  "e.wrap(e.create<DigammaOp>(x))",   [SpecialByX<"lgamma">, SpecialBySmallX<"gammaln">]> {
  let onnx = [OnnxWritten<"exportLgamma">];
  let newIr = [NewIr<["x"], [], [], [], "gammaln">];
}
def Pd_DigammaOp : Pd_SpecialOp<"digamma", "Derivative of lgamma; NaN at its poles, the integers up to 0",
  "special::digamma(b, x)", "e.wrap(e.create<PolygammaOp>(x, 1))", [SpecialByX<"digamma">]> {
  let onnx = [OnnxWritten<"exportDigamma">];
}
def Pd_ErfinvOp : Pd_SpecialOp<"erfinv", "Inverse of erf; infinite for |x| of 1 or more", "special::erfinv(b, x)",
  "0.88622692545275801365 * e.exp(out * out)",   [SpecialByX<"erfinv">]> {
  let onnx = [OnnxWritten<"exportErfinv">];
  let precision = "full";
  let newIrGradients = ["erfinv_grad(out)"];
}
def Pd_I0Op : Pd_SpecialOp<"i0", "Modified Bessel function of the first kind, of order 0",
  "special::besselI(b, x, 0, false)", "e.wrap(e.create<I1Op>(x))", [SpecialBySmallX<"i0">]> {
  let onnx = [OnnxWritten<"exportI0">];
}
def Pd_I0eOp : Pd_SpecialOp<"i0e", "exp(-|x|) i0(x)", "special::besselI(b, x, 0, true)",
  "e.wrap(e.create<I1eOp>(x)) - e.wrap(e.create<SignOp>(x)) * out", [SpecialBySmallX<"i0e">]> {
  let onnx = [OnnxWritten<"exportI0e">];
  let newIrGradients = ["i0e_grad(x, out)"];
}
def Pd_I1Op : Pd_SpecialOp<"i1", "Modified Bessel function of the first kind, of order 1",
  "special::besselI(b, x, 1, false)", "derivativeOfI1(e, x, out, false)", [SpecialBySmallX<"i1">]> {
  let onnx = [OnnxWritten<"exportI1">];
  let newIrGradients = ["i1_grad(x, out)"];
}
def Pd_I1eOp : Pd_SpecialOp<"i1e", "exp(-|x|) i1(x)", "special::besselI(b, x, 1, true)",
  "derivativeOfI1(e, x, out, true)", [SpecialBySmallX<"i1e">]> {
  let onnx = [OnnxWritten<"exportI1e">];
  let newIrGradients = ["i1e_grad(x, out)"];
}

def Pd_PolygammaOp : Pd_SpecialOp<"polygamma", "The n-th derivative of digamma",
    "special::polygamma(b, x, static_cast<int>(op.getN()))",
    "e.wrap(e.create<PolygammaOp>(x, static_cast<int64_t>(op.getN()) + 1))", [Legacy<"polygamma", ["x"], ["out"],
      ["n"]>], (ins I64Attr:$n)> {
  let onnx = [OnnxWritten<"exportPolygamma">];
  let constraints = [
    "C1. n is in [0, 100] (the factorial of n is a factor)",
    "C2. out has the dimensions and the element type of x"
  ];
  let infer = "inferPolygamma";
}

def Pd_GammainccOp : Pd_Op<"gammaincc"> {
  let onnx = [OnnxWritten<"exportGammaincc">];
  let sharding = "..., ... -> ...";
  let summary = "The regularized upper incomplete gamma function Q(x, y): the integral of t^(x-1) exp(-t) from y to "
    "infinity, divided by gamma(x)";
  let description = "1 if x or y is 0, as in Paddle; NaN if one is negative or NaN. No gradient by x, as in Paddle.";
  let constraints = ["C1. x, y and out have the same type"];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$y);
  let results = (outs Pd_FloatTensor:$out);
  let library = "gammaincc";
  let libraryHalf = 1;
  let vjp = ["", "-dout * e.exp((x - 1.0) * e.log(y) - y - e.wrap(e.create<LgammaOp>(x)))"];
  let newIrGradients = ["gammaincc_grad(x, y) -> y"];
  let batching = "batchAllOperands";
  let referenceInCode = 1;
}

#endif
