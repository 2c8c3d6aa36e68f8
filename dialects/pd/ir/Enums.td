// The enum attributes of pd: one for each closed vocabulary of keywords, shared by the ops that use it.
#ifndef PROA_DIALECTS_PD_ENUMS
#define PROA_DIALECTS_PD_ENUMS

include "mlir/IR/EnumAttr.td"
include "dialects/pd/ir/Dialect.td"

// The values of a vocabulary. The keywords are Paddle's: legacy programs and the runtime's kernels use them as strings.
class Pd_Enum<string name, string summary, list<I32EnumCase> cases> : I32Enum<name, summary, cases> {
  let cppNamespace = "::proa::pd";
}

// Printed as `#pd<data_format NHWC>`, and by an op's assembly format as the bare keyword: `data_format = NHWC`.
class Pd_EnumAttr<Pd_Enum values, string mnemonic> : EnumAttr<Pd_Dialect, values, mnemonic> {
  let summary = values.summary # " (a keyword before the attribute dictionary: "
    # !interleave(!foreach(case, values.enumerants, case.str), ", ") # ")";
}

// An attribute that has the value of the enumerator `symbol` where it is not given.
class Pd_DefaultEnum<Pd_EnumAttr attribute, string symbol>
    : DefaultValuedAttr<attribute, "::proa::pd::" # attribute.enum.className # "::" # symbol>;

//===-- Images and windows ----------------------------------------------------------------------------------------===//

// The order of the dimensions of an image: N batch, C channels, then D, H, W or L spatial dimensions.
def Pd_DataFormat : Pd_Enum<"DataFormat", "order of an image's dimensions", [
  I32EnumCase<"NCHW", 0>, I32EnumCase<"NHWC", 1>, I32EnumCase<"NCDHW", 2>, I32EnumCase<"NDHWC", 3>,
  I32EnumCase<"NCL", 4>, I32EnumCase<"NLC", 5>, I32EnumCase<"NCW", 6>, I32EnumCase<"NWC", 7>,
  I32EnumCase<"AnyLayout", 8>
]>;
def Pd_DataFormatAttr : Pd_EnumAttr<Pd_DataFormat, "data_format">;

def Pd_PaddingAlgorithm : Pd_Enum<"PaddingAlgorithm", "rule for the paddings of a window", [
  I32EnumCase<"Explicit", 0, "EXPLICIT">, I32EnumCase<"Same", 1, "SAME">, I32EnumCase<"Valid", 2, "VALID">
]>;
def Pd_PaddingAlgorithmAttr : Pd_EnumAttr<Pd_PaddingAlgorithm, "padding_algorithm">;

def Pd_PoolingType : Pd_Enum<"PoolingType", "kind of pooling", [
  I32EnumCase<"Max", 0, "max">, I32EnumCase<"Avg", 1, "avg">
]>;
def Pd_PoolingTypeAttr : Pd_EnumAttr<Pd_PoolingType, "pooling_type">;

def Pd_Interpolation : Pd_Enum<"Interpolation", "method of interpolation", [
  I32EnumCase<"Linear", 0, "linear">, I32EnumCase<"Bilinear", 1, "bilinear">, I32EnumCase<"Trilinear", 2, "trilinear">,
  I32EnumCase<"Bicubic", 3, "bicubic">, I32EnumCase<"Nearest", 4, "nearest">
]>;
def Pd_InterpolationAttr : Pd_EnumAttr<Pd_Interpolation, "interpolation">;

def Pd_GridSampleMode : Pd_Enum<"GridSampleMode", "method of sampling between elements", [
  I32EnumCase<"Bilinear", 0, "bilinear">, I32EnumCase<"Nearest", 1, "nearest">
]>;
def Pd_GridSampleModeAttr : Pd_EnumAttr<Pd_GridSampleMode, "grid_sample_mode">;

def Pd_GridSamplePadding : Pd_Enum<"GridSamplePadding", "elements outside of a sampled image", [
  I32EnumCase<"Zeros", 0, "zeros">, I32EnumCase<"Border", 1, "border">, I32EnumCase<"Reflection", 2, "reflection">
]>;
def Pd_GridSamplePaddingAttr : Pd_EnumAttr<Pd_GridSamplePadding, "grid_sample_padding">;

def Pd_PadMode : Pd_Enum<"PadMode", "elements that a padding adds", [
  I32EnumCase<"Constant", 0, "constant">, I32EnumCase<"Reflect", 1, "reflect">,
  I32EnumCase<"Replicate", 2, "replicate">, I32EnumCase<"Circular", 3, "circular">
]>;
def Pd_PadModeAttr : Pd_EnumAttr<Pd_PadMode, "pad_mode">;

//===-- Layers ----------------------------------------------------------------------------------------------------===//

def Pd_DropoutMode : Pd_Enum<"DropoutMode", "phase in which dropout scales", [
  I32EnumCase<"DowngradeInInfer", 0, "downgrade_in_infer">, I32EnumCase<"UpscaleInTrain", 1, "upscale_in_train">
]>;
def Pd_DropoutModeAttr : Pd_EnumAttr<Pd_DropoutMode, "dropout_mode">;

def Pd_PreluMode : Pd_Enum<"PreluMode", "elements that share a slope", [
  I32EnumCase<"All", 0, "all">, I32EnumCase<"Channel", 1, "channel">, I32EnumCase<"Element", 2, "element">
]>;
def Pd_PreluModeAttr : Pd_EnumAttr<Pd_PreluMode, "prelu_mode">;

def Pd_RnnMode : Pd_Enum<"RnnMode", "kind of recurrent cell", [
  I32EnumCase<"Tanh", 0, "RNN_TANH">, I32EnumCase<"Relu", 1, "RNN_RELU">, I32EnumCase<"Lstm", 2, "LSTM">,
  I32EnumCase<"Gru", 3, "GRU">
]>;
def Pd_RnnModeAttr : Pd_EnumAttr<Pd_RnnMode, "rnn_mode">;

// The enumerators have the numbers that Paddle's gru_unit gives them.
def Pd_Activation : Pd_Enum<"Activation", "activation of a recurrent cell", [
  I32EnumCase<"Identity", 0, "identity">, I32EnumCase<"Sigmoid", 1, "sigmoid">, I32EnumCase<"Tanh", 2, "tanh">,
  I32EnumCase<"Relu", 3, "relu">
]>;
def Pd_ActivationAttr : Pd_EnumAttr<Pd_Activation, "activation">;

def Pd_LossReduction : Pd_Enum<"LossReduction", "reduction of a loss", [
  I32EnumCase<"None", 0, "none">, I32EnumCase<"Mean", 1, "mean">, I32EnumCase<"Sum", 2, "sum">,
  I32EnumCase<"BatchMean", 3, "batchmean">
]>;
def Pd_LossReductionAttr : Pd_EnumAttr<Pd_LossReduction, "loss_reduction">;

def Pd_Regularization : Pd_Enum<"Regularization", "regularization of a parameter", [
  I32EnumCase<"None", 0, "">, I32EnumCase<"L2Decay", 1, "l2_decay">
]>;
def Pd_RegularizationAttr : Pd_EnumAttr<Pd_Regularization, "regularization">;

//===-- Indices, sequences, graphs --------------------------------------------------------------------------------===//

def Pd_ScatterReduce : Pd_Enum<"ScatterReduce", "combination of an element with its update", [
  I32EnumCase<"Assign", 0, "assign">, I32EnumCase<"Add", 1, "add">, I32EnumCase<"Multiply", 2, "multiply">,
  I32EnumCase<"Amin", 3, "amin">, I32EnumCase<"Amax", 4, "amax">
]>;
def Pd_ScatterReduceAttr : Pd_EnumAttr<Pd_ScatterReduce, "scatter_reduce">;

def Pd_SequencePoolType : Pd_Enum<"SequencePoolType", "reduction of a sequence", [
  I32EnumCase<"Average", 0, "AVERAGE">, I32EnumCase<"Sum", 1, "SUM">, I32EnumCase<"Sqrt", 2, "SQRT">,
  I32EnumCase<"Max", 3, "MAX">, I32EnumCase<"Last", 4, "LAST">, I32EnumCase<"First", 5, "FIRST">
]>;
def Pd_SequencePoolTypeAttr : Pd_EnumAttr<Pd_SequencePoolType, "sequence_pool_type">;

def Pd_SegmentReduce : Pd_Enum<"SegmentReduce", "reduction of the rows of a segment", [
  I32EnumCase<"Sum", 0, "SUM">, I32EnumCase<"Mean", 1, "MEAN">, I32EnumCase<"Max", 2, "MAX">,
  I32EnumCase<"Min", 3, "MIN">
]>;
def Pd_SegmentReduceAttr : Pd_EnumAttr<Pd_SegmentReduce, "segment_reduce">;

def Pd_MessageOp : Pd_Enum<"MessageOp", "combination of two rows to a message", [
  I32EnumCase<"Add", 0, "ADD">, I32EnumCase<"Mul", 1, "MUL">
]>;
def Pd_MessageOpAttr : Pd_EnumAttr<Pd_MessageOp, "message_op">;

//===-- Linear algebra, signals -----------------------------------------------------------------------------------===//

def Pd_Transposition : Pd_Enum<"Transposition", "transposition of a matrix", [
  I32EnumCase<"None", 0, "N">, I32EnumCase<"Transpose", 1, "T">, I32EnumCase<"ConjugateTranspose", 2, "C">
]>;
def Pd_TranspositionAttr : Pd_EnumAttr<Pd_Transposition, "transposition">;

def Pd_LstsqDriver : Pd_Enum<"LstsqDriver", "LAPACK driver for least squares", [
  I32EnumCase<"Gelsy", 0, "gelsy">, I32EnumCase<"Gels", 1, "gels">, I32EnumCase<"Gelsd", 2, "gelsd">,
  I32EnumCase<"Gelss", 3, "gelss">
]>;
def Pd_LstsqDriverAttr : Pd_EnumAttr<Pd_LstsqDriver, "lstsq_driver">;

def Pd_QrMode : Pd_Enum<"QrMode", "matrices of a QR decomposition", [
  I32EnumCase<"Reduced", 0, "reduced">, I32EnumCase<"Complete", 1, "complete">, I32EnumCase<"R", 2, "r">
]>;
def Pd_QrModeAttr : Pd_EnumAttr<Pd_QrMode, "qr_mode">;

def Pd_Triangle : Pd_Enum<"Triangle", "triangle of a matrix", [
  I32EnumCase<"Lower", 0, "L">, I32EnumCase<"Upper", 1, "U">
]>;
def Pd_TriangleAttr : Pd_EnumAttr<Pd_Triangle, "triangle">;

def Pd_FftNormalization : Pd_Enum<"FftNormalization", "direction in which a Fourier transform is scaled", [
  I32EnumCase<"Backward", 0, "backward">, I32EnumCase<"Forward", 1, "forward">, I32EnumCase<"Ortho", 2, "ortho">
]>;
def Pd_FftNormalizationAttr : Pd_EnumAttr<Pd_FftNormalization, "fft_normalization">;

//===-- Formats of small floats ----------------------------------------------------------------------------------===//

// E exponent bits and M mantissa bits; FNUZ: finite, NaN is the bits of -0, and the bias is one more than IEEE's. E8M0
// is 2^(x - 127) without a sign.
def Pd_FloatFormat : Pd_Enum<"FloatFormat", "format of small floats that are stored as bytes", [
  I32EnumCase<"E4M3FNUZ", 0, "e4m3fnuz">, I32EnumCase<"E5M2FNUZ", 1, "e5m2fnuz">, I32EnumCase<"E8M0", 2, "e8m0">,
  I32EnumCase<"E2M1", 3, "e2m1">, I32EnumCase<"E2M3", 4, "e2m3">, I32EnumCase<"E3M2", 5, "e3m2">
]>;
def Pd_FloatFormatAttr : Pd_EnumAttr<Pd_FloatFormat, "float_format">;

def Pd_FloatRounding : Pd_Enum<"FloatRounding", "rounding of numbers between two floats", [
  I32EnumCase<"Nearest", 0, "nearest">, I32EnumCase<"Up", 1, "up">, I32EnumCase<"Down", 2, "down">
]>;
def Pd_FloatRoundingAttr : Pd_EnumAttr<Pd_FloatRounding, "float_rounding">;

//===-- Search, metrics, detection --------------------------------------------------------------------------------===//

def Pd_MedianMode : Pd_Enum<"MedianMode", "median of an even number of elements", [
  I32EnumCase<"Avg", 0, "avg">, I32EnumCase<"Min", 1, "min">
]>;
def Pd_MedianModeAttr : Pd_EnumAttr<Pd_MedianMode, "median_mode">;

def Pd_ChunkScheme : Pd_Enum<"ChunkScheme", "tags of the elements of a chunk", [
  I32EnumCase<"IOB", 0>, I32EnumCase<"IOE", 1>, I32EnumCase<"IOBES", 2>, I32EnumCase<"Plain", 3, "plain">
]>;
def Pd_ChunkSchemeAttr : Pd_EnumAttr<Pd_ChunkScheme, "chunk_scheme">;

def Pd_AveragePrecision : Pd_Enum<"AveragePrecision", "rule for the average precision", [
  I32EnumCase<"Integral", 0, "integral">, I32EnumCase<"ElevenPoint", 1, "11point">
]>;
def Pd_AveragePrecisionAttr : Pd_EnumAttr<Pd_AveragePrecision, "average_precision">;

def Pd_MatchType : Pd_Enum<"MatchType", "rule for matching columns to rows", [
  I32EnumCase<"Bipartite", 0, "bipartite">, I32EnumCase<"PerPrediction", 1, "per_prediction">
]>;
def Pd_MatchTypeAttr : Pd_EnumAttr<Pd_MatchType, "match_type">;

def Pd_BoxCodeType : Pd_Enum<"BoxCodeType", "direction of a coding of boxes", [
  I32EnumCase<"Encode", 0, "encode_center_size">, I32EnumCase<"Decode", 1, "decode_center_size">
]>;
def Pd_BoxCodeTypeAttr : Pd_EnumAttr<Pd_BoxCodeType, "box_code_type">;

def Pd_MiningType : Pd_Enum<"MiningType", "choice of negative examples", [
  I32EnumCase<"MaxNegative", 0, "max_negative">, I32EnumCase<"HardExample", 1, "hard_example">
]>;
def Pd_MiningTypeAttr : Pd_EnumAttr<Pd_MiningType, "mining_type">;

#endif
