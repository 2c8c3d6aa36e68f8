// Ops on sequences of rows. `offsets` is the innermost LoD level of x: sequence i has rows offsets[i] to offsets[i +
// 1].
#ifndef PROA_DIALECTS_PD_SEQUENCE_SEQUENCE
#define PROA_DIALECTS_PD_SEQUENCE_SEQUENCE

include "dialects/pd/ir/Base.td"

defvar OffsetsConstraint = "C1. offsets are int64 vectors of one element or more, and x has a rank of at least 1";

class Pd_SequenceOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> { let decomposesInCode = 1; }

def Pd_SequencePoolOp : Pd_SequenceOp<"sequence_pool"> {
  let summary = "Pooling of each sequence to one row";
  let description = [{
    pooltype: SUM; AVERAGE: the sum divided by the length; SQRT: the sum divided by the square root of the length;
    MAX; FIRST; LAST. An empty sequence gives pad_value. `max_index` is for MAX the row of each element (-1: an empty
    sequence).
  }];
  let constraints = [OffsetsConstraint];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$offsets,
    Pd_DefaultEnum<Pd_SequencePoolTypeAttr, "Average">:$pooltype,
    DefaultValuedAttr<F64Attr, "0.0">:$pad_value);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$max_index);
  let infer = "inferSequencePool";
  let lod = "outer";
  let legacy = [Legacy<"sequence_pool", ["X", "X@LOD"], ["Out", "MaxIndex"], ["pooltype", "pad_value"]>,
    Legacy<"fusion_seqpool_concat", ["X*", "X*@LOD"], ["Out", ""], [], ["pooltype=hook", "axis=hook"],
      "importFusionSeqpoolConcat">,
    Legacy<"fused_embedding_seq_pool", ["W", "Ids@LOD"], ["Out", ""], [], ["slot Ids", "combiner=sum",
      "padding_idx=hook",
      "grad_inplace=any", "is_sparse=any"], "importFusedEmbeddingSeqPool">];
}

def Pd_SequenceSoftmaxOp : Pd_SequenceOp<"sequence_softmax"> {
  let summary = "The softmax over the rows of each sequence";
  let constraints = [OffsetsConstraint];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$offsets);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSameRows";
  let vjpInCode = 1;
  let legacy = [Legacy<"sequence_softmax", ["X", "X@LOD"], ["Out"], [], ["data_format=any"]>];
  let batching = "inCode";
}

def Pd_SequenceReverseOp : Pd_SequenceOp<"sequence_reverse"> {
  let summary = "The rows of each sequence in reverse order";
  let constraints = [OffsetsConstraint];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$offsets);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSameRows";
  let legacy = [Legacy<"sequence_reverse", ["X", "X@LOD"], ["Y"]>];
}

def Pd_SequenceConcatOp : Pd_SequenceOp<"sequence_concat", [AttrSizedOperandSegments]> {
  let summary = "Concatenation by sequence: sequence i of the result is sequence i of the first tensor, then of the "
    "second, and so on";
  let constraints = [
    "C1. there is one offsets operand for each tensor, at least one, and all have the same number of sequences",
    "C2. the tensors have the same element type, and the same dimensions except the first"
  ];
  let arguments = (ins Variadic<Pd_Tensor>:$x, Variadic<Pd_IntTensor>:$offsets);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$out_offsets);
  let infer = "inferSequenceConcat";
  let lod = "none";
  let legacy = [Legacy<"sequence_concat", ["X*", "X*@LOD"], ["Out", "Out@LOD"]>];
}

def Pd_SequencePadOp : Pd_SequenceOp<"sequence_pad"> {
  let summary = "Sequences as rows of equal length, padded with pad_value";
  let description = [{
    out is [sequences, padded_length, ...]; a padded_length of -1 is the length of the longest sequence. pad_value has
    one element or the dimensions of a row. `length` has the lengths.
  }];
  let constraints = [OffsetsConstraint];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$offsets, Pd_Tensor:$pad_value,
    DefaultValuedAttr<I64Attr, "-1">:$padded_length);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$length);
  let infer = "inferSequencePad";
  let lod = "none";
  let legacy = [Legacy<"sequence_pad", ["X", "X@LOD", "PadValue"], ["Out", "Length"], ["padded_length"]>];
}

def Pd_SequenceUnpadOp : Pd_SequenceOp<"sequence_unpad"> {
  let summary = "The first length[i] rows of each x[i], concatenated";
  let constraints = ["C1. x has rank 2 or more, and length is an integer vector with one element for each x[i]"];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$length);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$out_offsets);
  let infer = "inferSequenceUnpad";
  let lod = "none";
  let legacy = [Legacy<"sequence_unpad", ["X", "Length"], ["Out", "Out@LOD"]>];
}

def Pd_SequenceReshapeOp : Pd_SequenceOp<"sequence_reshape"> {
  let summary = "The elements of each sequence as rows of another width";
  let description = [{
    At run time: the elements of each sequence fill whole rows.
  }];
  let constraints = [
    "C1. offsets is an int64 vector and x has rank 2",
    "C2. new_dim is positive"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$offsets, I64Attr:$new_dim);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$out_offsets);
  let infer = "inferSequenceReshape";
  let lod = "none";
  let legacy = [Legacy<"sequence_reshape", ["X", "X@LOD"], ["Out", "Out@LOD"], ["new_dim"]>];
}

def Pd_SequenceScatterOp : Pd_SequenceOp<"sequence_scatter"> {
  let summary = "x with the updates of sequence i added to row i, at the columns in ids";
  let constraints = [
    "C1. ids_offsets is an int64 vector that is not empty; ids has one element in each row",
    "C2. x has rank 2; updates has its element type, the number of rows of ids, and one element in each row"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$ids, Pd_IntTensor:$ids_offsets, Pd_Tensor:$updates);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSequenceScatter";
  let legacy = [Legacy<"sequence_scatter", ["X", "Ids", "Ids@LOD", "Updates"], ["Out"]>];
}

def Pd_SequenceSliceOp : Pd_SequenceOp<"sequence_slice"> {
  let summary = "Of each sequence, length[i] rows from row begin[i] on";
  let constraints = [
    "C1. offsets is an int64 vector; begin and length are integer tensors with one element for each sequence"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$offsets, Pd_IntTensor:$begin, Pd_IntTensor:$length);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$out_offsets);
  let infer = "inferSequenceSlice";
  let lod = "none";
  let legacy = [Legacy<"sequence_slice", ["X", "X@LOD", "Offset", "Length"], ["Out", "Out@LOD"]>];
}

def Pd_SequenceExpandOp : Pd_SequenceOp<"sequence_expand"> {
  let summary = "Sequence i of x, repeated once for each entry of sequence i of y";
  let description = [{
    y_offsets is the LoD level of y. Without `offsets` each row of x is a sequence.
  }];
  let constraints = [OffsetsConstraint];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$y_offsets, Optional<Pd_IntTensor>:$offsets);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$out_offsets);
  let infer = "inferSequenceExpand";
  let lod = "none";
  let legacy = [Legacy<"sequence_expand", ["X", "Y@LOD", "X@LOD?"], ["Out", ""], [], ["ref_level=hook"],
    "importSequenceExpand">];
  let newIrGradients = ["sequence_expand_grad(x, y_offsets)"];
}

def Pd_SequenceExpandAsOp : Pd_SequenceOp<"sequence_expand_as"> {
  let summary = "Row i of x, repeated once for each row of sequence i of y";
  let constraints = [OffsetsConstraint];
  let arguments = (ins Pd_Tensor:$x, Pd_Tensor:$y, Pd_IntTensor:$y_offsets);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSequenceExpandAs";
  let lod = "none";
  let legacy = [Legacy<"sequence_expand_as", ["X", "Y", "Y@LOD"], ["Out"], [], [], "importSequenceExpandAs">,
    Legacy<"fusion_seqexpand_concat_fc", ["X*", "", "X@LOD"], ["Out"], [], ["slot FCWeight", "slot FCBias",
      "slot FCOut",
      "fc_activation=hook"], "importFusionSeqexpandConcatFc">];
}

def Pd_SequenceEnumerateOp : Pd_SequenceOp<"sequence_enumerate"> {
  let summary = "For each row the win_size elements from it on, padded with pad_value after the end of its sequence";
  let constraints = [
    "C1. offsets is an int64 vector; x has one element in each row",
    "C2. win_size is positive"
  ];
  let arguments = (ins Pd_IntTensor:$x, Pd_IntTensor:$offsets, I64Attr:$win_size, DefaultValuedAttr<I64Attr,
    "0">:$pad_value);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferSequenceEnumerate";
  let legacy = [Legacy<"sequence_enumerate", ["X", "X@LOD"], ["Out"], ["win_size", "pad_value"]>];
}

def Pd_SequenceEraseOp : Pd_SequenceOp<"sequence_erase"> {
  let summary = "The rows of x, of one element each, that are not in `tokens`";
  let constraints = [OffsetsConstraint];
  let arguments = (ins Pd_IntTensor:$x, Pd_IntTensor:$offsets, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$tokens);
  let results = (outs Pd_IntTensor:$out, Pd_IntTensor:$out_offsets);
  let infer = "inferSequenceErase";
  let lod = "none";
  let legacy = [Legacy<"sequence_erase", ["X", "X@LOD"], ["Out", "Out@LOD"], ["tokens"]>];
}

def Pd_SequenceConvOp : Pd_SequenceOp<"sequence_conv"> {
  let summary = "Convolution over sequences: for each row, the surrounding rows of its sequence, concatenated, times "
    "the filter";
  let description = [{
    The contextLength rows from contextStart on form a vector of contextLength * width elements. Rows outside of the
    sequence are 0, or with `padding` rows of it: its first max(0, -contextStart) rows precede the sequence, the
    others follow it.
  }];
  let constraints = [
    "C1. offsets is an int64 vector and x has rank 2",
    "C2. context_length is positive and context_stride 1",
    "C3. filter has rank 2 and context_length * width rows"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$offsets, Optional<Pd_FloatTensor>:$padding,
    Pd_FloatTensor:$filter, I64Attr:$context_length, DefaultValuedAttr<I64Attr, "0">:$context_start,
    DefaultValuedAttr<I64Attr,
      "1">:$context_stride);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSequenceConv";
  let legacy = [Legacy<"sequence_conv", ["X", "X@LOD", "PaddingData", "Filter"], ["Out"],
    ["context_length=contextLength", "context_start=contextStart", "context_stride=contextStride"],
    ["paddingTrainable=hook"], "importSequenceConv", exportHook_="exportSequenceConv">,
    Legacy<"fusion_seqconv_eltadd_relu", ["X", "X@LOD", "", "Filter"], ["Out"], [], ["slot Bias", "slot ColMat",
      "contextLength=hook",
      "contextStart=hook", "contextStride=hook"], "importFusionSeqconvEltaddRelu">];
}

def Pd_SequenceMaskOp : Pd_SequenceOp<"sequence_mask"> {
  let summary = "Masks of sequences: for each length a vector of maxlen elements, of which the first `length` are 1, "
    "the others 0";
  let description = [{
    maxlen_tensor (one element) overrides maxlen; if that is negative, the largest length is used. Element j is 1 if j
    < length, also for lengths that are not integers.
  }];
  let arguments = (ins Pd_RealTensor:$x, Optional<Pd_IntTensor>:$maxlen_tensor, DefaultValuedAttr<I64Attr,
    "-1">:$maxlen, TypeAttr:$out_dtype);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSequenceMask";
  let legacy = [Legacy<"sequence_mask", ["X", "MaxLenTensor"], ["Y"], ["maxlen", "out_dtype"]>];
}

def Pd_RowConvOp : Pd_SequenceOp<"row_conv"> {
  let summary = "Row convolution: out[t] = sum over i of x[t + i] * filter[i], within the sequence of t";
  let constraints = [
    "C1. x is [rows, width] with offsets, and [batch, time, width] without",
    "C2. filter is [future context + 1, width]"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$filter, Optional<Pd_IntTensor>:$offsets);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferRowConv";
  let legacy = [Legacy<"row_conv", ["X", "Filter", "X@LOD?"], ["Out"]>];
  let newIrGradients = ["row_conv_grad(x, filter)"];
}

def Pd_Im2sequenceOp : Pd_SequenceOp<"im2sequence"> {
  let summary = "Each window of an image as a row; the windows of an image are a sequence";
  let description = [{
    paddings are those above, left, below and right. out is [images * windows, channels * kernel height * kernel
    width]. `sizes` [images, 2] has the height and width of each image before layers with the strides `out_stride`:
    only windows within that size, divided by out_stride and rounded up, are used. For a single image all windows are
    used, as in Paddle.
  }];
  let constraints = [
    "C1. x has rank 4",
    "C2. kernels and strides are pairs of positive numbers, paddings has four",
    "C3. sizes has one row of two elements for each image, and out_stride is a pair of positive numbers"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_RealTensor>:$sizes, DenseI64ArrayAttr:$kernels,
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides, DefaultValuedAttr<DenseI64ArrayAttr,
    "{0, 0, 0, 0}">:$paddings, DefaultValuedAttr<DenseI64ArrayAttr,
      "{1, 1}">:$out_stride);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$out_offsets);
  let infer = "inferIm2sequence";
  let lod = "none";
  let legacy = [Legacy<"im2sequence", ["X", "Y"], ["Out", "Out@LOD"], ["kernels", "strides", "paddings",
    "out_stride"]>];
  let newIrGradients = ["im2sequence_grad(x, sizes) -> x"];
}

def : LegacyFormula<"fusion_seqpool_cvm_concat", ["X*", "CVM?"], ["Out"], ["pooltype", "axis", "use_cvm"], [],
  "importFusionSeqpoolConcat">;

// Dynamic RNNs: sequences sorted by length, as arrays of time steps.
def : LegacyFormula<"lod_rank_table", ["X"], ["Out"], ["level"], [], "importLodRankTable">;
def : LegacyFormula<"max_sequence_len", ["RankTable"], ["Out"], [], [], "importMaxSequenceLength">;
def : LegacyFormula<"lod_tensor_to_array", ["X", "RankTable"], ["Out"], [], [], "importLodTensorToArray",
  /*takesArrays=*/1>;
def : LegacyFormula<"array_to_lod_tensor", ["X", "RankTable"], ["Out"], [], [], "importArrayToLodTensor",
  /*takesArrays=*/1>;
def : LegacyFormula<"shrink_rnn_memory", ["X", "RankTable", "I"], ["Out"], [], [], "importShrinkRnnMemory">;
def : LegacyFormula<"reorder_lod_tensor_by_rank", ["X", "RankTable"], ["Out"], [], [], "importReorderByRank">;
def : LegacyFormula<"reorder_lod_tensor_by_rank_grad", ["X", "RankTable"], ["Out"], [], [],
  "importReorderByRankGradient">;

#endif
