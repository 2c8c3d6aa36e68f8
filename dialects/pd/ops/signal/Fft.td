// Discrete Fourier transforms.
#ifndef PROA_DIALECTS_PD_SIGNAL_FFT
#define PROA_DIALECTS_PD_SIGNAL_FFT

include "dialects/pd/ir/Base.td"

def Pd_Spectrum : RankedTensorOf<[Pd_Complex], [], "ranked complex tensor">;
def Pd_Signal : RankedTensorOf<[F32, F64], [], "ranked tensor of f32 or f64">;

defvar transformDescription = [{
  The transform along an axis of size n is `out[k] = factor * sum over j of x[j] exp(-2 pi i j k / n)`; with `forward`
  false the exponent is positive. `normalization` is the direction with the factor 1/n: "backward" or "forward";
  "ortho": both directions have the factor 1/sqrt(n).
}];

class Pd_TransformOp<string mnemonic, string text> : Pd_Op<mnemonic> {
  let summary = text;
  let description = transformDescription;
  let constraints = [
    "C1. at least one axis, each in [-rank, rank), without repetitions"
  ];
  let vjpInCode = 1;
  let library = mnemonic;
  let cudaLibrary = "cufft";
}

def Pd_FftC2cOp : Pd_TransformOp<"fft_c2c", "Discrete Fourier transform of complex numbers along axes"> {
  let onnx = [OnnxWritten<"exportFftC2c", "opset >= 17">];
  let arguments = (ins Pd_Spectrum:$x, DenseI64ArrayAttr:$axes,
    Pd_DefaultEnum<Pd_FftNormalizationAttr, "Backward">:$normalization,
    DefaultValuedAttr<BoolAttr, "true">:$forward);
  let results = (outs Pd_Spectrum:$out);
  let legacy = [Legacy<"fft_c2c", ["X"], ["Out"], ["axes:long", "normalization", "forward"]>];
  let newIrGradients = ["fft_c2c_grad(dout)"];
  let batching = "batchTransform";
  let sharding = "inCode";
  let referenceInCode = 1;
}

def Pd_FftR2cOp : Pd_TransformOp<"fft_r2c", "Discrete Fourier transform of real numbers along axes"> {
  let onnx = [OnnxWritten<"exportFftR2c", "opset >= 17">];
  let description = transformDescription # [{
    With `onesided` the result has only the first n / 2 + 1 elements along the last axis: the others are their
    conjugates.
  }];
  let arguments = (ins Pd_Signal:$x, DenseI64ArrayAttr:$axes,
    Pd_DefaultEnum<Pd_FftNormalizationAttr, "Backward">:$normalization,
    DefaultValuedAttr<BoolAttr, "true">:$forward, DefaultValuedAttr<BoolAttr, "true">:$onesided);
  let results = (outs Pd_Spectrum:$out);
  let legacy = [Legacy<"fft_r2c", ["X"], ["Out"], ["axes:long", "normalization", "forward", "onesided"]>];
  let batching = "batchTransform";
  let sharding = "inCode";
  let referenceInCode = 1;
}

def Pd_FftC2rOp : Pd_TransformOp<"fft_c2r",
  "Discrete Fourier transform with a real result: the inverse of a one-sided fft_r2c"> {
  let onnx = [OnnxWritten<"exportFftC2r", "opset >= 17">];
  let description = transformDescription # [{
    Along the last axis x has the first n / 2 + 1 elements of a spectrum; the others are their conjugates.
    `last_dim_size` is n; 0 means 2 * (dim - 1).
  }];
  let arguments = (ins Pd_Spectrum:$x, DenseI64ArrayAttr:$axes,
    Pd_DefaultEnum<Pd_FftNormalizationAttr, "Backward">:$normalization,
    DefaultValuedAttr<BoolAttr, "true">:$forward, DefaultValuedAttr<I64Attr, "0">:$last_dim_size);
  let results = (outs Pd_Signal:$out);
  let legacy = [Legacy<"fft_c2r", ["X"], ["Out"], ["axes:long", "normalization", "forward", "last_dim_size:long"]>];
  let newIrGradients = ["fft_c2r_grad(dout)"];
  let batching = "batchTransform";
  let sharding = "inCode";
  let referenceInCode = 1;
}

def : OnnxFormula<"DFT", "importDft">;
def : OnnxFormula<"STFT", "importStft">;
def : OnnxFormula<"MelWeightMatrix", "importMelWeightMatrix">;

#endif
