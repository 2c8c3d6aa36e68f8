// Layers of click-through-rate models: shows and clicks, and normalization by counters.
#ifndef PROA_DIALECTS_PD_NN_CLICK_THROUGH
#define PROA_DIALECTS_PD_NN_CLICK_THROUGH

include "dialects/pd/ir/Base.td"

def Pd_CvmOp : Pd_Op<"cvm"> {
  let summary = "With use_cvm, columns 0 and 1 become log(x_0 + 1) and log(x_1 + 1) - log(x_0 + 1); otherwise they "
    "are removed";
  let description = [{
    `cvm` has the shows and clicks of each row. If it is given, columns 0 and 1 of the gradient of x are cvm, as in
    Paddle; else the gradient is the derivative.
  }];
  let constraints = [
    "C1. x is a matrix of more than two columns",
    "C2. cvm has two columns and the rows of x"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_FloatTensor>:$cvm, DefaultValuedAttr<BoolAttr, "true">:$use_cvm);
  let vjpInCode = 1;
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferCvm";
  let decomposesInCode = 1;
  let legacy = [Legacy<"cvm", ["X", "CVM"], ["Y"], ["use_cvm"], [], "importCvm",
    writtenIf_="op.getCvm() != nullptr">];
  let newIrGradients = ["cvm_grad(x, cvm) -> x"];
  let batching = "inCode";
}

def Pd_DataNormOp : Pd_Op<"data_norm", [AttrSizedOperandSegments]> {
  let summary = "Normalization by running statistics: (x - batch_sum / batch_size) * sqrt(batch_size / "
    "batch_square_sum) for each column";
  let description = [{
    `means` and `scales` are the two factors. scale_w and bias are applied if given. The three batch operands are
    counters and not weights: as in Paddle their gradients are the amounts that the batch adds to them (its number of
    rows, their sum, and the sum of (x - means)^2 + epsilon), and the gradient of x treats means and scales as
    constants.
  }];
  let constraints = ["C1. x is a matrix, and the other operands are vectors with one element for each column"];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$batch_size, Pd_FloatTensor:$batch_sum,
    Pd_FloatTensor:$batch_square_sum, Optional<Pd_FloatTensor>:$scale_w, Optional<Pd_FloatTensor>:$bias,
    DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let vjpInCode = 1;
  let operandFormat = [{$x `,` $batch_size `,` $batch_sum `,` $batch_square_sum (`scale` `=` $scale_w^)?
    (`bias` `=` $bias^)?}];
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$means, Pd_FloatTensor:$scales);
  let infer = "inferDataNorm";
  let decomposesInCode = 1;
  let legacy = [Legacy<"data_norm", ["X", "BatchSize", "BatchSum", "BatchSquareSum", "scale_w", "bias"], ["Y", "Means",
    "Scales"], ["epsilon"], ["slot_dim=hook", "summary_decay_rate=any", "enable_scale_and_shift=false",
      "data_layout=hook", "sync_stats=any"],
      "importDataNorm">];
  let batching = "inCode";
}

#endif
