// Functions whose gradients GradientTest.cpp compares with central differences.

func.func @relu(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.relu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @relu6(%a: tensor<7xf64> {test.low = -1.0, test.high = 7.0}) -> (tensor<7xf64>) {
  %y = pd.relu6 %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @leaky_relu(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.leaky_relu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @elu(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.elu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @selu(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.selu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @celu(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.celu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @gelu(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) attributes {test.twice} {
  %y = pd.gelu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @sigmoid(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) attributes {test.twice} {
  %y = pd.sigmoid %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @logsigmoid(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.logsigmoid %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @silu(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.silu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @swish(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.swish %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @mish(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.mish %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @softplus(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.softplus %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @softsign(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.softsign %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @hardsigmoid(%a: tensor<7xf64> {test.low = -4.0, test.high = 4.0}) -> (tensor<7xf64>) {
  %y = pd.hardsigmoid %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @hardswish(%a: tensor<7xf64> {test.low = -4.0, test.high = 4.0}) -> (tensor<7xf64>) {
  %y = pd.hardswish %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @tanh_shrink(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.tanh_shrink %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @hardshrink(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.hardshrink %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @softshrink(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.softshrink %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @thresholded_relu(%a: tensor<7xf64> {test.low = 0.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.thresholded_relu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @stanh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.stanh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @square(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.square %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @reciprocal(%a: tensor<7xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.reciprocal %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @exp(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) attributes {test.twice} {
  %y = pd.exp %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @expm1(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.expm1 %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @log(%a: tensor<7xf64> {test.low = 0.2, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.log %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @log2(%a: tensor<7xf64> {test.low = 0.2, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.log2 %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @log10(%a: tensor<7xf64> {test.low = 0.2, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.log10 %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @log1p(%a: tensor<7xf64> {test.low = -0.5, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.log1p %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @sqrt(%a: tensor<7xf64> {test.low = 0.2, test.high = 2.0}) -> (tensor<7xf64>) attributes {test.twice} {
  %y = pd.sqrt %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @rsqrt(%a: tensor<7xf64> {test.low = 0.2, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.rsqrt %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @sin(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.sin %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @cos(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.cos %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @tan(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.tan %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @asin(%a: tensor<7xf64> {test.low = -0.9, test.high = 0.9}) -> (tensor<7xf64>) {
  %y = pd.asin %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @acos(%a: tensor<7xf64> {test.low = -0.9, test.high = 0.9}) -> (tensor<7xf64>) {
  %y = pd.acos %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @atan(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.atan %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @sinh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.sinh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @cosh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.cosh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @tanh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) attributes {test.twice} {
  %y = pd.tanh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @asinh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.asinh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @acosh(%a: tensor<7xf64> {test.low = 1.2, test.high = 3.0}) -> (tensor<7xf64>) {
  %y = pd.acosh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @atanh(%a: tensor<7xf64> {test.low = -0.9, test.high = 0.9}) -> (tensor<7xf64>) {
  %y = pd.atanh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @erf(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.erf %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @abs(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.abs %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @logit(%a: tensor<7xf64> {test.low = 0.1, test.high = 0.9}) -> (tensor<7xf64>) {
  %y = pd.logit %a {eps = 0.001} : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @hardtanh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.hardtanh %a {t_min = -1.0, t_max = 1.0} : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @clip(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.clip %a {min = -1.0, max = 1.0} : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @add(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.add %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @subtract(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.subtract %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @multiply(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) attributes {test.twice} {
  %y = pd.multiply %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @divide(%a: tensor<2x3xf64> {test.low = 0.5, test.high = 2.0}, %b: tensor<3xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x3xf64>) attributes {test.twice} {
  %y = pd.divide %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @maximum(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.maximum %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @minimum(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.minimum %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @fmax(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.fmax %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @fmin(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.fmin %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @elementwise_pow(%a: tensor<2x3xf64> {test.low = 0.5, test.high = 2.0}, %b: tensor<3xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x3xf64>) {
  %y = pd.elementwise_pow %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @atan2(%a: tensor<2x3xf64> {test.low = 0.5, test.high = 2.0}, %b: tensor<3xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x3xf64>) {
  %y = pd.atan2 %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}
