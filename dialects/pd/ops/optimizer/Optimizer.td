// Optimizers with at most one velocity.
#ifndef PROA_DIALECTS_PD_OPTIMIZER_OPTIMIZER
#define PROA_DIALECTS_PD_OPTIMIZER_OPTIMIZER

include "dialects/pd/ops/optimizer/Update.td"

def Pd_SgdOp : Pd_UpdateOp<"sgd", "adaptor.getParam(), adaptor.getMasterParam()"> {
  let summary = "Gradient descent: param - learning_rate * grad";
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$learning_rate, Pd_FloatTensor:$grad,
    Optional<Pd_FloatTensor>:$master_param, UpdateFlag<"false">:$multi_precision);
  let results = (outs Pd_FloatTensor:$param_out, Optional<Pd_FloatTensor>:$master_param_out);
  let precision = "always full";
  let legacy = [Legacy<"sgd", ["Param", "LearningRate", "Grad", "MasterParam"], ["ParamOut", "MasterParamOut"],
    ["multi_precision"]>];
}

def Pd_MomentumOp : Pd_UpdateOp<"momentum", "adaptor.getParam(), adaptor.getVelocity(), adaptor.getMasterParam()"> {
  let summary = "Gradient descent with momentum";
  let description = [{
    g = grad, with regularization_method `l2_decay` plus regularization_coeff * param
    velocity_out = mu * velocity + g
    param_out = param - learning_rate * velocity_out, with use_nesterov param - learning_rate * (g + mu * velocity_out)

    merged_momentum is one of these for each parameter. rescale_grad, by which Paddle's GPU kernel multiplies the
    gradient, does not count, as on Paddle's CPU.
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$velocity,
    Pd_FloatTensor:$learning_rate, Optional<Pd_FloatTensor>:$master_param, F64Attr:$mu,
    UpdateFlag<"false">:$use_nesterov, Pd_DefaultEnum<Pd_RegularizationAttr, "None">:$regularization_method,
    UpdateFloat<"0.0">:$regularization_coeff, UpdateFlag<"false">:$multi_precision, UpdateFloat<"1.0">:$rescale_grad);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$velocity_out,
    Optional<Pd_FloatTensor>:$master_param_out);
  let infer = "inferMomentum";
  let precision = "always full";
  let legacy = [
    Legacy<"momentum", ["Param", "Grad", "Velocity", "LearningRate", "MasterParam"], ["ParamOut", "VelocityOut",
      "MasterParamOut"], ["mu", "use_nesterov", "regularization_method", "regularization_coeff", "multi_precision",
      "rescale_grad"]>,
    Legacy<"merged_momentum", ["Param*", "Grad*", "Velocity*", "LearningRate*", "MasterParam*"], ["ParamOut",
      "VelocityOut", "MasterParamOut"], ["mu", "use_nesterov", "multi_precision", "rescale_grad"],
      ["regularization_method=hook", "regularization_coeff=hook"], "importMergedMomentum">];
}

def Pd_DgcMomentumOp : Pd_UpdateOp<"dgc_momentum",
  "adaptor.getParam(), adaptor.getVelocity(), adaptor.getMasterParam(), adaptor.getGrad()"> {
  let summary = "DGC momentum: momentum until step rampup_begin_step, then sgd, because the compressed gradients "
    "carry the momentum";
  let description = [{
    With a negative rampup_begin_step nothing changes. The update uses grad_out = grad / nranks.
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$velocity,
    Pd_FloatTensor:$learning_rate, Optional<Pd_FloatTensor>:$master_param, Pd_FloatTensor:$current_step,
    Pd_FloatTensor:$nranks, F64Attr:$mu, UpdateFlag<"false">:$use_nesterov, Pd_DefaultEnum<Pd_RegularizationAttr,
    "None">:$regularization_method, UpdateFloat<"0.0">:$regularization_coeff, UpdateFlag<"false">:$multi_precision,
    UpdateFloat<"1.0">:$rescale_grad, UpdateFloat<"-1.0">:$rampup_begin_step);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$velocity_out,
    Optional<Pd_FloatTensor>:$master_param_out, Pd_FloatTensor:$grad_out);
  let precision = "always full";
  let legacy = [Legacy<"dgc_momentum", ["Param", "Grad", "Velocity", "LearningRate", "MasterParam", "current_step",
    "nranks"], ["ParamOut", "VelocityOut", "MasterParamOut", "Grad_out"], ["mu", "use_nesterov",
    "regularization_method", "regularization_coeff", "multi_precision", "rescale_grad", "rampup_begin_step"]>];
}

def Pd_LarsMomentumOp : Pd_UpdateOp<"lars_momentum",
  "adaptor.getParam(), adaptor.getVelocity(), adaptor.getMasterParam()"> {
  let summary = "LARS: momentum with a learning rate for each layer, by the norms of its parameter and gradient";
  let description = [{
    g = rescale_grad * grad rate = learning_rate * lars_coeff * |param| / (|g| + lars_weight_decay * |param| +
    epsilon) where lars_weight_decay, |param|
           and |g| are above 0, else learning_rate
    velocity_out = mu * velocity + rate * (g + lars_weight_decay * param)
    param_out = param - velocity_out

    The legacy op takes lists; it is imported as one op for each parameter.
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$velocity,
    Pd_FloatTensor:$learning_rate, Optional<Pd_FloatTensor>:$master_param, F64Attr:$mu,
    UpdateFloat<"0.001">:$lars_coeff, UpdateFloat<"0.0005">:$lars_weight_decay, UpdateFloat<"0.0">:$epsilon,
    UpdateFlag<"false">:$multi_precision, UpdateFloat<"1.0">:$rescale_grad);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$velocity_out,
    Optional<Pd_FloatTensor>:$master_param_out);
  let precision = "always full";
  let legacy = [Legacy<"lars_momentum", ["Param*", "Grad*", "Velocity*", "LearningRate*", "MasterParam*"], ["ParamOut",
    "VelocityOut", "MasterParamOut"], ["mu", "lars_coeff", "epsilon", "multi_precision", "rescale_grad"],
    ["lars_weight_decay=hook"], "importLarsMomentum", exportHook_="exportLarsMomentum">];
}

def Pd_ProximalGdOp : Pd_UpdateOp<"proximal_gd", "adaptor.getParam()"> {
  let summary = "Proximal gradient descent with l1 and l2 regularization";
  let description = [{
    p = param - learning_rate * grad
    param_out = sign(p) * max(|p| - learning_rate * l1, 0) / (1 + learning_rate * l2)
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$learning_rate,
    UpdateFloat<"0.0">:$l1, UpdateFloat<"0.0">:$l2);
  let results = (outs Pd_FloatTensor:$param_out);
  let precision = "always full";
  let legacy = [Legacy<"proximal_gd", ["Param", "Grad", "LearningRate"], ["ParamOut"], ["l1", "l2"]>];
}

def Pd_ProximalAdagradOp : Pd_UpdateOp<"proximal_adagrad", "adaptor.getParam(), adaptor.getMoment()"> {
  let summary = "adagrad followed by the proximal step of proximal_gd";
  let description = [{
    moment_out = moment + grad^2; p = param - learning_rate * grad / sqrt(moment_out), then as proximal_gd.
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$moment, Pd_FloatTensor:$grad,
    Pd_FloatTensor:$learning_rate, UpdateFloat<"0.0">:$l1, UpdateFloat<"0.0">:$l2);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$moment_out);
  let precision = "always full";
  let legacy = [Legacy<"proximal_adagrad", ["Param", "Moment", "Grad", "LearningRate"], ["ParamOut", "MomentOut"],
    ["l1", "l2"]>];
}

def Pd_DpsgdOp : Pd_UpdateOp<"dpsgd", "adaptor.getParam()"> {
  let summary = "Differentially private SGD: a clipped gradient plus noise";
  let description = [{
    param_out = param - learning_rate * (grad / max(1, |grad| / clip) + noise / batch_size), where noise is one
    normally distributed number with standard deviation sigma.
  }];
  let pure = 0;
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$learning_rate,
    UpdateFloat<"10.0">:$clip, UpdateFloat<"16.0">:$batch_size, UpdateFloat<"1.0">:$sigma, DefaultValuedAttr<I64Attr,
    "0">:$seed);
  let results = (outs Res<Pd_FloatTensor, "", [MemAlloc]>:$param_out);
  let precision = "always full";
  let legacy = [Legacy<"dpsgd", ["Param", "Grad", "LearningRate"], ["ParamOut"], ["clip", "batch_size", "sigma",
    "seed"]>];
}

def Pd_SparseMomentumOp : Pd_Op<"sparse_momentum"> {
  let summary = "momentum with a gradient for some slices of the parameter along `axis`, and zeros elsewhere";
  let description = [{
    Slice i of rescale_grad * grad belongs to slice index[i] of param; index has no repetitions. All slices are
    updated, as in momentum.
  }];
  let constraints = [
    "C1. param has rank 2 and axis is 0 or 1"
  ];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$velocity, Pd_IntTensor:$index,
    Pd_FloatTensor:$learning_rate, F64Attr:$mu, UpdateFlag<"false">:$use_nesterov,
    Pd_DefaultEnum<Pd_RegularizationAttr, "None">:$regularization_method, UpdateFloat<"0.0">:$regularization_coeff,
    UpdateFloat<"1.0">:$rescale_grad, DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$velocity_out);
  let infer = "inferSparseMomentum";
  let decomposesInCode = 1;
  let precision = "always full";
  let legacy = [Legacy<"sparse_momentum", ["Param", "Grad", "Velocity", "Index", "LearningRate"], ["ParamOut",
    "VelocityOut"], ["mu", "use_nesterov", "regularization_method", "regularization_coeff", "rescale_grad", "axis"],
      ["multi_precision=false"]>];
}

def : OnnxFormula<"Adagrad", "importAdagrad", 1, 0, "ai.onnx.preview.training">;
def : OnnxFormula<"Adam", "importAdam", 1, 0, "ai.onnx.preview.training">;
def : OnnxFormula<"Momentum", "importMomentum", 1, 0, "ai.onnx.preview.training">;
def : OnnxFormula<"Gradient", "importGradient", 1, 0, "ai.onnx.preview.training">;

#endif
