// Dropout.
#ifndef PROA_DIALECTS_PD_NN_DROPOUT
#define PROA_DIALECTS_PD_NN_DROPOUT

include "dialects/pd/ops/nn/RandomInTraining.td"

def Pd_DropoutOp : Pd_RandomInTrainingOp<"dropout", [AttrSizedOperandSegments]> {
  let summary = "Dropout: elements set to zero with probability p";
  let description = [{
    With `is_test`, `out` is x in mode `upscale_in_train` and x * (1 - p) in mode `downgrade_in_infer`. In training
    each element of `mask` is 0 with probability p and 1 otherwise, and `out` is x * mask, in mode `upscale_in_train`
    divided by 1 - p (0 for p = 1). `p_tensor` overrides `p`, `seed_tensor` overrides `seed`; seeds are used if
    `fix_seed` is set. With `whole_shape` x is the shard of a tensor of these dims that begins at the index
    `part_begin`, and the mask is that which the whole has there, as in pd.uniform.
  }];
  let constraints = [
    "C1. p is in [0, 1]",
    "C2. whole_shape has one entry for each dimension of x, and part_begin is given with it as a vector of them"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_IntTensor>:$seed_tensor, Optional<Pd_FloatTensor>:$p_tensor,
    Optional<Pd_IntTensor>:$part_begin, DefaultValuedAttr<F64Attr, "0.5">:$p,
    DefaultValuedAttr<BoolAttr, "false">:$is_test, Pd_DefaultEnum<Pd_DropoutModeAttr, "DowngradeInInfer">:$mode,
    DefaultValuedAttr<I64Attr, "0">:$seed, DefaultValuedAttr<BoolAttr, "false">:$fix_seed,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$whole_shape);
  let sharding = "inCode";
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$mask);
  let infer = "inferDropout";
  let decomposesInCode = 1;
  let hasCanonicalizeMethod = 1; // in inference: the identity, or a scaling
  let vjpInCode = 1;
  let precision = "follow";
  let legacy = [Legacy<"dropout", ["X", "Seed", "@dropout_prob", ""], ["Out", "Mask"],
    ["p=dropout_prob", "is_test", "mode=dropout_implementation", "seed", "fix_seed"]>];
  let newIrGradients = ["dropout_grad(mask, dout, p_tensor)"];
}

def : OnnxFormula<"Dropout", "importDropout">;

def : LegacyFormula<"dropout_nd", ["X"], ["Out", "Mask"], ["dropout_prob", "dropout_implementation", "is_test",
  "axis", "seed", "fix_seed"], [], "importDropoutNd">;

#endif
