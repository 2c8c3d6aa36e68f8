// The loss of recurrent transducers.
#ifndef PROA_DIALECTS_PD_LOSS_TRANSDUCER_LOSS
#define PROA_DIALECTS_PD_LOSS_TRANSDUCER_LOSS

include "dialects/pd/ops/loss/KernelLoss.td"

def Pd_WarprnntOp : Pd_KernelLossOp<"warprnnt"> {
  let sharding = "b * * *, b *, b, b -> b, b * * *";
  let summary = "RNN transducer loss: the negative logarithm of the probability of a label sequence";
  let description = [{
    input [batch, T, U + 1, classes] has the log probabilities of each class after t steps and u labels. A path
    consists of steps (with `blank`) and labels; it ends with a step from the last state. Samples have the lengths
    input_lengths and label_lengths. `warprnntgrad` is the derivative of each loss by input; in it labels count 1 +
    fastemit_lambda times. At run time: lengths fit, and labels are classes.
  }];
  let constraints = [
    "C1. input has rank 4, label is [batch, U], and the lengths are vectors",
    "C2. blank is a class"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_IntTensor:$label, Pd_IntTensor:$input_lengths,
    Pd_IntTensor:$label_lengths, LossInt<"0">:$blank, LossFloat<"0.0">:$fastemit_lambda);
  let results = (outs Pd_FloatTensor:$loss, Pd_FloatTensor:$warprnntgrad);
  let infer = "inferWarprnnt";
  let legacy = [Legacy<"warprnnt", ["input", "label", "input_lengths", "label_lengths"], ["loss", "warprnntgrad"],
    ["blank", "fastemit_lambda"]>];
  let newIrGradients = ["warprnnt_grad(input, input_lengths, warprnntgrad)"];
  let batching = "inCode";
}

#endif
