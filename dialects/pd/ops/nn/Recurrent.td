// Recurrent networks.
#ifndef PROA_DIALECTS_PD_NN_RECURRENT
#define PROA_DIALECTS_PD_NN_RECURRENT

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Contraction.td"

def Pd_RnnOp : Pd_Op<"rnn", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<ContractionOpInterface>]> {
  let onnx = [OnnxWritten<"exportRnn", "hasNoDropout(op)">];
  let sharding = "inCode";
  let summary = "A stack of recurrent layers over time";
  let description = [{
    x is [time, batch, features]. There are L = num_layers layers of D directions (2 with `is_bidirec`, else 1), each
    a cell of H = hidden_size units. The output of a cell at time t is its hidden state; layer l + 1 gets the outputs
    of layer l, forward and backward concatenated along the features. `out` is the output of the last layer.

    `pre_state` and `state` are the initial and the final states, [L * D, batch, H]: hidden (and in mode LSTM cell)
    states, entry l * D + d for layer l and direction d. `weight_list` has, for each l and d, the input weights and
    the hidden weights [gates * H, features or H], and after all of these, in the same order, the input biases and the
    hidden biases [gates * H]. With a = W_ih x + b_ih and r = W_hh h + b_hh, in blocks of H rows:

    - RNN_TANH, RNN_RELU: h' = act(a + r)
    - LSTM: i, f, g, o = sigmoid, sigmoid, tanh, sigmoid of a + r; c' = f * c + i * g; h' = o * tanh(c')
    - GRU: r, z = sigmoid(a_1 + r_1), sigmoid(a_2 + r_2); n = tanh(a_3 + r * r_3); h' = (h - n) * z + n;
      with `resets_before`, r_3 = W_hh_3 (r * h) + b_hh_3 and n = tanh(a_3 + r_3)

    With `sequence_length` samples have different lengths: outputs after the end of a sample are zero, its final state
    is the state after its last element, and the backward direction starts there. Dropout between layers is applied in
    training only (`is_test` false).
  }];
  let constraints = [
    "C1. x has rank 3",
    "C3. pre_state is one tensor (LSTM: two) [L * D, batch, hidden_size]",
    "C4. weight_list has 4 * L * D tensors, of ranks 2 and 1, with gates * hidden_size rows",
    "C5. num_layers and hidden_size are positive"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Variadic<Pd_FloatTensor>:$pre_state, Variadic<Pd_FloatTensor>:$weight_list,
    Optional<Pd_IntTensor>:$sequence_length, DefaultValuedAttr<F64Attr, "0.0">:$dropout_prob,
    DefaultValuedAttr<BoolAttr, "false">:$is_bidirec, DefaultValuedAttr<I64Attr, "10">:$input_size,
    DefaultValuedAttr<I64Attr, "100">:$hidden_size, DefaultValuedAttr<I64Attr, "1">:$num_layers,
    Pd_DefaultEnum<Pd_RnnModeAttr, "Tanh">:$mode, DefaultValuedAttr<I64Attr, "0">:$seed,
    DefaultValuedAttr<BoolAttr, "false">:$is_test, DefaultValuedAttr<BoolAttr, "false">:$resets_before);
  let operandFormat = "$x `states` `=` $pre_state `weights` `=` $weight_list (`lengths` `=` $sequence_length^)?";
  let newIr = [NewIr<["x", "pre_state", "weight_list", "sequence_length", "unused dropout_state"],
    ["out", "", "state", ""]>];
  let results = (outs Pd_FloatTensor:$out, Variadic<Pd_FloatTensor>:$state);
  let infer = "inferRnn";
  let library = "rnn";
  let vjpInCode = 1;
  let decomposesInCode = 1;
  let legacy = [Legacy<"rnn", ["Input", "PreState*", "WeightList*", "SequenceLength"], ["Out", "State"],
    ["dropout_prob", "is_bidirec", "input_size", "hidden_size", "num_layers", "mode", "seed", "is_test"],
    [], "importRnn", ["DropoutState", "Reserve"], writtenIf_="!op.getResetsBefore()">];
  let newIrGradients = ["rnn_grad(x, pre_state, weight_list, sequence_length, out, result 1, result 3, dout, dstate)"];
  let newIrInPlace = ["rnn_()"];
  let batching = "inCode";
}

def Pd_RnnGradientOp : Pd_Op<"rnn_gradient", [AttrSizedOperandSegments]> {
  let sharding = "inCode";
  let summary = "The gradients of a stack of recurrent layers, by backpropagation through time";
  let description = [{
    For pd.rnn with these operands and attributes, whose results have the cotangents `out_gradient` and
    `state_gradient`: `gradients` are of x, of each of `pre_state` and of each of `weight_list`, in this order.
  }];
  let constraints = [
    "C6. out_gradient and state_gradient have the types of the results of pd.rnn, whose constraints C1 to C5 hold"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Variadic<Pd_FloatTensor>:$pre_state, Variadic<Pd_FloatTensor>:$weight_list,
    Optional<Pd_IntTensor>:$sequence_length, Pd_FloatTensor:$out_gradient, Variadic<Pd_FloatTensor>:$state_gradient,
    DefaultValuedAttr<F64Attr, "0.0">:$dropout_prob, DefaultValuedAttr<BoolAttr, "false">:$is_bidirec,
    DefaultValuedAttr<I64Attr, "10">:$input_size, DefaultValuedAttr<I64Attr, "100">:$hidden_size,
    DefaultValuedAttr<I64Attr, "1">:$num_layers, Pd_DefaultEnum<Pd_RnnModeAttr, "Tanh">:$mode,
    DefaultValuedAttr<I64Attr, "0">:$seed, DefaultValuedAttr<BoolAttr, "false">:$is_test);
  let operandFormat = [{$x `states` `=` $pre_state `weights` `=` $weight_list
    (`lengths` `=` $sequence_length^)? `cotangents` `=` $out_gradient `,` $state_gradient}];
  let results = (outs Variadic<Pd_FloatTensor>:$gradients);
  let infer = "inferRnnGradient";
  let library = "rnn_gradient";
  let decomposesInCode = 1;
}

def : OnnxFormula<"RNN", "importRnn">;
def : OnnxFormula<"LSTM", "importLstm">;
def : OnnxFormula<"DynamicQuantizeLSTM", "importDynamicQuantizeLstm", 1, 0, "com.microsoft">;
def : OnnxFormula<"GRU", "importGru">;

#endif
