// Optimizers with per-element learning rates.
#ifndef PROA_DIALECTS_PD_OPTIMIZER_ADAPTIVE
#define PROA_DIALECTS_PD_OPTIMIZER_ADAPTIVE

include "dialects/pd/ops/optimizer/Update.td"

defvar AdamUpdated = "adaptor.getParam(), adaptor.getMoment1(), adaptor.getMoment2(), adaptor.getMoment2(), "
  # "adaptor.getBeta1Pow(), adaptor.getBeta2Pow(), adaptor.getMasterParam()";
defvar AdamInputs = ["Param", "Grad", "LearningRate", "Moment1", "Moment2", "Moment2Max", "Beta1Pow", "Beta2Pow",
  "MasterParam",
  "SkipUpdate", "Beta1Tensor", "Beta2Tensor", "EpsilonTensor"];
defvar AdamOutputs = ["ParamOut", "Moment1Out", "Moment2Out", "Moment2MaxOut", "Beta1PowOut", "Beta2PowOut",
  "MasterParamOut"];
defvar AdamNewIr = NewIr<["param", "grad", "learning_rate", "moment1", "moment2", "moment2_max", "beta1_pow",
  "beta2_pow",
  "master_param", "skip_update", "beta1_tensor", "beta2_tensor", "epsilon_tensor"], [], [],
    ["min_row_size_to_use_multithread=any"]>;

def Pd_AdamOp : Pd_UpdateOp<"adam", AdamUpdated, [AttrSizedOperandSegments]> {
  let summary = "Adam: gradient descent by bias-corrected running means of the gradient and its square";
  let description = [{
    moment1_out = beta1 * moment1 + (1 - beta1) * grad
    moment2_out = beta2 * moment2 + (1 - beta2) * grad^2
    moment2_max_out = max(moment2_max, moment2_out); with `amsgrad` it replaces moment2_out below
    param_out = param - learning_rate * sqrt(1 - beta2_pow) / (1 - beta1_pow)
                        * moment1_out / (sqrt(moment2_out) + epsilon * sqrt(1 - beta2_pow))
    beta1_pow_out = beta1 * beta1_pow, beta2_pow_out = beta2 * beta2_pow; with `use_global_beta_pow` they do not change

    beta1, beta2 and epsilon are attributes, or one-element tensors, which override the attributes. If `skip_update`
    is true, nothing changes. `lazy_mode` affects sparse gradients only. merged_adam is imported as one op for each
    parameter.
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$learning_rate,
    Pd_FloatTensor:$moment1, Pd_FloatTensor:$moment2, Optional<Pd_FloatTensor>:$moment2_max, Pd_FloatTensor:$beta1_pow,
      Pd_FloatTensor:$beta2_pow,
    Optional<Pd_FloatTensor>:$master_param, Optional<Pd_BoolTensor>:$skip_update,
      Optional<Pd_FloatTensor>:$beta1_tensor,
    Optional<Pd_FloatTensor>:$beta2_tensor, Optional<Pd_FloatTensor>:$epsilon_tensor, UpdateFloat<"0.9">:$beta1,
    UpdateFloat<"0.999">:$beta2, UpdateFloat<"1e-8">:$epsilon, UpdateFlag<"false">:$lazy_mode,
    UpdateFlag<"false">:$multi_precision, UpdateFlag<"false">:$use_global_beta_pow, UpdateFlag<"false">:$amsgrad);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$moment1_out, Pd_FloatTensor:$moment2_out,
    Pd_FloatTensor:$moment2_max_out, Pd_FloatTensor:$beta1_pow_out, Pd_FloatTensor:$beta2_pow_out,
    Optional<Pd_FloatTensor>:$master_param_out);
  let precision = "always full";
  let legacy = [
    Legacy<"adam", AdamInputs, AdamOutputs, ["beta1", "beta2", "epsilon", "lazy_mode", "multi_precision",
      "use_global_beta_pow", "amsgrad"], ["min_row_size_to_use_multithread=any"], "importAdam">,
    Legacy<"merged_adam", ["Param*", "Grad*", "LearningRate*", "Moment1*", "Moment2*", "Moment2Max*", "Beta1Pow*",
      "Beta2Pow*", "MasterParam*"], AdamOutputs, ["beta1", "beta2", "epsilon", "multi_precision", "use_global_beta_pow",
      "amsgrad"], [], "importMergedAdam">];
  let newIr = [AdamNewIr];
}

def Pd_AdamwOp : Pd_UpdateOp<"adamw", AdamUpdated, [AttrSizedOperandSegments]> {
  let summary = "AdamW: adam with decoupled weight decay, by learning_rate * lr_ratio * coeff";
  let description = [{
    As adam, from param * (1 - learning_rate * lr_ratio * coeff). Without `with_decay` it is adam. As on Paddle's CPU,
    lr_ratio affects only the decay; Paddle's GPU kernel also multiplies the learning rate of the step by it.
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$learning_rate,
    Pd_FloatTensor:$moment1, Pd_FloatTensor:$moment2, Optional<Pd_FloatTensor>:$moment2_max, Pd_FloatTensor:$beta1_pow,
      Pd_FloatTensor:$beta2_pow,
    Optional<Pd_FloatTensor>:$master_param, Optional<Pd_BoolTensor>:$skip_update,
      Optional<Pd_FloatTensor>:$beta1_tensor,
    Optional<Pd_FloatTensor>:$beta2_tensor, Optional<Pd_FloatTensor>:$epsilon_tensor, UpdateFloat<"0.9">:$beta1,
    UpdateFloat<"0.999">:$beta2, UpdateFloat<"1e-8">:$epsilon, UpdateFloat<"1.0">:$lr_ratio, UpdateFloat<"0.01">:$coeff,
    UpdateFlag<"false">:$with_decay, UpdateFlag<"false">:$lazy_mode, UpdateFlag<"false">:$multi_precision,
    UpdateFlag<"false">:$use_global_beta_pow, UpdateFlag<"false">:$amsgrad);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$moment1_out, Pd_FloatTensor:$moment2_out,
    Pd_FloatTensor:$moment2_max_out, Pd_FloatTensor:$beta1_pow_out, Pd_FloatTensor:$beta2_pow_out,
    Optional<Pd_FloatTensor>:$master_param_out);
  let precision = "always full";
  let legacy = [Legacy<"adamw", AdamInputs, AdamOutputs, ["beta1", "beta2", "epsilon", "lr_ratio", "coeff",
    "with_decay", "lazy_mode", "multi_precision", "use_global_beta_pow", "amsgrad"],
    ["min_row_size_to_use_multithread=any"],
      "importAdam">];
  let newIr = [AdamNewIr];
}

def Pd_AdamaxOp : Pd_UpdateOp<"adamax",
    "adaptor.getParam(), adaptor.getMoment(), adaptor.getInfNorm(), adaptor.getMasterParam()"> {
  let summary = "Adamax: adam with a decayed maximum of past gradients instead of the mean square";
  let description = [{
    moment_out = beta1 * moment + (1 - beta1) * grad
    inf_norm_out = max(|grad|, beta2 * inf_norm + epsilon)
    param_out = param - learning_rate / (1 - beta1_pow) * moment_out / inf_norm_out

    Another op updates beta1_pow.
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$learning_rate,
    Pd_FloatTensor:$moment, Pd_FloatTensor:$inf_norm, Pd_FloatTensor:$beta1_pow, Optional<Pd_FloatTensor>:$master_param,
      UpdateFloat<"0.9">:$beta1,
    UpdateFloat<"0.999">:$beta2, UpdateFloat<"1e-8">:$epsilon, UpdateFlag<"false">:$multi_precision);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$moment_out, Pd_FloatTensor:$inf_norm_out,
    Optional<Pd_FloatTensor>:$master_param_out);
  let precision = "always full";
  let legacy = [Legacy<"adamax", ["Param", "Grad", "LearningRate", "Moment", "InfNorm", "Beta1Pow", "MasterParam"],
    ["ParamOut", "MomentOut", "InfNormOut", "MasterParamOut"], ["beta1", "beta2", "epsilon", "multi_precision"]>];
}

def Pd_AdagradOp : Pd_UpdateOp<"adagrad", "adaptor.getParam(), adaptor.getMoment(), adaptor.getMasterParam()"> {
  let summary = "Adagrad: gradient descent scaled by the sum of all squares of the gradient";
  let description = [{
    moment_out = moment + grad^2
    param_out = param - learning_rate * grad / (sqrt(moment_out) + epsilon)
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$moment,
    Pd_FloatTensor:$learning_rate, Optional<Pd_FloatTensor>:$master_param, UpdateFloat<"1e-6">:$epsilon,
    UpdateFlag<"false">:$multi_precision);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$moment_out,
    Optional<Pd_FloatTensor>:$master_param_out);
  let precision = "always full";
  let legacy = [Legacy<"adagrad", ["Param", "Grad", "Moment", "LearningRate", "MasterParam"], ["ParamOut", "MomentOut",
    "MasterParamOut"], ["epsilon", "multi_precision"]>];
}

def Pd_DecayedAdagradOp : Pd_UpdateOp<"decayed_adagrad", "adaptor.getParam(), adaptor.getMoment()"> {
  let summary = "adagrad with a decaying sum: moment_out = decay * moment + (1 - decay) * grad^2";
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$moment,
    Pd_FloatTensor:$learning_rate, UpdateFloat<"0.95">:$decay, UpdateFloat<"1e-6">:$epsilon);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$moment_out);
  let precision = "always full";
  let legacy = [Legacy<"decayed_adagrad", ["Param", "Grad", "Moment", "LearningRate"], ["ParamOut", "MomentOut"],
    ["decay", "epsilon"]>];
}

def Pd_AdadeltaOp : Pd_UpdateOp<"adadelta", "adaptor.getParam(), adaptor.getAvgSquaredGrad(), "
    # "adaptor.getAvgSquaredUpdate(), adaptor.getMasterParam()", [AttrSizedOperandSegments]> {
  let summary = "Adadelta: gradient descent scaled by running means of the squares of gradients and of updates";
  let description = [{
    avg_squared_grad_out = rho * avg_squared_grad + (1 - rho) * grad^2
    update = -sqrt((avg_squared_update + epsilon) / (avg_squared_grad_out + epsilon)) * grad
    avg_squared_update_out = rho * avg_squared_update + (1 - rho) * update^2
    param_out = param + learning_rate * update

    The default of learning_rate (older programs) is 1.
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$avg_squared_grad,
    Pd_FloatTensor:$avg_squared_update, Optional<Pd_FloatTensor>:$learning_rate, Optional<Pd_FloatTensor>:$master_param,
    UpdateFloat<"0.95">:$rho, UpdateFloat<"1e-6">:$epsilon, UpdateFlag<"false">:$multi_precision);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$avg_squared_grad_out,
    Pd_FloatTensor:$avg_squared_update_out, Optional<Pd_FloatTensor>:$master_param_out);
  let precision = "always full";
  let legacy = [Legacy<"adadelta", ["Param", "Grad", "AvgSquaredGrad", "AvgSquaredUpdate", "LearningRate",
    "MasterParam"], ["ParamOut", "AvgSquaredGradOut", "AvgSquaredUpdateOut", "MasterParamOut"], ["rho", "epsilon",
    "multi_precision"]>];
}

def Pd_RmspropOp : Pd_UpdateOp<"rmsprop", "adaptor.getParam(), adaptor.getMoment(), adaptor.getMeanSquare(), "
    # "adaptor.getMeanSquare(), adaptor.getMasterParam()", [AttrSizedOperandSegments]> {
  let summary = "RMSProp: gradient descent scaled by a running mean of the squares of the gradient";
  let description = [{
    mean_square_out = decay * mean_square + (1 - decay) * grad^2 variance = mean_square_out; if `centered`, less
    mean_grad_out^2 with mean_grad_out = decay * mean_grad + (1 - decay) * grad moment_out = momentum * moment +
    learning_rate * grad / sqrt(variance + epsilon) param_out = param - moment_out

    Without `centered` mean_grad_out is mean_grad, or zeros if that is missing.
  }];
  let constraints = !listconcat(UpdateConstraints, ["C3. mean_grad is given if `centered`"]);
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$mean_square, Pd_FloatTensor:$grad, Pd_FloatTensor:$moment,
    Pd_FloatTensor:$learning_rate, Optional<Pd_FloatTensor>:$mean_grad, Optional<Pd_FloatTensor>:$master_param,
    UpdateFloat<"1e-10">:$epsilon, UpdateFloat<"0.9">:$decay, UpdateFloat<"0.0">:$momentum,
      UpdateFlag<"false">:$centered,
    UpdateFlag<"false">:$multi_precision);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$moment_out, Pd_FloatTensor:$mean_square_out,
    Pd_FloatTensor:$mean_grad_out, Optional<Pd_FloatTensor>:$master_param_out);
  let infer = "inferRmsprop";
  let precision = "always full";
  let legacy = [Legacy<"rmsprop", ["Param", "MeanSquare", "Grad", "Moment", "LearningRate", "MeanGrad", "MasterParam"],
    ["ParamOut", "MomentOut", "MeanSquareOut", "MeanGradOut", "MasterParamOut"], ["epsilon", "decay", "momentum",
      "centered",
    "multi_precision"]>];
}

def Pd_LambOp : Pd_UpdateOp<"lamb",
  "adaptor.getParam(), adaptor.getMoment1(), adaptor.getMoment2(), adaptor.getBeta1Pow(), "
    # "adaptor.getBeta2Pow(), adaptor.getMasterParam()", [AttrSizedOperandSegments]> {
  let summary = "LAMB: adam with a learning rate for each layer, by the norms of its parameter and update";
  let description = [{
    moment1_out, moment2_out and the beta powers as adam
    update = moment1_out / (1 - beta1_pow) / (sqrt(moment2_out / (1 - beta2_pow)) + epsilon) + weight_decay * param
    ratio = |param| / |update| if both norms are above 0, else 1; 1 if weight_decay is 0, unless `always_adapt`
    param_out = param - learning_rate * ratio * update

    If `skip_update` is true, nothing changes.
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$learning_rate,
    Pd_FloatTensor:$moment1, Pd_FloatTensor:$moment2, Pd_FloatTensor:$beta1_pow, Pd_FloatTensor:$beta2_pow,
      Optional<Pd_FloatTensor>:$master_param,
    Optional<Pd_BoolTensor>:$skip_update, F64Attr:$weight_decay, UpdateFloat<"0.9">:$beta1, UpdateFloat<"0.999">:$beta2,
    UpdateFloat<"1e-6">:$epsilon, UpdateFlag<"false">:$always_adapt, UpdateFlag<"false">:$multi_precision);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$moment1_out, Pd_FloatTensor:$moment2_out,
    Pd_FloatTensor:$beta1_pow_out, Pd_FloatTensor:$beta2_pow_out, Optional<Pd_FloatTensor>:$master_param_out);
  let precision = "always full";
  let legacy = [Legacy<"lamb", ["Param", "Grad", "LearningRate", "Moment1", "Moment2", "Beta1Pow", "Beta2Pow",
    "MasterParam", "SkipUpdate"], ["ParamOut", "Moment1Out", "Moment2Out", "Beta1PowOut", "Beta2PowOut",
    "MasterParamOut"], ["weight_decay", "beta1", "beta2", "epsilon", "always_adapt", "multi_precision"]>];
}

def Pd_FtrlOp : Pd_UpdateOp<"ftrl",
  "adaptor.getParam(), adaptor.getSquaredAccumulator(), adaptor.getLinearAccumulator()"> {
  let summary = "FTRL-proximal: follow the regularized leader";
  let description = [{
    squared_out = squared + grad^2, q = -lr_power linear_out = linear + grad - (squared_out^q - squared^q) /
    learning_rate * param param_out = (l1 * sign(linear_out) - linear_out) / (squared_out^q / learning_rate + 2 * l2)
    where |linear_out| > l1, else 0

    1e-10 is added to l1 and l2.
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$squared_accumulator, Pd_FloatTensor:$linear_accumulator,
    Pd_FloatTensor:$grad, Pd_FloatTensor:$learning_rate, UpdateFloat<"0.0">:$l1, UpdateFloat<"0.0">:$l2,
    UpdateFloat<"-0.5">:$lr_power);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$squared_accumulator_out,
    Pd_FloatTensor:$linear_accumulator_out);
  let precision = "always full";
  let legacy = [Legacy<"ftrl", ["Param", "SquaredAccumulator", "LinearAccumulator", "Grad", "LearningRate"],
    ["ParamOut", "SquaredAccumOut", "LinearAccumOut"], ["l1", "l2", "lr_power"], [], "importFtrl">];
}

// Ops that were added in Paddle 3: legacy programs do not have them.

def Pd_NadamOp : Pd_UpdateOp<"nadam", "adaptor.getParam(), adaptor.getMomentumDecayPow(), adaptor.getBeta2Pow(), "
    # "adaptor.getMuProduct(), adaptor.getMoment1(), adaptor.getMoment2(), adaptor.getMasterParam()"> {
  let summary = "NAdam: adam with Nesterov momentum";
  let description = [{
    momentum_decay_pow_out = 0.96 * momentum_decay_pow, beta2_pow_out = beta2 * beta2_pow
    mu = beta1 * (1 - momentum_decay_pow_out^momentum_decay / 2)
    next_mu = beta1 * (1 - (0.96 * momentum_decay_pow_out)^momentum_decay / 2)
    mu_product_out = mu * mu_product
    moment1_out = beta1 * moment1 + (1 - beta1) * grad, moment2_out = beta2 * moment2 + (1 - beta2) * grad^2
    mean = next_mu * moment1_out / (1 - next_mu * mu_product_out) + (1 - mu) * grad / (1 - mu_product_out)
    param_out = param - learning_rate * mean / (sqrt(moment2_out / (1 - beta2_pow_out)) + epsilon)
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$learning_rate,
    Pd_FloatTensor:$momentum_decay_pow, Pd_FloatTensor:$beta2_pow, Pd_FloatTensor:$mu_product, Pd_FloatTensor:$moment1,
    Pd_FloatTensor:$moment2, Optional<Pd_FloatTensor>:$master_param, UpdateFloat<"0.9">:$beta1,
      UpdateFloat<"0.999">:$beta2,
    UpdateFloat<"1e-8">:$epsilon, UpdateFloat<"0.004">:$momentum_decay, UpdateFlag<"false">:$multi_precision);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$momentum_decay_pow_out, Pd_FloatTensor:$beta2_pow_out,
    Pd_FloatTensor:$mu_product_out, Pd_FloatTensor:$moment1_out, Pd_FloatTensor:$moment2_out,
    Optional<Pd_FloatTensor>:$master_param_out);
  let precision = "always full";
}

def Pd_RadamOp : Pd_UpdateOp<"radam",
  "adaptor.getParam(), adaptor.getBeta1Pow(), adaptor.getBeta2Pow(), adaptor.getRho(), "
    # "adaptor.getMoment1(), adaptor.getMoment2(), adaptor.getMasterParam()"> {
  let summary = "RAdam: adam whose first steps, in which the variance is uncertain, are plain momentum";
  let description = [{
    beta1_pow_out = beta1 * beta1_pow, beta2_pow_out = beta2 * beta2_pow
    rho_out = (rho * (beta2 - beta2_pow_out) + beta2_pow_out) / (1 - beta2_pow_out)
    moment1_out = beta1 * moment1 + (1 - beta1) * grad, moment2_out = beta2 * moment2 + (1 - beta2) * grad^2
    limit = 2 / (1 - beta2) - 1, length = limit - 2 * rho_out
    scale = sqrt((length - 4) (length - 2) limit / ((limit - 4) (limit - 2) length) * (1 - beta2_pow_out))
      / (sqrt(moment2_out) + epsilon) where length > 5, else 1
    param_out = param - learning_rate * moment1_out / (1 - beta1_pow_out) * scale
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$learning_rate,
    Pd_FloatTensor:$beta1_pow, Pd_FloatTensor:$beta2_pow, Pd_FloatTensor:$rho, Pd_FloatTensor:$moment1,
    Pd_FloatTensor:$moment2, Optional<Pd_FloatTensor>:$master_param, UpdateFloat<"0.9">:$beta1,
    UpdateFloat<"0.999">:$beta2, UpdateFloat<"1e-8">:$epsilon, UpdateFlag<"false">:$multi_precision);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$beta1_pow_out, Pd_FloatTensor:$beta2_pow_out,
    Pd_FloatTensor:$rho_out, Pd_FloatTensor:$moment1_out, Pd_FloatTensor:$moment2_out,
    Optional<Pd_FloatTensor>:$master_param_out);
  let precision = "always full";
}

def Pd_RpropOp : Pd_UpdateOp<"rprop", ""> {
  let summary = "Rprop: steps against the sign of the gradient, with a step size for each element";
  let description = [{
    If grad has the sign of prev, the element's learning rate is multiplied by etas[1]; if it has the other sign, by
    etas[0], and the gradient is set to 0. The rate is clamped to learning_rate_range.

    prev_out = grad (or 0), param_out = param - sign(prev_out) * learning_rate_out
  }];
  let constraints = ["C1. grad, prev and learning_rate have the dimensions of param"];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$prev, Pd_FloatTensor:$learning_rate,
    Optional<Pd_FloatTensor>:$master_param, Pd_FloatTensor:$learning_rate_range, Pd_FloatTensor:$etas,
    UpdateFlag<"false">:$multi_precision);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$prev_out, Pd_FloatTensor:$learning_rate_out,
    Optional<Pd_FloatTensor>:$master_param_out);
  let infer = "[](auto location, Adaptor adaptor, auto &results) { return inferUpdate(location, adaptor.getParam(), "
    # "adaptor.getGrad(), Value(), {adaptor.getParam(), adaptor.getPrev(), adaptor.getLearningRate(), "
    # "adaptor.getMasterParam()}, results); }";
  let precision = "always full";
}

def Pd_AsgdOp : Pd_UpdateOp<"asgd", "adaptor.getParam(), adaptor.getD(), adaptor.getY(), adaptor.getMasterParam()"> {
  let summary = "ASGD: gradient descent by the mean of the last gradients of n batches";
  let description = [{
    d_out = d - y + grad, y_out = grad, param_out = param - learning_rate / n * d_out
  }];
  let arguments = (ins Pd_FloatTensor:$param, Pd_FloatTensor:$grad, Pd_FloatTensor:$learning_rate, Pd_FloatTensor:$d,
    Pd_FloatTensor:$y, Pd_RealTensor:$n, Optional<Pd_FloatTensor>:$master_param, UpdateFlag<"false">:$multi_precision);
  let results = (outs Pd_FloatTensor:$param_out, Pd_FloatTensor:$d_out, Pd_FloatTensor:$y_out,
    Optional<Pd_FloatTensor>:$master_param_out);
  let precision = "always full";
}

def : LegacyFormula<"fused_adam", ["Params*", "Grads*", "LearningRate", "Moments1*", "Moments2*", "Beta1Pows*",
  "Beta2Pows*", "MasterParams*", "SkipUpdate?"], ["ParamsOut*", "Moments1Out*", "Moments2Out*", "Beta1PowsOut*",
  "Beta2PowsOut*", "MasterParamsOut*"], ["beta1", "beta2", "epsilon", "multi_precision", "use_global_beta_pow",
    "use_adamw",
  "weight_decay"], ["chunk_size=any"], "importFusedAdam">; // chunk_size: how a kernel splits its work

#endif
