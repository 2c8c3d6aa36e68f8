// Frames of signals, and overlap-add.
#ifndef PROA_DIALECTS_PD_SIGNAL_FRAME
#define PROA_DIALECTS_PD_SIGNAL_FRAME

include "dialects/pd/ir/Base.td"

def Pd_FrameOp : Pd_Op<"frame"> {
  let summary = "Frames of frame_length elements of a signal along the first or last dimension, one every hop_length "
    "elements";
  let description = [{
    axis -1: [..., length] becomes [..., frame_length, frames]. axis 0: [length, ...] becomes [frames, frame_length,
    ...].
  }];
  let constraints = [
    "C1. axis is 0 or -1 and x has rank 1 or more",
    "C2. frame_length is above 0 and at most the length of the signal, hop_length is above 0"
  ];
  let arguments = (ins Pd_Tensor:$x, I64Attr:$frame_length, I64Attr:$hop_length, DefaultValuedAttr<I64Attr,
    "-1">:$axis);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"frame", ["X"], ["Out"], ["frame_length", "hop_length", "axis"]>];
}

def Pd_OverlapAddOp : Pd_Op<"overlap_add"> {
  let summary = "Overlap-add: a signal from its frames, which are added at every hop_length-th element";
  let description = [{
    axis -1: [..., frame_length, frames] becomes [..., length]. axis 0: [frames, frame_length, ...] becomes [length,
    ...].
  }];
  let constraints = [
    "C1. axis is 0 or -1 and x has rank 2 or more",
    "C2. hop_length is above 0"
  ];
  let arguments = (ins Pd_NumberTensor:$x, I64Attr:$hop_length, DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Pd_NumberTensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"overlap_add", ["X"], ["Out"], ["hop_length", "axis"]>];
}

def Pd_StftOp : Pd_Op<"stft"> {
  let summary = "Short-time Fourier transform of a signal [batch, length]: [batch, frequencies, frames]";
  let constraints = [
    "C1. x has rank 2 and window has n_fft elements",
    "C2. n_fft is above 0 and at most the length of the signal, hop_length is above 0"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$window, I64Attr:$n_fft, I64Attr:$hop_length,
    DefaultValuedAttr<BoolAttr, "false">:$normalized, DefaultValuedAttr<BoolAttr, "true">:$onesided);
  let results = (outs RankedTensorOf<[Pd_Complex]>:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"stft", ["X", "Window"], ["Out"], ["n_fft", "hop_length", "normalized", "onesided"]>];
  let newIrGradients = ["stft_grad(x, window) -> x"];
}

#endif
