// Discrete Fourier transforms.
#ifndef PROA_DIALECTS_PD_SIGNAL_FFT
#define PROA_DIALECTS_PD_SIGNAL_FFT

include "dialects/pd/ir/Base.td"

def Pd_Spectrum : RankedTensorOf<[Pd_Complex], [], "complex tensor">;
def Pd_Signal : RankedTensorOf<[F32, F64], [], "tensor of f32 or f64">;

defvar transformDescription = [{
  The transform along an axis of extent n is `out[k] = factor * sum over j of x[j] exp(-2 pi i j k / n)`; with `forward` false
  the exponent is positive. `normalization` says which direction has the factor 1/n: "backward" the one that is not
  forward, "forward" the other one; "ortho": both have 1/sqrt(n).
}];

class Pd_TransformOp<string mnemonic, string text> : Pd_Op<mnemonic> {
  let summary = text;
  let description = transformDescription;
  let constraints = [
    "C1. at least one axis, each in [-rank, rank) and none twice"
  ];
  let vjpInCode = 1;
  let library = mnemonic;
}

def Pd_FftC2cOp : Pd_TransformOp<"fft_c2c", "Discrete Fourier transform of complex numbers along some axes"> {
  let arguments = (ins Pd_Spectrum:$x, DenseI64ArrayAttr:$axes,
    Pd_DefaultEnum<Pd_FftNormalizationAttr, "Backward">:$normalization,
    DefaultValuedAttr<BoolAttr, "true">:$forward);
  let results = (outs Pd_Spectrum:$out);
  let legacy = [Legacy<"fft_c2c", ["X"], ["Out"], ["axes:long", "normalization", "forward"]>];
  let newIrGradients = ["fft_c2c_grad(dout)"];
}

def Pd_FftR2cOp : Pd_TransformOp<"fft_r2c", "Discrete Fourier transform of real numbers along some axes"> {
  let description = transformDescription # [{
    With `onesided` only the first n / 2 + 1 elements along the last of the axes: the others are conjugates of these.
  }];
  let arguments = (ins Pd_Signal:$x, DenseI64ArrayAttr:$axes,
    Pd_DefaultEnum<Pd_FftNormalizationAttr, "Backward">:$normalization,
    DefaultValuedAttr<BoolAttr, "true">:$forward, DefaultValuedAttr<BoolAttr, "true">:$onesided);
  let results = (outs Pd_Spectrum:$out);
  let legacy = [Legacy<"fft_r2c", ["X"], ["Out"], ["axes:long", "normalization", "forward", "onesided"]>];
}

def Pd_FftC2rOp : Pd_TransformOp<"fft_c2r", "Discrete Fourier transform with a real result: the inverse of a one-sided fft_r2c"> {
  let description = transformDescription # [{
    Along the last of the axes x holds the first n / 2 + 1 elements of a spectrum whose others are their conjugates.
    `last_dim_size` is n; 0 stands for 2 * (extent - 1).
  }];
  let arguments = (ins Pd_Spectrum:$x, DenseI64ArrayAttr:$axes,
    Pd_DefaultEnum<Pd_FftNormalizationAttr, "Backward">:$normalization,
    DefaultValuedAttr<BoolAttr, "true">:$forward, DefaultValuedAttr<I64Attr, "0">:$last_dim_size);
  let results = (outs Pd_Signal:$out);
  let legacy = [Legacy<"fft_c2r", ["X"], ["Out"], ["axes:long", "normalization", "forward", "last_dim_size:long"]>];
  let newIrGradients = ["fft_c2r_grad(dout)"];
}

#endif
