// Sums of gradients, loss scaling, averages of parameters, and fused buffers.
#ifndef PROA_DIALECTS_PD_OPTIMIZER_SCALING
#define PROA_DIALECTS_PD_OPTIMIZER_SCALING

include "dialects/pd/ir/Base.td"

def Pd_AddNOp : Pd_Op<"add_n"> {
  let summary = "The sum of all inputs";
  let constraints = ["C1. there is at least one input, and all have the same dimensions and element type"];
  let arguments = (ins Variadic<Pd_NumberTensor>:$inputs);
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferAddN";
  let decomposesInCode = 1;
  let linear = ["inputs"];
  let precision = "follow";
  let legacy = [Legacy<"sum", ["X*"], ["Out"], [], [], "importSum">];
  let newIrInPlace = ["add_n_()"];
}

def Pd_CheckFiniteAndUnscaleOp : Pd_Op<"check_finite_and_unscale"> {
  let summary = "Gradients divided by the loss scale, and whether any element is not finite";
  let description = [{
    found_infinite (one bool) is true if an element of some x is infinite or NaN. out_i = x_i / scale; from the first
    x_i with such an element on, out_i = x_i * 0.
  }];
  let constraints = ["C1. scale has one element"];
  let arguments = (ins Variadic<Pd_FloatTensor>:$x, Pd_FloatTensor:$scale);
  let results = (outs Variadic<Pd_FloatTensor>:$out, Pd_BoolTensor:$found_infinite);
  let infer = "inferUnscale";
  let decomposesInCode = 1;
  let precision = "always full";
  let legacy = [Legacy<"check_finite_and_unscale", ["X*", "Scale"], ["Out", "FoundInfinite"]>];
}

def Pd_UpdateLossScalingOp : Pd_Op<"update_loss_scaling", [AttrSizedOperandSegments]> {
  let summary = "The loss scale of the next step, and gradients that are zero if this step is skipped";
  let description = [{
    If found_infinite: good steps become 0 and bad steps grow by 1; at decr_every_n_nan_or_inf bad steps the scale is
    multiplied by decr_ratio, but not below 1, and bad steps become 0. Otherwise: bad steps become 0 and good steps
    grow by 1; at incr_every_n_steps the scale is multiplied by incr_ratio, unless that is infinite, and good steps
    become 0. If stop_update (attribute or one-element tensor) is true these three do not change. out_i is zero if
    found_infinite, else x_i.
  }];
  let constraints = ["C1. found_infinite, the scale and both counters have one element"];
  let arguments = (ins Variadic<Pd_FloatTensor>:$x, Pd_BoolTensor:$found_infinite, Pd_FloatTensor:$prev_loss_scaling,
    Pd_IntTensor:$in_good_steps, Pd_IntTensor:$in_bad_steps, Optional<Pd_BoolTensor>:$stop_update_tensor,
    I64Attr:$incr_every_n_steps, I64Attr:$decr_every_n_nan_or_inf, F64Attr:$incr_ratio, F64Attr:$decr_ratio,
    DefaultValuedAttr<BoolAttr, "false">:$stop_update);
  let results = (outs Variadic<Pd_FloatTensor>:$out, Pd_FloatTensor:$loss_scaling, Pd_IntTensor:$out_good_steps,
    Pd_IntTensor:$out_bad_steps);
  let infer = "inferLossScaling";
  let decomposesInCode = 1;
  let precision = "always full";
  let legacy = [Legacy<"update_loss_scaling", ["X*", "FoundInfinite", "PrevLossScaling", "InGoodSteps", "InBadSteps",
    "StopUpdate"], ["Out", "LossScaling", "OutGoodSteps", "OutBadSteps"], ["incr_every_n_steps",
      "decr_every_n_nan_or_inf",
    "incr_ratio", "decr_ratio", "stop_update"], exportHook_="exportUpdateLossScaling">];
  let newIrInPlace = [
    "update_loss_scaling_(out=x, loss_scaling=prev_loss_scaling, out_good_steps=in_good_steps, "
      "out_bad_steps=in_bad_steps)"
  ];
}

def Pd_AverageAccumulatesOp : Pd_Op<"average_accumulates"> {
  let summary = "Running sums of a parameter over a window of steps";
  let description = [{
    The counters num_updates and num_accumulates grow by 1, and sum 1 by param. Every 16384 updates sum 1 is added to
    sum 2 and set to 0. When num_accumulates reaches min_average_window and min(max_average_window, num_updates *
    average_window), sum 3 becomes the sum of the other two, these and num_accumulates are set to 0, and
    old_num_accumulates is the previous num_accumulates.
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$in_sum_1, Pd_FloatTensor:$in_sum_2,
    Pd_FloatTensor:$in_sum_3, Pd_IntTensor:$in_num_accumulates, Pd_IntTensor:$in_old_num_accumulates,
    Pd_IntTensor:$in_num_updates, DefaultValuedAttr<F64Attr, "0.0">:$average_window, I64Attr:$max_average_window,
    DefaultValuedAttr<I64Attr, "10000">:$min_average_window);
  let results = (outs Pd_FloatTensor:$out_sum_1, Pd_FloatTensor:$out_sum_2, Pd_FloatTensor:$out_sum_3,
    Pd_IntTensor:$out_num_accumulates, Pd_IntTensor:$out_old_num_accumulates, Pd_IntTensor:$out_num_updates);
  let infer = "inferAccumulates";
  let decomposesInCode = 1;
  let precision = "always full";
  let legacy = [Legacy<"average_accumulates", ["param", "in_sum_1", "in_sum_2", "in_sum_3", "in_num_accumulates",
    "in_old_num_accumulates", "in_num_updates"], ["out_sum_1", "out_sum_2", "out_sum_3", "out_num_accumulates",
    "out_old_num_accumulates", "out_num_updates"], ["average_window", "max_average_window:long",
      "min_average_window:long"], exportHook_="exportAverageAccumulates">];
}

def Pd_CoalesceTensorOp : Pd_Op<"coalesce_tensor"> {
  let summary = "All inputs concatenated in one buffer";
  let description = [{
    fused_output has the elements of each tensor. With `use_align` each is padded to a multiple of align_size bytes
    (4096 if that is not positive), with zeros or, with `set_constant`, the constant. output_i is input_i if
    `copy_data`, else filled with `constant` (`set_constant`), else zero.

    Values are immutable: an op that changes fused_output does not change output_i.
  }];
  let constraints = ["C1. all dims are static"];
  let arguments = (ins Variadic<Pd_Tensor>:$input, TypeAttr:$dtype, DefaultValuedAttr<BoolAttr, "false">:$copy_data,
    DefaultValuedAttr<BoolAttr, "false">:$set_constant, DefaultValuedAttr<F64Attr, "0.0">:$constant,
    DefaultValuedAttr<BoolAttr, "true">:$use_align, DefaultValuedAttr<I64Attr, "-1">:$align_size);
  let results = (outs Variadic<Pd_Tensor>:$output, Pd_Tensor:$fused_output);
  let infer = "inferCoalesce";
  let decomposesInCode = 1;
  let legacy = [Legacy<"coalesce_tensor", ["Input*"], ["Output", "FusedOutput"], ["dtype", "copy_data", "set_constant",
    "constant", "use_align", "align_size"], ["user_defined_size_of_dtype=hook", "persist_output=any",
      "concated_shapes=[]",
    "concated_ranks=[]"], "importCoalesceTensor">];
  let newIr = [NewIr<["input"], [], [], ["size_of_dtype=-1", "persist_output=any", "concated_shapes=[]",
    "concated_ranks=[]"]>];
}

def Pd_Pow2DecayWithLinearWarmupOp : Pd_Op<"pow2_decay_with_linear_warmup"> {
  let summary = "Learning rate schedule: linear warmup followed by quadratic decay";
  let description = [{
    step_out = step + 1 = s. Up to warmup_steps: base_lr * s / warmup_steps; up to total_steps:
    (base_lr - end_lr) * (1 - (s - warmup_steps) / (total_steps - warmup_steps))^2 + end_lr; then end_lr.
  }];
  let arguments = (ins Pd_FloatTensor:$learning_rate, Pd_IntTensor:$step, I64Attr:$warmup_steps, I64Attr:$total_steps,
    F64Attr:$base_lr, F64Attr:$end_lr);
  let results = (outs Pd_FloatTensor:$learning_rate_out, Pd_IntTensor:$step_out);
  let infer = "[](auto, Adaptor adaptor, auto &results) { results.append({adaptor.getLearningRate().getType(), "
    # "adaptor.getStep().getType()}); return ::mlir::success(); }";
  let decomposesInCode = 1;
  let legacy = [Legacy<"pow2_decay_with_linear_warmup", ["LearningRate", "Step"], ["LearningRateOut", "StepOut"],
    ["warmup_steps:long", "total_steps:long", "base_lr", "end_lr"]>];
}

#endif
