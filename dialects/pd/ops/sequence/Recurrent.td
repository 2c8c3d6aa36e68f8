// Recurrent layers over sequences of rows, with precomputed input projections.
#ifndef PROA_DIALECTS_PD_SEQUENCE_RECURRENT
#define PROA_DIALECTS_PD_SEQUENCE_RECURRENT

include "dialects/pd/ir/Base.td"
include "dialects/pd/autodiff/GradientByKernel.td"

class ActivationName<string symbol> : Pd_DefaultEnum<Pd_ActivationAttr, symbol>;
class Flag<string value> : DefaultValuedAttr<BoolAttr, value>;

defvar SequenceStates = [{
    Rows of x are sequences by `offsets`; `is_reverse` processes each from its end. h0 (and c0) [sequences, D] are the
    initial states, default zero. Activations: sigmoid, tanh, relu, identity.
}];

def Pd_GruOp : Pd_Op<"gru", [AttrSizedOperandSegments, Pd_GradientByKernel]> {
  let sharding = "whole: sequences are rows of one tensor, and a shard could end inside of one";
  let summary = "A GRU layer over sequences";
  let description = [{
    With x[t] + bias = (x_u, x_r, x_c) in blocks of size D, and h the previous state:
      u = gate(x_u + h W_u);  r = gate(x_r + h W_r);  c = act(x_c + (r * h) W_c);
      state = (1 - u) * h + u * c, with origin_mode u * h + (1 - u) * c.
    weight has 3 * D * D elements: the matrix [D, 2 D] of W_u and W_r, then W_c [D, D].
  }] # SequenceStates;
  let constraints = [
    "C1. x is [rows, 3 D], weight [D, 3 D], bias [1, 3 D], h0 [sequences, D]; offsets is an int64 vector, not empty"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$weight, Pd_IntTensor:$offsets, Optional<Pd_FloatTensor>:$h0,
    Optional<Pd_FloatTensor>:$bias, ActivationName<"Tanh">:$activation, ActivationName<"Sigmoid">:$gate_activation,
    Flag<"false">:$is_reverse,
    Flag<"false">:$origin_mode);
  let results = (outs Pd_FloatTensor:$hidden);
  let infer = "inferGru";
  let library = "gru";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let legacy = [Legacy<"gru", ["Input", "Weight", "Input@LOD", "H0", "Bias"], ["Hidden"], ["activation",
    "gate_activation", "is_reverse", "origin_mode"], [], "", ["BatchGate", "BatchResetHiddenPrev", "BatchHidden"]>,
    Legacy<"fusion_gru", ["X", "WeightH", "X@LOD", "H0", "Bias"], ["Hidden"], [], ["slot WeightX",
      "slot ReorderedH0", "slot XX",
      "slot BatchedInput", "slot BatchedOut", "activation=hook", "gate_activation=hook", "is_reverse=hook",
        "use_seq=any", "origin_mode=any",
      "Scale_data=1", "Shift_data=0", "Scale_weights=fused"], "importFusionGru">];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_GruGradOp : Pd_Op<"gru_grad", [AttrSizedOperandSegments]> {
  let sharding = "whole: sequences are rows of one tensor, and a shard could end inside of one";
  let summary = "The gradients of x, weight, h0 and bias of pd.gru, from the gradient of its result";
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$weight, Pd_IntTensor:$offsets, Optional<Pd_FloatTensor>:$h0,
    Optional<Pd_FloatTensor>:$bias, Pd_FloatTensor:$hidden_grad, ActivationName<"Tanh">:$activation,
    ActivationName<"Sigmoid">:$gate_activation,
    Flag<"false">:$is_reverse, Flag<"false">:$origin_mode);
  let operandFormat = "$x `,` $weight `,` $offsets (`h0` `=` $h0^)? (`bias` `=` $bias^)? `cotangent` `=` $hidden_grad";
  let results = (outs Pd_FloatTensor:$x_grad, Pd_FloatTensor:$weight_grad, Pd_FloatTensor:$h0_grad,
    Pd_FloatTensor:$bias_grad);
  let infer = "inferGruGrad";
  let library = "gru_grad";
  let decomposesInCode = 1;
  let batching = "batchKernelOfEach";
  let referenceInCode = 1;
}

def Pd_LstmOp : Pd_Op<"lstm", [AttrSizedOperandSegments, Pd_GradientByKernel]> {
  let sharding = "whole: sequences are rows of one tensor, and a shard could end inside of one";
  let summary = "An LSTM layer over sequences";
  let description = [{
    With x[t] + bias + h W = (g, i, f, o) in blocks of size D, h and c the previous states:
      g = candidate(g);  i = gate(i + c * p_i);  f = gate(f + c * p_f);  cell = g * i + c * f;
      o = gate(o + cell * p_o);  hidden = o * cell_activation(cell).
    With use_peepholes the bias has p_i, p_f and p_o after its first 4 D elements; otherwise they are zero.
  }] # SequenceStates;
  let constraints = [
    "C1. x is [rows, 4 D], weight [D, 4 D], bias [1, 4 D] or with peepholes [1, 7 D], h0 and c0 [sequences, D]; "
      # "offsets is an int64 vector, not empty"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$weight, Pd_FloatTensor:$bias, Pd_IntTensor:$offsets,
    Optional<Pd_FloatTensor>:$h0, Optional<Pd_FloatTensor>:$c0, Flag<"true">:$use_peepholes, Flag<"false">:$is_reverse,
    ActivationName<"Sigmoid">:$gate_activation, ActivationName<"Tanh">:$cell_activation,
    ActivationName<"Tanh">:$candidate_activation);
  let results = (outs Pd_FloatTensor:$hidden, Pd_FloatTensor:$cell);
  let infer = "inferLstm";
  let library = "lstm";
  let decomposesInCode = 1;
  let lod = "all";
  let vjpInCode = 1;
  let legacy = [Legacy<"lstm", ["Input", "Weight", "Bias", "Input@LOD", "H0", "C0"], ["Hidden", "Cell"],
    ["use_peepholes", "is_reverse", "gate_activation", "cell_activation", "candidate_activation"], [], "", ["BatchGate",
      "BatchCellPreAct"]>,
    Legacy<"fusion_lstm", ["X", "WeightH", "Bias", "X@LOD", "H0", "C0"], ["Hidden", "Cell"], [], ["slot WeightX",
      "slot XX",
      "slot BatchedInput",
      "slot BatchedHidden", "slot BatchedCell", "slot ReorderedH0", "slot ReorderedC0", "slot CheckedCell",
        "use_peepholes=hook", "is_reverse=hook",
        "use_seq=any",
      "gate_activation=hook", "cell_activation=hook", "candidate_activation=hook", "Scale_data=1", "Shift_data=0",
        "Scale_weights=fused"], "importFusionLstm">];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_LstmGradOp : Pd_Op<"lstm_grad", [AttrSizedOperandSegments]> {
  let sharding = "whole: sequences are rows of one tensor, and a shard could end inside of one";
  let summary = "The gradients of x, weight, bias, h0 and c0 of pd.lstm, from the gradients of its results";
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$weight, Pd_FloatTensor:$bias, Pd_IntTensor:$offsets,
    Optional<Pd_FloatTensor>:$h0, Optional<Pd_FloatTensor>:$c0, Optional<Pd_FloatTensor>:$hidden_grad,
    Optional<Pd_FloatTensor>:$cell_grad, Flag<"true">:$use_peepholes, Flag<"false">:$is_reverse,
    ActivationName<"Sigmoid">:$gate_activation,
    ActivationName<"Tanh">:$cell_activation, ActivationName<"Tanh">:$candidate_activation);
  let operandFormat = [{$x `,` $weight `,` $bias `,` $offsets (`h0` `=` $h0^)? (`c0` `=` $c0^)?
    (`hidden` `=` $hidden_grad^)? (`cell` `=` $cell_grad^)?}];
  let results = (outs Pd_FloatTensor:$x_grad, Pd_FloatTensor:$weight_grad, Pd_FloatTensor:$bias_grad,
    Pd_FloatTensor:$h0_grad, Pd_FloatTensor:$c0_grad);
  let infer = "inferLstmGrad";
  let library = "lstm_grad";
  let decomposesInCode = 1;
  let batching = "batchKernelOfEach";
  let referenceInCode = 1;
}

def Pd_GruUnitOp : Pd_Op<"gru_unit"> {
  let summary = "One step of a GRU for a batch, with the formulas of pd.gru";
  let description = [{
    Activations: 0 identity, 1 sigmoid, 2 tanh, 3 relu. `gate` has u, r and c, `reset_hidden_prev` is r * h.
  }];
  let constraints = [
    "C1. input is [batch, 3 D], hidden_prev [batch, D], weight [D, 3 D]",
    "C2. activation and gate_activation are 0 to 3"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$hidden_prev, Pd_FloatTensor:$weight,
    Optional<Pd_FloatTensor>:$bias, DefaultValuedAttr<I64Attr, "2">:$activation, DefaultValuedAttr<I64Attr,
    "1">:$gate_activation,
      Flag<"false">:$origin_mode);
  let results = (outs Pd_FloatTensor:$gate, Pd_FloatTensor:$reset_hidden_prev, Pd_FloatTensor:$hidden);
  let infer = "inferGruUnit";
  let decomposesInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"gru_unit", ["Input", "HiddenPrev", "Weight", "Bias"], ["Gate", "ResetHiddenPrev", "Hidden"],
    ["activation", "gate_activation", "origin_mode"]>];
  let newIrGradients = ["gru_unit_grad(input, hidden_prev, weight, bias, gate, reset_hidden_prev, dhidden)"];
}

// use_seq chooses between two kernels; the other ignored names are scratch outputs.
def : LegacyFormula<"fused_embedding_fc_lstm", ["Ids", "Embeddings", "WeightH", "Bias", "H0?", "C0?"],
  ["Hidden", "Cell"], ["use_peepholes", "is_reverse", "gate_activation", "cell_activation", "candidate_activation"],
  ["use_seq=any", "slot XX", "slot BatchedInput", "slot BatchedHidden", "slot BatchedCell", "slot ReorderedH0",
    "slot ReorderedC0"],
  "importFusedEmbeddingFcLstm">;

#endif
