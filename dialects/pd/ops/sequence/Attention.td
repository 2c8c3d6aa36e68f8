// Recurrences with attention.
#ifndef PROA_DIALECTS_PD_SEQUENCE_ATTENTION
#define PROA_DIALECTS_PD_SEQUENCE_ATTENTION

include "dialects/pd/ir/Base.td"

class ActivationName<string symbol> : Pd_DefaultEnum<Pd_ActivationAttr, symbol>;

def Pd_AttentionLstmOp : Pd_Op<"attention_lstm", [AttrSizedOperandSegments]> {
  let sharding = "whole: sequences are rows of one tensor, and a shard could end inside of one";
  let summary = "An LSTM whose input at each step is the mean of the rows of its sequence, weighted by attention to "
    "the cell";
  let description = [{
    In each step: the score of row r is relu(x_r . w_x + attention_bias + cell . w_c), with w_x the first M elements
    of attention_weight and w_c the other D; with attention_scalar, relu(score * attention_scalar +
    attention_scalar_bias). The softmax of the scores weights the rows of the sequence. With v their mean, the gates
    are v . W_x + hidden . W_h + lstm_bias, where W_h is the first D rows of lstm_weight and W_x the other M, in the
    order forget, input, output, candidate. cell = forget * cell + input * candidate, hidden = output *
    cell_activation(cell). A sequence starts from its rows of c0 and h0 (default: zeros). At run time: activations are
    sigmoid, tanh, relu or identity.
  }];
  let constraints = [
    "C1. x is [T, M], c0 and h0 [sequences, D], attention_weight has M + D elements, lstm_weight is [D + M, 4 D], "
      "lstm_bias"
      " has 4 D elements"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$offsets, Pd_FloatTensor:$c0, Pd_FloatTensor:$attention_weight,
    Pd_FloatTensor:$lstm_weight, Pd_FloatTensor:$lstm_bias, Optional<Pd_FloatTensor>:$h0,
      Optional<Pd_FloatTensor>:$attention_bias,
    Optional<Pd_FloatTensor>:$attention_scalar, Optional<Pd_FloatTensor>:$attention_scalar_bias,
    ActivationName<"Sigmoid">:$gate_activation, ActivationName<"Tanh">:$cell_activation,
    ActivationName<"Tanh">:$candidate_activation);
  let operandFormat = [{$x `,` $offsets `,` $c0 `,` $attention_weight `,` $lstm_weight `,` $lstm_bias (`h0` `=` $h0^)?
    (`bias` `=` $attention_bias^)? (`scalar` `=` $attention_scalar^)? (`scalar_bias` `=` $attention_scalar_bias^)?}];
  let results = (outs Pd_FloatTensor:$hidden, Pd_FloatTensor:$cell);
  let infer = "inferAttentionLstm";
  let decomposesInCode = 1;
  let library = "attention_lstm";
  let lod = "all";
  let legacy = [Legacy<"attention_lstm", ["X", "X@LOD", "C0", "AttentionWeight", "LSTMWeight", "LSTMBias", "H0",
    "AttentionBias",
    "AttentionScalar", "AttentionScalarBias"], ["Hidden", "Cell"], ["gate_activation", "cell_activation",
      "candidate_activation"],
    [], "", ["AttentionedX", "AttentionFCOut", "LSTMX", "LSTMOUT"]>];
  let batching = "inCode";
  let referenceInCode = 1;
  let differentiable = 0;
}

#endif
