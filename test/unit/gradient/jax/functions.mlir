// Made by make.py.

func.func @exp(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.exp %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @exp_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.exp %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @expm1(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.expm1 %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @expm1_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.expm1 %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @log(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.log %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @log_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.log %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @log1p(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.log1p %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @log1p_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.log1p %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @log2(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.log2 %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @log2_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.log2 %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @log10(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.log10 %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @log10_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.log10 %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @sqrt(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.sqrt %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @sqrt_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.sqrt %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @rsqrt(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.rsqrt %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @rsqrt_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.rsqrt %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @square(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.square %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @square_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.square %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @reciprocal(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.reciprocal %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @reciprocal_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.reciprocal %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @abs(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.abs %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @abs_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.abs %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @sin(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.sin %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @sin_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.sin %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @cos(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.cos %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @cos_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.cos %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @tan(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.tan %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @tan_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.tan %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @asin(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.asin %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @asin_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.asin %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @acos(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.acos %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @acos_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.acos %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @atan(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.atan %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @atan_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.atan %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @sinh(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.sinh %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @sinh_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.sinh %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @cosh(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.cosh %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @cosh_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.cosh %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @tanh(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.tanh %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @tanh_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.tanh %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @asinh(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.asinh %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @asinh_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.asinh %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @acosh(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.acosh %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @acosh_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.acosh %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @atanh(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.atanh %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @atanh_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.atanh %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @erf(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.erf %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @erf_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.erf %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @erfinv(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.erfinv %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @erfinv_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.erfinv %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @lgamma(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.lgamma %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @lgamma_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.lgamma %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @digamma(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.digamma %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @digamma_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.digamma %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @sigmoid(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.sigmoid %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @sigmoid_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.sigmoid %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @logsigmoid(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.logsigmoid %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @logsigmoid_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.logsigmoid %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @softplus(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.softplus %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @softplus_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.softplus %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @softsign(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.softsign %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @softsign_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.softsign %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @silu(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.silu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @silu_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.silu %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @mish(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.mish %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @mish_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.mish %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @gelu(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.gelu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @gelu_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.gelu %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @relu(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.relu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @relu_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.relu %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @elu(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.elu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @elu_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.elu %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @selu(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.selu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @selu_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.selu %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @leaky_relu(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.leaky_relu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @leaky_relu_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.leaky_relu %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @tanh_shrink(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.tanh_shrink %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @tanh_shrink_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.tanh_shrink %a : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @pow_3(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.pow %a {factor = 3.0} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @pow_3_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.pow %a {factor = 3.0} : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @pow_5(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.pow %a {factor = 5.0} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @pow_5_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.pow %a {factor = 5.0} : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @pow_real(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.pow %a {factor = 2.5} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @pow_real_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.pow %a {factor = 2.5} : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @clip(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.clip %a {min = -1.0, max = 1.0} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @clip_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.clip %a {min = -1.0, max = 1.0} : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @add(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.add %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @add_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.add %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @subtract(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.subtract %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @subtract_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.subtract %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @multiply(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.multiply %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @multiply_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.multiply %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @divide(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.divide %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @divide_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.divide %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @maximum(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.maximum %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @maximum_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.maximum %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @minimum(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.minimum %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @minimum_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.minimum %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @atan2(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.atan2 %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @atan2_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.atan2 %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @elementwise_pow(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.elementwise_pow %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @elementwise_pow_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.elementwise_pow %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @pow_at_zero(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.elementwise_pow %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @pow_at_zero_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.elementwise_pow %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @square_by_pow(%a: tensor<3xf64>) -> tensor<3xf64> {
  %c = pd.constant dense<[2.0, 2.0, 2.0]> : tensor<3xf64>
  %y = pd.elementwise_pow %a, %c : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @square_by_pow_scalar(%a: tensor<3xf64>) -> tensor<f64> {
  %c = pd.constant dense<[2.0, 2.0, 2.0]> : tensor<3xf64>
  %y = pd.elementwise_pow %a, %c : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @lerp(%a: tensor<3xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.lerp %a, %b, %c : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @lerp_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> tensor<f64> {
  %y = pd.lerp %a, %b, %c : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @broadcast(%a: tensor<2x3xf64>, %b: tensor<3xf64>) -> tensor<2x3xf64> {
  %p = pd.multiply %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %y = pd.add %p, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @broadcast_scalar(%a: tensor<2x3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %p = pd.multiply %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %y = pd.add %p, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001]]> : tensor<2x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @sum(%a: tensor<2x3xf64>) -> tensor<2xf64> {
  %y = pd.sum %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @sum_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.sum %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  %weights_ = pd.constant dense<[1.162, 0.703]> : tensor<2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @mean(%a: tensor<2x3xf64>) -> tensor<3xf64> {
  %y = pd.mean %a {axis = array<i64: 0>} : (tensor<2x3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @mean_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.mean %a {axis = array<i64: 0>} : (tensor<2x3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @max(%a: tensor<2x3xf64>) -> tensor<2xf64> {
  %y = pd.max %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @max_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.max %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  %weights_ = pd.constant dense<[1.162, 0.703]> : tensor<2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @min(%a: tensor<2x3xf64>) -> tensor<2xf64> {
  %y = pd.min %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @min_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.min %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  %weights_ = pd.constant dense<[1.162, 0.703]> : tensor<2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @prod_rows(%a: tensor<2x3xf64>) -> tensor<2xf64> {
  %y = pd.prod %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @prod_rows_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.prod %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  %weights_ = pd.constant dense<[1.162, 0.703]> : tensor<2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @logsumexp(%a: tensor<2x3xf64>) -> tensor<2xf64> {
  %y = pd.logsumexp %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @logsumexp_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.logsumexp %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2xf64>
  %weights_ = pd.constant dense<[1.162, 0.703]> : tensor<2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @cumsum(%a: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = pd.cumsum %a {axis = 1 : i64} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @cumsum_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.cumsum %a {axis = 1 : i64} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001]]> : tensor<2x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @cumsum_reverse(%a: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = pd.cumsum %a {axis = 0 : i64, reverse = true} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @cumsum_reverse_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.cumsum %a {axis = 0 : i64, reverse = true} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001]]> : tensor<2x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @logcumsumexp(%a: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = pd.logcumsumexp %a {axis = 1 : i64} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @logcumsumexp_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.logcumsumexp %a {axis = 1 : i64} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001]]> : tensor<2x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @frobenius_norm(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.frobenius_norm %a : (tensor<2x3xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func @frobenius_norm_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.frobenius_norm %a : (tensor<2x3xf64>) -> tensor<f64>
  %weights_ = pd.constant dense<1.162> : tensor<f64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %sum_ = pd.sum %weighted_ : (tensor<f64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @p_norm_2(%a: tensor<2x3xf64>) -> tensor<2xf64> {
  %y = pd.p_norm %a {porder = 2.0, axis = 1 : i64, epsilon = 0.0} : (tensor<2x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @p_norm_2_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.p_norm %a {porder = 2.0, axis = 1 : i64, epsilon = 0.0} : (tensor<2x3xf64>) -> tensor<2xf64>
  %weights_ = pd.constant dense<[1.162, 0.703]> : tensor<2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @p_norm_3(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.p_norm %a {porder = 3.0, asvector = true, epsilon = 0.0} : (tensor<2x3xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func @p_norm_3_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.p_norm %a {porder = 3.0, asvector = true, epsilon = 0.0} : (tensor<2x3xf64>) -> tensor<f64>
  %weights_ = pd.constant dense<1.162> : tensor<f64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %sum_ = pd.sum %weighted_ : (tensor<f64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @squared_l2_norm(%a: tensor<2x3xf64>) -> tensor<1xf64> {
  %y = pd.squared_l2_norm %a : (tensor<2x3xf64>) -> tensor<1xf64>
  return %y : tensor<1xf64>
}

func.func @squared_l2_norm_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.squared_l2_norm %a : (tensor<2x3xf64>) -> tensor<1xf64>
  %weights_ = pd.constant dense<[1.162]> : tensor<1xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
  %sum_ = pd.sum %weighted_ : (tensor<1xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @prod(%a: tensor<3xf64>) -> tensor<f64> {
  %y = pd.prod %a : (tensor<3xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func @prod_scalar(%a: tensor<3xf64>) -> tensor<f64> {
  %y = pd.prod %a : (tensor<3xf64>) -> tensor<f64>
  %weights_ = pd.constant dense<1.162> : tensor<f64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %sum_ = pd.sum %weighted_ : (tensor<f64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @cumprod(%a: tensor<4xf64>) -> tensor<4xf64> {
  %y = pd.cumprod %a {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @cumprod_scalar(%a: tensor<4xf64>) -> tensor<f64> {
  %y = pd.cumprod %a {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085, 1.226]> : tensor<4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @softmax(%a: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = pd.softmax %a : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @softmax_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.softmax %a : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001]]> : tensor<2x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @softmax_first(%a: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = pd.softmax %a {axis = 0 : i64} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @softmax_first_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.softmax %a {axis = 0 : i64} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001]]> : tensor<2x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @log_softmax(%a: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y = pd.log_softmax %a : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @log_softmax_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.log_softmax %a : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001]]> : tensor<2x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @cross_entropy(%a: tensor<2x3xf64>) -> tensor<2x1xf64> {
  %c = pd.constant dense<[[2], [0]]> : tensor<2x1xi64>
  %p, %y = pd.cross_entropy_with_softmax %a, %c : (tensor<2x3xf64>, tensor<2x1xi64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)
  return %y : tensor<2x1xf64>
}

func.func @cross_entropy_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %c = pd.constant dense<[[2], [0]]> : tensor<2x1xi64>
  %p, %y = pd.cross_entropy_with_softmax %a, %c : (tensor<2x3xf64>, tensor<2x1xi64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)
  %weights_ = pd.constant dense<[[1.162], [0.703]]> : tensor<2x1xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x1xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x1xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @cross_entropy_far(%a: tensor<2x3xf64>) -> tensor<2x1xf64> {
  %c = pd.constant dense<[[2], [0]]> : tensor<2x1xi64>
  %p, %y = pd.cross_entropy_with_softmax %a, %c : (tensor<2x3xf64>, tensor<2x1xi64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)
  return %y : tensor<2x1xf64>
}

func.func @cross_entropy_far_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %c = pd.constant dense<[[2], [0]]> : tensor<2x1xi64>
  %p, %y = pd.cross_entropy_with_softmax %a, %c : (tensor<2x3xf64>, tensor<2x1xi64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)
  %weights_ = pd.constant dense<[[1.162], [0.703]]> : tensor<2x1xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x1xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x1xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @cross_entropy_soft(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<2x1xf64> {
  %p, %y = pd.cross_entropy_with_softmax %a, %b {soft_label = true} : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)
  return %y : tensor<2x1xf64>
}

func.func @cross_entropy_soft_scalar(%a: tensor<2x3xf64>, %b: tensor<2x3xf64>) -> tensor<f64> {
  %p, %y = pd.cross_entropy_with_softmax %a, %b {soft_label = true} : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)
  %weights_ = pd.constant dense<[[1.162], [0.703]]> : tensor<2x1xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x1xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x1xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @nll_loss(%a: tensor<2x3xf64>) -> tensor<2xf64> {
  %c = pd.constant dense<[2, 0]> : tensor<2xi64>
  %y, %t = pd.nll_loss %a, %c reduction = none : (tensor<2x3xf64>, tensor<2xi64>) -> (tensor<2xf64>, tensor<f64>)
  return %y : tensor<2xf64>
}

func.func @nll_loss_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %c = pd.constant dense<[2, 0]> : tensor<2xi64>
  %y, %t = pd.nll_loss %a, %c reduction = none : (tensor<2x3xf64>, tensor<2xi64>) -> (tensor<2xf64>, tensor<f64>)
  %weights_ = pd.constant dense<[1.162, 0.703]> : tensor<2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @bce_loss(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.bce_loss %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @bce_loss_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.bce_loss %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @sigmoid_cross_entropy(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.sigmoid_cross_entropy_with_logits %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @sigmoid_cross_entropy_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.sigmoid_cross_entropy_with_logits %a, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @kldiv_loss(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.kldiv_loss %a, %b reduction = none : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @kldiv_loss_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.kldiv_loss %a, %b reduction = none : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @huber_loss(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y, %r = pd.huber_loss %a, %b {delta = 0.75} : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %y : tensor<3xf64>
}

func.func @huber_loss_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y, %r = pd.huber_loss %a, %b {delta = 0.75} : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @log_loss(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.log_loss %a, %b {epsilon = 0.001} : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @log_loss_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = pd.log_loss %a, %b {epsilon = 0.001} : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @matmul(%a: tensor<2x3xf64>, %b: tensor<3x2xf64>) -> tensor<2x2xf64> {
  %y = pd.matmul %a, %b : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}

func.func @matmul_scalar(%a: tensor<2x3xf64>, %b: tensor<3x2xf64>) -> tensor<f64> {
  %y = pd.matmul %a, %b : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226]]> : tensor<2x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @matmul_vector(%a: tensor<3xf64>, %b: tensor<2x3xf64>) -> tensor<2xf64> {
  %y = pd.matmul %a, %b {transpose_y = true} : (tensor<3xf64>, tensor<2x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @matmul_vector_scalar(%a: tensor<3xf64>, %b: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.matmul %a, %b {transpose_y = true} : (tensor<3xf64>, tensor<2x3xf64>) -> tensor<2xf64>
  %weights_ = pd.constant dense<[1.162, 0.703]> : tensor<2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @conv2d(%a: tensor<1x2x3x3xf64>, %b: tensor<2x2x2x2xf64>) -> tensor<1x2x2x2xf64> {
  %y = pd.conv2d %a, %b {strides = array<i64: 2, 1>, paddings = array<i64: 1, 0, 0, 0>} : (tensor<1x2x3x3xf64>, tensor<2x2x2x2xf64>) -> tensor<1x2x2x2xf64>
  return %y : tensor<1x2x2x2xf64>
}

func.func @conv2d_scalar(%a: tensor<1x2x3x3xf64>, %b: tensor<2x2x2x2xf64>) -> tensor<f64> {
  %y = pd.conv2d %a, %b {strides = array<i64: 2, 1>, paddings = array<i64: 1, 0, 0, 0>} : (tensor<1x2x3x3xf64>, tensor<2x2x2x2xf64>) -> tensor<1x2x2x2xf64>
  %weights_ = pd.constant dense<[[[[1.162, 0.703], [1.085, 1.226]], [[0.727, 1.001], [1.272, 0.772]]]]> : tensor<1x2x2x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<1x2x2x2xf64>, tensor<1x2x2x2xf64>) -> tensor<1x2x2x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<1x2x2x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @conv2d_groups(%a: tensor<1x2x3x3xf64>, %b: tensor<2x1x2x2xf64>) -> tensor<1x2x2x2xf64> {
  %y = pd.conv2d %a, %b {groups = 2 : i64} : (tensor<1x2x3x3xf64>, tensor<2x1x2x2xf64>) -> tensor<1x2x2x2xf64>
  return %y : tensor<1x2x2x2xf64>
}

func.func @conv2d_groups_scalar(%a: tensor<1x2x3x3xf64>, %b: tensor<2x1x2x2xf64>) -> tensor<f64> {
  %y = pd.conv2d %a, %b {groups = 2 : i64} : (tensor<1x2x3x3xf64>, tensor<2x1x2x2xf64>) -> tensor<1x2x2x2xf64>
  %weights_ = pd.constant dense<[[[[1.162, 0.703], [1.085, 1.226]], [[0.727, 1.001], [1.272, 0.772]]]]> : tensor<1x2x2x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<1x2x2x2xf64>, tensor<1x2x2x2xf64>) -> tensor<1x2x2x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<1x2x2x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @conv2d_transpose(%a: tensor<1x2x2x2xf64>, %b: tensor<2x1x2x2xf64>) -> tensor<1x1x3x3xf64> {
  %y = pd.conv2d_transpose %a, %b : (tensor<1x2x2x2xf64>, tensor<2x1x2x2xf64>) -> tensor<1x1x3x3xf64>
  return %y : tensor<1x1x3x3xf64>
}

func.func @conv2d_transpose_scalar(%a: tensor<1x2x2x2xf64>, %b: tensor<2x1x2x2xf64>) -> tensor<f64> {
  %y = pd.conv2d_transpose %a, %b : (tensor<1x2x2x2xf64>, tensor<2x1x2x2xf64>) -> tensor<1x1x3x3xf64>
  %weights_ = pd.constant dense<[[[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001], [1.272, 0.772, 0.917]]]]> : tensor<1x1x3x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<1x1x3x3xf64>, tensor<1x1x3x3xf64>) -> tensor<1x1x3x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<1x1x3x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @average_pool(%a: tensor<1x1x4x4xf64>) -> tensor<1x1x2x2xf64> {
  %y = pd.pool2d %a pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x1x4x4xf64>) -> tensor<1x1x2x2xf64>
  return %y : tensor<1x1x2x2xf64>
}

func.func @average_pool_scalar(%a: tensor<1x1x4x4xf64>) -> tensor<f64> {
  %y = pd.pool2d %a pooling_type = avg {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x1x4x4xf64>) -> tensor<1x1x2x2xf64>
  %weights_ = pd.constant dense<[[[[1.162, 0.703], [1.085, 1.226]]]]> : tensor<1x1x2x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<1x1x2x2xf64>, tensor<1x1x2x2xf64>) -> tensor<1x1x2x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<1x1x2x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @max_pool(%a: tensor<1x1x4x4xf64>) -> tensor<1x1x2x2xf64> {
  %y = pd.pool2d %a pooling_type = max {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x1x4x4xf64>) -> tensor<1x1x2x2xf64>
  return %y : tensor<1x1x2x2xf64>
}

func.func @max_pool_scalar(%a: tensor<1x1x4x4xf64>) -> tensor<f64> {
  %y = pd.pool2d %a pooling_type = max {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x1x4x4xf64>) -> tensor<1x1x2x2xf64>
  %weights_ = pd.constant dense<[[[[1.162, 0.703], [1.085, 1.226]]]]> : tensor<1x1x2x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<1x1x2x2xf64>, tensor<1x1x2x2xf64>) -> tensor<1x1x2x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<1x1x2x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @layer_norm(%a: tensor<2x3xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> tensor<2x3xf64> {
  %y, %m, %v = pd.layer_norm %a scale = %b bias = %c {epsilon = 0.01, begin_norm_axis = 1 : i64} : (tensor<2x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2xf64>)
  return %y : tensor<2x3xf64>
}

func.func @layer_norm_scalar(%a: tensor<2x3xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> tensor<f64> {
  %y, %m, %v = pd.layer_norm %a scale = %b bias = %c {epsilon = 0.01, begin_norm_axis = 1 : i64} : (tensor<2x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2xf64>)
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001]]> : tensor<2x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @layer_norm_plain(%a: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y, %m, %v = pd.layer_norm %a {epsilon = 0.01, begin_norm_axis = 1 : i64} : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2xf64>)
  return %y : tensor<2x3xf64>
}

func.func @layer_norm_plain_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y, %m, %v = pd.layer_norm %a {epsilon = 0.01, begin_norm_axis = 1 : i64} : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2xf64>, tensor<2xf64>)
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001]]> : tensor<2x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @batch_norm(%a: tensor<3x2x2xf64>, %b: tensor<2xf64>, %c: tensor<2xf64>) -> tensor<3x2x2xf64> {
  %d = pd.constant dense<[0.0, 0.0]> : tensor<2xf64>
  %y, %m, %v, %sm, %sv, %r = pd.batch_norm %a, %d, %d scale = %b bias = %c {epsilon = 0.01} : (tensor<3x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<0xf64>)
  return %y : tensor<3x2x2xf64>
}

func.func @batch_norm_scalar(%a: tensor<3x2x2xf64>, %b: tensor<2xf64>, %c: tensor<2xf64>) -> tensor<f64> {
  %d = pd.constant dense<[0.0, 0.0]> : tensor<2xf64>
  %y, %m, %v, %sm, %sv, %r = pd.batch_norm %a, %d, %d scale = %b bias = %c {epsilon = 0.01} : (tensor<3x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<0xf64>)
  %weights_ = pd.constant dense<[[[1.162, 0.703], [1.085, 1.226]], [[0.727, 1.001], [1.272, 0.772]], [[0.917, 1.297], [0.836, 0.84]]]> : tensor<3x2x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x2x2xf64>, tensor<3x2x2xf64>) -> tensor<3x2x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x2x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @group_norm(%a: tensor<2x4x1x2xf64>, %b: tensor<4xf64>, %c: tensor<4xf64>) -> tensor<2x4x1x2xf64> {
  %y, %m, %v = pd.group_norm %a scale = %b bias = %c {epsilon = 0.01, groups = 2 : i64} : (tensor<2x4x1x2xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<2x4x1x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  return %y : tensor<2x4x1x2xf64>
}

func.func @group_norm_scalar(%a: tensor<2x4x1x2xf64>, %b: tensor<4xf64>, %c: tensor<4xf64>) -> tensor<f64> {
  %y, %m, %v = pd.group_norm %a scale = %b bias = %c {epsilon = 0.01, groups = 2 : i64} : (tensor<2x4x1x2xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<2x4x1x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  %weights_ = pd.constant dense<[[[[1.162, 0.703]], [[1.085, 1.226]], [[0.727, 1.001]], [[1.272, 0.772]]], [[[0.917, 1.297]], [[0.836, 0.84]], [[1.297, 0.912]], [[0.776, 1.274]]]]> : tensor<2x4x1x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x4x1x2xf64>, tensor<2x4x1x2xf64>) -> tensor<2x4x1x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x4x1x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @instance_norm(%a: tensor<2x2x1x3xf64>, %b: tensor<2xf64>, %c: tensor<2xf64>) -> tensor<2x2x1x3xf64> {
  %y, %m, %v = pd.instance_norm %a scale = %b bias = %c {epsilon = 0.01} : (tensor<2x2x1x3xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2x1x3xf64>, tensor<4xf64>, tensor<4xf64>)
  return %y : tensor<2x2x1x3xf64>
}

func.func @instance_norm_scalar(%a: tensor<2x2x1x3xf64>, %b: tensor<2xf64>, %c: tensor<2xf64>) -> tensor<f64> {
  %y, %m, %v = pd.instance_norm %a scale = %b bias = %c {epsilon = 0.01} : (tensor<2x2x1x3xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2x1x3xf64>, tensor<4xf64>, tensor<4xf64>)
  %weights_ = pd.constant dense<[[[[1.162, 0.703, 1.085]], [[1.226, 0.727, 1.001]]], [[[1.272, 0.772, 0.917]], [[1.297, 0.836, 0.84]]]]> : tensor<2x2x1x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x2x1x3xf64>, tensor<2x2x1x3xf64>) -> tensor<2x2x1x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x2x1x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @clip_by_norm(%a: tensor<3xf64>) -> tensor<3xf64> {
  %y = pd.clip_by_norm %a {max_norm = 0.5} : (tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @clip_by_norm_scalar(%a: tensor<3xf64>) -> tensor<f64> {
  %y = pd.clip_by_norm %a {max_norm = 0.5} : (tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @norm(%a: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %y, %n = pd.norm %a {axis = 1 : i64, epsilon = 0.01} : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)
  return %y : tensor<2x3xf64>
}

func.func @norm_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y, %n = pd.norm %a {axis = 1 : i64, epsilon = 0.01} : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001]]> : tensor<2x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @gather(%a: tensor<3x2xf64>) -> tensor<4x2xf64> {
  %c = pd.constant dense<[2, 0, 2, 1]> : tensor<4xi64>
  %y = pd.gather %a, %c : (tensor<3x2xf64>, tensor<4xi64>) -> tensor<4x2xf64>
  return %y : tensor<4x2xf64>
}

func.func @gather_scalar(%a: tensor<3x2xf64>) -> tensor<f64> {
  %c = pd.constant dense<[2, 0, 2, 1]> : tensor<4xi64>
  %y = pd.gather %a, %c : (tensor<3x2xf64>, tensor<4xi64>) -> tensor<4x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226], [0.727, 1.001], [1.272, 0.772]]> : tensor<4x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4x2xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @gather_nd(%a: tensor<3x2xf64>) -> tensor<3xf64> {
  %c = pd.constant dense<[[2, 0], [0, 1], [2, 0]]> : tensor<3x2xi64>
  %y = pd.gather_nd %a, %c : (tensor<3x2xf64>, tensor<3x2xi64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @gather_nd_scalar(%a: tensor<3x2xf64>) -> tensor<f64> {
  %c = pd.constant dense<[[2, 0], [0, 1], [2, 0]]> : tensor<3x2xi64>
  %y = pd.gather_nd %a, %c : (tensor<3x2xf64>, tensor<3x2xi64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @take_along_axis(%a: tensor<3x2xf64>) -> tensor<2x2xf64> {
  %c = pd.constant dense<[[2, 0], [2, 1]]> : tensor<2x2xi64>
  %y = pd.take_along_axis %a, %c {axis = 0 : i64} : (tensor<3x2xf64>, tensor<2x2xi64>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}

func.func @take_along_axis_scalar(%a: tensor<3x2xf64>) -> tensor<f64> {
  %c = pd.constant dense<[[2, 0], [2, 1]]> : tensor<2x2xi64>
  %y = pd.take_along_axis %a, %c {axis = 0 : i64} : (tensor<3x2xf64>, tensor<2x2xi64>) -> tensor<2x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226]]> : tensor<2x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @embedding(%a: tensor<3x2xf64>) -> tensor<4x2xf64> {
  %c = pd.constant dense<[2, 0, 2, 1]> : tensor<4xi64>
  %y = pd.embedding %c, %a : (tensor<4xi64>, tensor<3x2xf64>) -> tensor<4x2xf64>
  return %y : tensor<4x2xf64>
}

func.func @embedding_scalar(%a: tensor<3x2xf64>) -> tensor<f64> {
  %c = pd.constant dense<[2, 0, 2, 1]> : tensor<4xi64>
  %y = pd.embedding %c, %a : (tensor<4xi64>, tensor<3x2xf64>) -> tensor<4x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226], [0.727, 1.001], [1.272, 0.772]]> : tensor<4x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4x2xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @scatter(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %c = pd.constant dense<[2, 0, 2]> : tensor<3xi64>
  %y = pd.scatter %a, %c, %b : (tensor<3x2xf64>, tensor<3xi64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @scatter_scalar(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> tensor<f64> {
  %c = pd.constant dense<[2, 0, 2]> : tensor<3xi64>
  %y = pd.scatter %a, %c, %b : (tensor<3x2xf64>, tensor<3xi64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226], [0.727, 1.001]]> : tensor<3x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @scatter_add(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %c = pd.constant dense<[2, 0, 2]> : tensor<3xi64>
  %y = pd.scatter %a, %c, %b {overwrite = false} : (tensor<3x2xf64>, tensor<3xi64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @scatter_add_scalar(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> tensor<f64> {
  %c = pd.constant dense<[2, 0, 2]> : tensor<3xi64>
  %y = pd.scatter %a, %c, %b {overwrite = false} : (tensor<3x2xf64>, tensor<3xi64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226], [0.727, 1.001]]> : tensor<3x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @scatter_nd_add(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %c = pd.constant dense<[[2], [0], [2]]> : tensor<3x1xi64>
  %y = pd.scatter_nd_add %a, %c, %b : (tensor<3x2xf64>, tensor<3x1xi64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @scatter_nd_add_scalar(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> tensor<f64> {
  %c = pd.constant dense<[[2], [0], [2]]> : tensor<3x1xi64>
  %y = pd.scatter_nd_add %a, %c, %b : (tensor<3x2xf64>, tensor<3x1xi64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226], [0.727, 1.001]]> : tensor<3x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @index_put(%a: tensor<3x2xf64>, %b: tensor<4xf64>) -> tensor<3x2xf64> {
  %c = pd.constant dense<[2, 0, 2, 2]> : tensor<4xi64>
  %d = pd.constant dense<[1, 0, 1, 0]> : tensor<4xi64>
  %y = pd.index_put %a, %c, %d, %b : (tensor<3x2xf64>, tensor<4xi64>, tensor<4xi64>, tensor<4xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @index_put_scalar(%a: tensor<3x2xf64>, %b: tensor<4xf64>) -> tensor<f64> {
  %c = pd.constant dense<[2, 0, 2, 2]> : tensor<4xi64>
  %d = pd.constant dense<[1, 0, 1, 0]> : tensor<4xi64>
  %y = pd.index_put %a, %c, %d, %b : (tensor<3x2xf64>, tensor<4xi64>, tensor<4xi64>, tensor<4xf64>) -> tensor<3x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226], [0.727, 1.001]]> : tensor<3x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @index_add(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %c = pd.constant dense<[2, 0, 2]> : tensor<3xi64>
  %y = pd.index_add %a, %c, %b : (tensor<3x2xf64>, tensor<3xi64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @index_add_scalar(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> tensor<f64> {
  %c = pd.constant dense<[2, 0, 2]> : tensor<3xi64>
  %y = pd.index_add %a, %c, %b : (tensor<3x2xf64>, tensor<3xi64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226], [0.727, 1.001]]> : tensor<3x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @put_along_axis(%a: tensor<3x2xf64>, %b: tensor<2x2xf64>) -> tensor<3x2xf64> {
  %c = pd.constant dense<[[2, 0], [2, 1]]> : tensor<2x2xi64>
  %y = pd.put_along_axis %a, %c, %b reduce = assign {axis = 0 : i64} : (tensor<3x2xf64>, tensor<2x2xi64>, tensor<2x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @put_along_axis_scalar(%a: tensor<3x2xf64>, %b: tensor<2x2xf64>) -> tensor<f64> {
  %c = pd.constant dense<[[2, 0], [2, 1]]> : tensor<2x2xi64>
  %y = pd.put_along_axis %a, %c, %b reduce = assign {axis = 0 : i64} : (tensor<3x2xf64>, tensor<2x2xi64>, tensor<2x2xf64>) -> tensor<3x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226], [0.727, 1.001]]> : tensor<3x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @where(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<3xf64> {
  %c = pd.constant dense<[true, false, true]> : tensor<3xi1>
  %y = pd.where %c, %a, %b : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @where_scalar(%a: tensor<3xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %c = pd.constant dense<[true, false, true]> : tensor<3xi1>
  %y = pd.where %c, %a, %b : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @slice_concat(%a: tensor<2x3xf64>) -> tensor<2x4xf64> {
  %p = pd.slice %a {axes = array<i64: 1>, starts = array<i64: 1>, ends = array<i64: 3>} : (tensor<2x3xf64>) -> tensor<2x2xf64>
  %y = pd.concat %p, %p {axis = 1 : i64} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @slice_concat_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %p = pd.slice %a {axes = array<i64: 1>, starts = array<i64: 1>, ends = array<i64: 3>} : (tensor<2x3xf64>) -> tensor<2x2xf64>
  %y = pd.concat %p, %p {axis = 1 : i64} : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x4xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085, 1.226], [0.727, 1.001, 1.272, 0.772]]> : tensor<2x4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @flip_roll(%a: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %p = pd.flip %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %y = pd.roll %p {shifts = array<i64: 1>, axis = array<i64: 0>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @flip_roll_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %p = pd.flip %a {axis = array<i64: 1>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %y = pd.roll %p {shifts = array<i64: 1>, axis = array<i64: 0>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001]]> : tensor<2x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @pad(%a: tensor<2x3xf64>) -> tensor<3x4xf64> {
  %y = pd.pad %a {paddings = array<i64: 1, 0, 0, 1>, pad_value = 0.5} : (tensor<2x3xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @pad_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %y = pd.pad %a {paddings = array<i64: 1, 0, 0, 1>, pad_value = 0.5} : (tensor<2x3xf64>) -> tensor<3x4xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085, 1.226], [0.727, 1.001, 1.272, 0.772], [0.917, 1.297, 0.836, 0.84]]> : tensor<3x4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @tril(%a: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %y = pd.tril %a : (tensor<3x3xf64>) -> tensor<3x3xf64>
  return %y : tensor<3x3xf64>
}

func.func @tril_scalar(%a: tensor<3x3xf64>) -> tensor<f64> {
  %y = pd.tril %a : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001], [1.272, 0.772, 0.917]]> : tensor<3x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @det(%a: tensor<3x3xf64>) -> tensor<f64> {
  %y = pd.det %a : (tensor<3x3xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func @det_scalar(%a: tensor<3x3xf64>) -> tensor<f64> {
  %y = pd.det %a : (tensor<3x3xf64>) -> tensor<f64>
  %weights_ = pd.constant dense<1.162> : tensor<f64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %sum_ = pd.sum %weighted_ : (tensor<f64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @det_singular(%a: tensor<3x3xf64>) -> tensor<f64> {
  %y = pd.det %a : (tensor<3x3xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func @det_singular_scalar(%a: tensor<3x3xf64>) -> tensor<f64> {
  %y = pd.det %a : (tensor<3x3xf64>) -> tensor<f64>
  %weights_ = pd.constant dense<1.162> : tensor<f64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %sum_ = pd.sum %weighted_ : (tensor<f64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @slogdet(%a: tensor<3x3xf64>) -> tensor<2xf64> {
  %y = pd.slogdet %a : (tensor<3x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @slogdet_scalar(%a: tensor<3x3xf64>) -> tensor<f64> {
  %y = pd.slogdet %a : (tensor<3x3xf64>) -> tensor<2xf64>
  %weights_ = pd.constant dense<[1.162, 0.703]> : tensor<2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @inverse(%a: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %y = pd.inverse %a : (tensor<3x3xf64>) -> tensor<3x3xf64>
  return %y : tensor<3x3xf64>
}

func.func @inverse_scalar(%a: tensor<3x3xf64>) -> tensor<f64> {
  %y = pd.inverse %a : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001], [1.272, 0.772, 0.917]]> : tensor<3x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @matrix_power(%a: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %y = pd.matrix_power %a {n = 3 : i64} : (tensor<3x3xf64>) -> tensor<3x3xf64>
  return %y : tensor<3x3xf64>
}

func.func @matrix_power_scalar(%a: tensor<3x3xf64>) -> tensor<f64> {
  %y = pd.matrix_power %a {n = 3 : i64} : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001], [1.272, 0.772, 0.917]]> : tensor<3x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @matrix_power_negative(%a: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %y = pd.matrix_power %a {n = -2 : i64} : (tensor<3x3xf64>) -> tensor<3x3xf64>
  return %y : tensor<3x3xf64>
}

func.func @matrix_power_negative_scalar(%a: tensor<3x3xf64>) -> tensor<f64> {
  %y = pd.matrix_power %a {n = -2 : i64} : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001], [1.272, 0.772, 0.917]]> : tensor<3x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @cholesky(%a: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %c = pd.matmul %a, %a {transpose_y = true} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %y = pd.cholesky %c : (tensor<3x3xf64>) -> tensor<3x3xf64>
  return %y : tensor<3x3xf64>
}

func.func @cholesky_scalar(%a: tensor<3x3xf64>) -> tensor<f64> {
  %c = pd.matmul %a, %a {transpose_y = true} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %y = pd.cholesky %c : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001], [1.272, 0.772, 0.917]]> : tensor<3x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @qr(%a: tensor<3x3xf64>) -> tensor<3x3xf64> {
  %q, %y = pd.qr %a : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>)
  return %y : tensor<3x3xf64>
}

func.func @qr_scalar(%a: tensor<3x3xf64>) -> tensor<f64> {
  %q, %y = pd.qr %a : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>)
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085], [1.226, 0.727, 1.001], [1.272, 0.772, 0.917]]> : tensor<3x3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @trace(%a: tensor<3x3xf64>) -> tensor<f64> {
  %y = pd.trace %a : (tensor<3x3xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func @trace_scalar(%a: tensor<3x3xf64>) -> tensor<f64> {
  %y = pd.trace %a : (tensor<3x3xf64>) -> tensor<f64>
  %weights_ = pd.constant dense<1.162> : tensor<f64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %sum_ = pd.sum %weighted_ : (tensor<f64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @solve(%a: tensor<3x3xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %y = pd.solve %a, %b : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @solve_scalar(%a: tensor<3x3xf64>, %b: tensor<3x2xf64>) -> tensor<f64> {
  %y = pd.solve %a, %b : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226], [0.727, 1.001]]> : tensor<3x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @triangular_solve(%a: tensor<3x3xf64>, %b: tensor<3x2xf64>) -> tensor<3x2xf64> {
  %y = pd.triangular_solve %a, %b : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @triangular_solve_scalar(%a: tensor<3x3xf64>, %b: tensor<3x2xf64>) -> tensor<f64> {
  %y = pd.triangular_solve %a, %b : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703], [1.085, 1.226], [0.727, 1.001]]> : tensor<3x2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3x2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @eigenvalues(%a: tensor<3x3xf64>) -> tensor<3xf64> {
  %c = pd.matmul %a, %a {transpose_y = true} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %y, %v = pd.eigh %c : (tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>)
  return %y : tensor<3xf64>
}

func.func @eigenvalues_scalar(%a: tensor<3x3xf64>) -> tensor<f64> {
  %c = pd.matmul %a, %a {transpose_y = true} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %y, %v = pd.eigh %c : (tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3x3xf64>)
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @singular_values(%a: tensor<2x3xf64>) -> tensor<2xf64> {
  %u, %y, %v = pd.svd %a : (tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x3xf64>)
  return %y : tensor<2xf64>
}

func.func @singular_values_scalar(%a: tensor<2x3xf64>) -> tensor<f64> {
  %u, %y, %v = pd.svd %a : (tensor<2x3xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x3xf64>)
  %weights_ = pd.constant dense<[1.162, 0.703]> : tensor<2xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %sum_ = pd.sum %weighted_ : (tensor<2xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @kron(%a: tensor<2x2xf64>, %b: tensor<2x2xf64>) -> tensor<4x4xf64> {
  %y = pd.kron %a, %b : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<4x4xf64>
  return %y : tensor<4x4xf64>
}

func.func @kron_scalar(%a: tensor<2x2xf64>, %b: tensor<2x2xf64>) -> tensor<f64> {
  %y = pd.kron %a, %b : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<4x4xf64>
  %weights_ = pd.constant dense<[[1.162, 0.703, 1.085, 1.226], [0.727, 1.001, 1.272, 0.772], [0.917, 1.297, 0.836, 0.84], [1.297, 0.912, 0.776, 1.274]]> : tensor<4x4xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %sum_ = pd.sum %weighted_ : (tensor<4x4xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @while_fixed(%a: tensor<3xf64>) -> tensor<3xf64> {
  %n = pd.constant dense<[3]> : tensor<1xi64>
  %z = pd.constant dense<[0]> : tensor<1xi64>
  %o = pd.constant dense<[1]> : tensor<1xi64>
  %y, %i = scf.while (%s = %a, %j = %z) : (tensor<3xf64>, tensor<1xi64>) -> (tensor<3xf64>, tensor<1xi64>) {
    %l = pd.less_than %j, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %l {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %t = tensor.extract %r[] : tensor<i1>
    scf.condition(%t) %s, %j : tensor<3xf64>, tensor<1xi64>
  } do {
  ^bb0(%p: tensor<3xf64>, %q: tensor<1xi64>):
    %m = pd.sin %p : (tensor<3xf64>) -> tensor<3xf64>
    %u = pd.multiply %m, %a : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %k = pd.add %q, %o : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %u, %k : tensor<3xf64>, tensor<1xi64>
  }
  return %y : tensor<3xf64>
}

func.func @while_fixed_scalar(%a: tensor<3xf64>) -> tensor<f64> {
  %n = pd.constant dense<[3]> : tensor<1xi64>
  %z = pd.constant dense<[0]> : tensor<1xi64>
  %o = pd.constant dense<[1]> : tensor<1xi64>
  %y, %i = scf.while (%s = %a, %j = %z) : (tensor<3xf64>, tensor<1xi64>) -> (tensor<3xf64>, tensor<1xi64>) {
    %l = pd.less_than %j, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %l {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %t = tensor.extract %r[] : tensor<i1>
    scf.condition(%t) %s, %j : tensor<3xf64>, tensor<1xi64>
  } do {
  ^bb0(%p: tensor<3xf64>, %q: tensor<1xi64>):
    %m = pd.sin %p : (tensor<3xf64>) -> tensor<3xf64>
    %u = pd.multiply %m, %a : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %k = pd.add %q, %o : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %u, %k : tensor<3xf64>, tensor<1xi64>
  }
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @while_by_data(%a: tensor<3xf64>) -> tensor<3xf64> {
  %e = pd.constant dense<8.0> : tensor<f64>
  %two = pd.constant dense<2.0> : tensor<f64>
  %y = scf.while (%s = %a) : (tensor<3xf64>) -> tensor<3xf64> {
    %g = pd.sum %s : (tensor<3xf64>) -> tensor<f64>
    %l = pd.less_than %g, %e : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %t = tensor.extract %l[] : tensor<i1>
    scf.condition(%t) %s : tensor<3xf64>
  } do {
  ^bb0(%p: tensor<3xf64>):
    %m = pd.multiply %p, %two : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    %h = pd.sin %p : (tensor<3xf64>) -> tensor<3xf64>
    %u = pd.add %m, %h : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %u : tensor<3xf64>
  }
  return %y : tensor<3xf64>
}

func.func @while_by_data_scalar(%a: tensor<3xf64>) -> tensor<f64> {
  %e = pd.constant dense<8.0> : tensor<f64>
  %two = pd.constant dense<2.0> : tensor<f64>
  %y = scf.while (%s = %a) : (tensor<3xf64>) -> tensor<3xf64> {
    %g = pd.sum %s : (tensor<3xf64>) -> tensor<f64>
    %l = pd.less_than %g, %e : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %t = tensor.extract %l[] : tensor<i1>
    scf.condition(%t) %s : tensor<3xf64>
  } do {
  ^bb0(%p: tensor<3xf64>):
    %m = pd.multiply %p, %two : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    %h = pd.sin %p : (tensor<3xf64>) -> tensor<3xf64>
    %u = pd.add %m, %h : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %u : tensor<3xf64>
  }
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}

func.func @if_by_data(%a: tensor<3xf64>) -> tensor<3xf64> {
  %e = pd.constant dense<0.0> : tensor<f64>
  %g = pd.sum %a : (tensor<3xf64>) -> tensor<f64>
  %l = pd.less_than %g, %e : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %t = tensor.extract %l[] : tensor<i1>
  %y = scf.if %t -> (tensor<3xf64>) {
    %m = pd.multiply %a, %a : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %m : tensor<3xf64>
  } else {
    %h = pd.sin %a : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %h : tensor<3xf64>
  }
  return %y : tensor<3xf64>
}

func.func @if_by_data_scalar(%a: tensor<3xf64>) -> tensor<f64> {
  %e = pd.constant dense<0.0> : tensor<f64>
  %g = pd.sum %a : (tensor<3xf64>) -> tensor<f64>
  %l = pd.less_than %g, %e : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %t = tensor.extract %l[] : tensor<i1>
  %y = scf.if %t -> (tensor<3xf64>) {
    %m = pd.multiply %a, %a : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %m : tensor<3xf64>
  } else {
    %h = pd.sin %a : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %h : tensor<3xf64>
  }
  %weights_ = pd.constant dense<[1.162, 0.703, 1.085]> : tensor<3xf64>
  %weighted_ = pd.multiply %y, %weights_ : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %sum_ = pd.sum %weighted_ : (tensor<3xf64>) -> tensor<f64>
  return %sum_ : tensor<f64>
}
