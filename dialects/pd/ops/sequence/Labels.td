// Labels of sequences: conditional random fields, connectionist temporal classification, beam search.
#ifndef PROA_DIALECTS_PD_SEQUENCE_LABELS
#define PROA_DIALECTS_PD_SEQUENCE_LABELS

include "dialects/pd/ir/Base.td"
include "dialects/pd/autodiff/GradientByKernel.td"
include "dialects/pd/autodiff/KeepsDerivative.td"

class Pd_LabelOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let library = mnemonic;
  let lod = "none";
}

defvar ChainDescription = [{
    The transitions [tags + 2, tags] have in row 0 the weights of starting with a tag, in row 1 of ending with it, in
    row 2 + i of going from tag i to each other. Sequences are rows of emission [rows, tags] by `offsets`, or with
    `length` the first rows of each emission[i] in [batch, time, tags].
}];
defvar ChainConstraints = [
  "C1. emission has rank 2 with offsets, else rank 3",
  "C2. transition is [tags + 2, tags]"
];

def Pd_LinearChainCrfOp : Pd_LabelOp<"linear_chain_crf", [AttrSizedOperandSegments, Pd_GradientByKernel]> {
  let sharding = "inCode";
  let summary = "The negative log likelihood of labelled sequences in a linear-chain conditional random field";
  let description = [{
    `alpha` has the probabilities of all paths to a row and tag, each row normalized to sum 1; `emission_exps` is
    exp(emission - maximum of its row); `transition_exps` is exp(transition).
  }] # ChainDescription;
  let constraints = ChainConstraints;
  let arguments = (ins Pd_FloatTensor:$emission, Pd_FloatTensor:$transition, Pd_IntTensor:$label,
    Optional<Pd_IntTensor>:$length, Optional<Pd_IntTensor>:$offsets);
  let results = (outs Pd_FloatTensor:$alpha, Pd_FloatTensor:$emission_exps, Pd_FloatTensor:$transition_exps,
    Pd_FloatTensor:$log_likelihood);
  let infer = "inferLinearChainCrf";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let legacy = [Legacy<"linear_chain_crf", ["Emission", "Transition", "Label", "Length", "Emission@LOD?"],
    ["Alpha", "EmissionExps", "TransitionExps", "LogLikelihood"]>];
  let batching = "inCode";
}

def Pd_LinearChainCrfGradOp : Pd_LabelOp<"linear_chain_crf_grad", [AttrSizedOperandSegments]> {
  let sharding = "inCode";
  let summary = "The gradients of emission and transition of linear_chain_crf, from the gradient of log_likelihood";
  let arguments = (ins Pd_FloatTensor:$emission, Pd_FloatTensor:$transition, Pd_IntTensor:$label,
    Optional<Pd_IntTensor>:$length, Optional<Pd_IntTensor>:$offsets, Pd_FloatTensor:$log_likelihood_grad);
  let operandFormat = [{$emission `,` $transition `,` $label (`length` `=` $length^)?
    (`offsets` `=` $offsets^)? `cotangent` `=` $log_likelihood_grad}];
  let results = (outs Pd_FloatTensor:$emission_grad, Pd_FloatTensor:$transition_grad);
  let infer = "inferLinearChainCrfGrad";
  let decomposesInCode = 1;
  let batching = "batchKernelOfEach";
}

def Pd_CrfDecodingOp : Pd_LabelOp<"crf_decoding", [AttrSizedOperandSegments]> {
  let sharding = "inCode";
  let summary = "The most probable path of each sequence; with `label`, 1 where it agrees with the label, else 0";
  let description = ChainDescription;
  let constraints = ChainConstraints;
  let arguments = (ins Pd_FloatTensor:$emission, Pd_FloatTensor:$transition, Optional<Pd_IntTensor>:$label,
    Optional<Pd_IntTensor>:$length, Optional<Pd_IntTensor>:$offsets);
  let results = (outs Pd_IntTensor:$viterbi_path);
  let infer = "inferCrfDecoding";
  let decomposesInCode = 1;
  let lod = "first";
  let legacy = [Legacy<"crf_decoding", ["Emission", "Transition", "Label", "Length", "Emission@LOD?"],
    ["ViterbiPath"]>];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_ViterbiDecodeOp : Pd_LabelOp<"viterbi_decode"> {
  let sharding = "whole: the number of columns of path depends on all lengths";
  let summary = "Viterbi decoding: the path of the largest score through [batch, time, tags], and its score";
  let description = [{
    transition [tags, tags] has the scores of transitions between tags. With include_bos_eos_tag the last row has the
    scores of starting with a tag, the last but one the scores of ending with it. `path` has as many columns as the
    longest sequence; shorter ones are padded with zeros.
  }];
  let constraints = ["C1. x has rank 3, transition rank 2, lengths rank 1"];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$transition, Pd_IntTensor:$lengths,
    DefaultValuedAttr<BoolAttr, "true">:$include_bos_eos_tag);
  let results = (outs Pd_FloatTensor:$scores, Pd_IntTensor:$path);
  let infer = "inferViterbiDecode";
  let decomposesInCode = 1;
  let legacy = [Legacy<"viterbi_decode", ["Input", "Transition", "Length"], ["Scores", "Path"],
    ["include_bos_eos_tag"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_WarpctcOp : Pd_LabelOp<"warpctc", [AttrSizedOperandSegments, Pd_KeepsDerivative]> {
  let sharding = "* b *, b *, b, b -> b *, * b *";
  let summary = "CTC loss: the negative log probability of label sequences over all alignments";
  let description = [{
    The softmax of the logits [time, batch, classes] gives the probabilities. A path has one class per step; repeated
    classes count once, then `blank` is removed. Labels without a path of that length have loss 0, as in Paddle.
    `warpctcgrad` is the derivative by the logits; norm_by_times divides it by the number of steps, but only if a
    gradient is computed.
  }];
  let constraints = [
    "C1. logits has rank 3, label [batch, length] rank 2",
    "C2. blank is a class"
  ];
  let arguments = (ins Pd_FloatTensor:$logits, Pd_IntTensor:$label, Optional<Pd_IntTensor>:$logits_length,
    Optional<Pd_IntTensor>:$labels_length, DefaultValuedAttr<I64Attr, "0">:$blank, DefaultValuedAttr<BoolAttr,
      "false">:$norm_by_times);
  let results = (outs Pd_FloatTensor:$loss, Pd_FloatTensor:$warpctcgrad);
  let infer = "inferWarpctc";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let legacy = [Legacy<"warpctc", ["Logits", "Label", "LogitsLength", "LabelLength"], ["Loss", "WarpCTCGrad"],
    ["blank", "norm_by_times"], [], "importWarpctc">];
  let newIrGradients = ["warpctc_grad(logits, logits_length, warpctcgrad)"];
  let batching = "inCode";
}

def Pd_CtcAlignOp : Pd_LabelOp<"ctc_align", [AttrSizedOperandSegments]> {
  let sharding = "inCode";
  let summary = "The labels of CTC paths: repeated tokens once (with merge_repeated), without blanks";
  let description = [{
    Paths are the sequences of x by `offsets`, and the labels are sequences by the second result. Without `offsets`
    they are rows of x [batch, time] of lengths `length`; the labels are padded with padding_value, and the second
    result has their lengths as a column. Without any labels the result with offsets is one row of -1.
  }];
  let constraints = ["C1. x is a column or vector with offsets, else it has rank 2"];
  let arguments = (ins Pd_IntTensor:$x, Optional<Pd_IntTensor>:$length, Optional<Pd_IntTensor>:$offsets,
    DefaultValuedAttr<I64Attr, "0">:$blank, DefaultValuedAttr<BoolAttr, "true">:$merge_repeated,
    DefaultValuedAttr<I64Attr, "0">:$padding_value);
  let results = (outs Pd_IntTensor:$out, Pd_IntTensor:$counts);
  let infer = "inferCtcAlign";
  let decomposesInCode = 1;
  let legacy = [Legacy<"ctc_align", ["Input", "InputLength", "Input@LOD?"], ["Output", "OutputLength"],
    ["blank", "merge_repeated", "padding_value"], [], "importCtcAlign", exportHook_="exportCtcAlign">];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_EditDistanceOp : Pd_LabelOp<"edit_distance", [AttrSizedOperandSegments]> {
  let sharding = "inCode";
  let summary = "Edit distance: the number of insertions, deletions and substitutions from each hypothesis to its "
    "reference";
  let description = [{
    Both are sequences by offsets, or rows of [batch, length] with lengths. `normalized` divides by the length of the
    reference. `sequence_num` is the number of sequences, `out` is [sequences, 1].
  }];
  let constraints = ["C1. without offsets hyps and refs have rank 2"];
  let arguments = (ins Pd_IntTensor:$hyps, Pd_IntTensor:$refs, Optional<Pd_IntTensor>:$hyps_length,
    Optional<Pd_IntTensor>:$refs_length, Optional<Pd_IntTensor>:$hyps_offsets, Optional<Pd_IntTensor>:$refs_offsets,
    DefaultValuedAttr<BoolAttr, "false">:$normalized);
  let results = (outs Pd_IntTensor:$sequence_num, Pd_FloatTensor:$out);
  let infer = "inferEditDistance";
  let decomposesInCode = 1;
  let legacy = [Legacy<"edit_distance", ["Hyps", "Refs", "HypsLength", "RefsLength", "Hyps@LOD?", "Refs@LOD?"],
    ["SequenceNum", "Out"], ["normalized"]>];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_GatherTreeOp : Pd_LabelOp<"gather_tree"> {
  let onnx = [OnnxWritten<"exportGatherTree">];
  let sharding = "* b *, * b * -> * b *";
  let summary = "The beams of a beam search, from the tokens of each step and their parent beams";
  let description = [{
    ids and parents are [time, batch, beam]: token ids[t, b, k] continues beam parents[t, b, k] of time t - 1.
  }];
  let constraints = ["C1. ids has rank 3, and parents has its dimensions"];
  let arguments = (ins Pd_IntTensor:$ids, Pd_IntTensor:$parents);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferGatherTree";
  let legacy = [Legacy<"gather_tree", ["Ids", "Parents"], ["Out"]>];
  let batching = "inCode";
  let referenceInCode = 1;
}

#endif
