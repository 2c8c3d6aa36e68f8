// Complex numbers.
#ifndef PROA_DIALECTS_PD_MATH_COMPLEX
#define PROA_DIALECTS_PD_MATH_COMPLEX

include "dialects/pd/ir/Base.td"

class Pd_ComponentOp<string mnemonic, string text, string body, string gradient> : Pd_FoldableOp<mnemonic> {
  let summary = text;
  let arguments = (ins Pd_NumberTensor:$x);
  let results = (outs Pd_RealTensor:$out);
  let constraints = [
    "C1. out has the dimensions of x, and its element type or the type of the components of a complex number"
  ];
  let infer = "inferRealComponent";
  let scalar = body;
  let vjp = [gradient];
  let legacy = [Legacy<mnemonic, ["X"], ["Out"]>];
}

def Pd_RealOp : Pd_ComponentOp<"real", "The real component", "b.real(x)", "dout"> {
  let onnx = [OnnxWritten<"exportSameNumber", "isReal(op.getX())">, OnnxWritten<"exportComponent">];
  let newIrGradients = ["real_grad(dout)"];
}
def Pd_ImagOp : Pd_ComponentOp<"imag", "The imaginary component; 0 for a real number", "b.imag(x)",
  "gradientOfImag(e, x, dout)"> {
  let onnx = [OnnxWritten<"exportNoImaginaryComponent", "isReal(op.getX())">, OnnxWritten<"exportComponent">];
  let newIrGradients = ["imag_grad(dout)"];
}
def Pd_AngleOp : Pd_ComponentOp<"angle", "The argument of a complex number; of a real one pi where x < 0, else 0",
  "b.angle(x)",
  "gradientOfAngle(e, x, dout)"> {
  let onnx = [OnnxWritten<"exportAngle", "isReal(op.getX())">];
}

def Pd_ConjOp : Pd_FoldableOp<"conj"> {
  let onnx = [OnnxWritten<"exportSameNumber", "isReal(op.getX())">];
  let summary = "The complex conjugate; a real number is unchanged";
  let arguments = (ins Pd_NumberTensor:$x);
  let results = (outs Pd_NumberTensor:$out);
  let constraints = SameTypeAsX;
  let infer = "inferSameAsFirst";
  let scalar = "b.conj(x)";
  let vjp = ["e.conj(dout)"];
  let legacy = [Legacy<"conj", ["X"], ["Out"]>];
  let newIrGradients = ["conj_grad(dout)"];
}

def Pd_ComplexOp : Pd_FoldableOp<"complex"> {
  let onnx = [OnnxWritten<"exportComplex">];
  let summary = "re + im i";
  let constraints = [
    "C1. both components are f32 or both are f64",
    "C2. the dimensions of both components broadcast to the dimensions of out"
  ];
  let arguments = (ins Pd_FloatTensor:$re, Pd_FloatTensor:$im);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferComplex";
  let scalar = "b.complex(re, im)";
  let vjp = ["e.wrap(e.create<RealOp>(dout))", "e.wrap(e.create<ImagOp>(dout))"];
  let legacy = [Legacy<"complex", ["X", "Y"], ["Out"]>];
}

def Pd_AsComplexOp : Pd_Op<"as_complex"> {
  let summary = "Complex numbers from pairs along the last dimension";
  let constraints = [
    "C1. the components are f32 or f64",
    "C2. the last dimension has size 2"
  ];
  let arguments = (ins Pd_FloatTensor:$x);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferAsComplex";
  let decomposesInCode = 1;
  let legacy = [Legacy<"as_complex", ["X"], ["Out"]>];
  let newIrGradients = ["as_complex_grad(dout)"];
}

def Pd_AsRealOp : Pd_Op<"as_real"> {
  let summary = "Complex numbers as pairs along a new last dimension";
  let arguments = (ins RankedTensorOf<[Pd_Complex]>:$x);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferAsReal";
  let decomposesInCode = 1;
  let legacy = [Legacy<"as_real", ["X"], ["Out"]>];
  let newIrGradients = ["as_real_grad(dout)"];
}

#endif
