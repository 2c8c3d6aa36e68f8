// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @abs
func.func @abs(%x: tensor<7xf64>) {
  // CHECK: pd.abs %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.abs %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @acos
func.func @acos(%x: tensor<7xf64>) {
  // CHECK: pd.acos %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.acos %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @acosh
func.func @acosh(%x: tensor<7xf64>) {
  // CHECK: pd.acosh %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.acosh %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @asin
func.func @asin(%x: tensor<7xf64>) {
  // CHECK: pd.asin %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.asin %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @asinh
func.func @asinh(%x: tensor<7xf64>) {
  // CHECK: pd.asinh %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.asinh %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @atan
func.func @atan(%x: tensor<7xf64>) {
  // CHECK: pd.atan %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.atan %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @atanh
func.func @atanh(%x: tensor<7xf64>) {
  // CHECK: pd.atanh %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.atanh %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @bitwise_not
func.func @bitwise_not(%x: tensor<3x4xi1>) {
  // CHECK: pd.bitwise_not %{{.*}} : (tensor<3x4xi1>) -> tensor<3x4xi1>
  %0 = pd.bitwise_not %x : (tensor<3x4xi1>) -> tensor<3x4xi1>
  return
}

// CHECK-LABEL: func @cast
func.func @cast(%x: tensor<f64>) {
  // CHECK: pd.cast %{{.*}} {dtype = f64} : (tensor<f64>) -> tensor<f64>
  %0 = pd.cast %x {dtype = f64} : (tensor<f64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @ceil
func.func @ceil(%x: tensor<3x1xf64>) {
  // CHECK: pd.ceil %{{.*}} : (tensor<3x1xf64>) -> tensor<3x1xf64>
  %0 = pd.ceil %x : (tensor<3x1xf64>) -> tensor<3x1xf64>
  return
}

// CHECK-LABEL: func @cos
func.func @cos(%x: tensor<7xf64>) {
  // CHECK: pd.cos %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.cos %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @cosh
func.func @cosh(%x: tensor<7xf64>) {
  // CHECK: pd.cosh %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.cosh %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @erf
func.func @erf(%x: tensor<7xf64>) {
  // CHECK: pd.erf %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.erf %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @exp
func.func @exp(%x: tensor<8xf32>) {
  // CHECK: pd.exp %{{.*}} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = pd.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func @expm1
func.func @expm1(%x: tensor<7xf64>) {
  // CHECK: pd.expm1 %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.expm1 %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @floor
func.func @floor(%x: tensor<3x1xf64>) {
  // CHECK: pd.floor %{{.*}} : (tensor<3x1xf64>) -> tensor<3x1xf64>
  %0 = pd.floor %x : (tensor<3x1xf64>) -> tensor<3x1xf64>
  return
}

// CHECK-LABEL: func @isfinite
func.func @isfinite(%x: tensor<2x3xf32>) {
  // CHECK: pd.isfinite %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %0 = pd.isfinite %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: func @isinf
func.func @isinf(%x: tensor<12xf32>) {
  // CHECK: pd.isinf %{{.*}} : (tensor<12xf32>) -> tensor<12xi1>
  %0 = pd.isinf %x : (tensor<12xf32>) -> tensor<12xi1>
  return
}

// CHECK-LABEL: func @isnan
func.func @isnan(%x: tensor<12xf32>) {
  // CHECK: pd.isnan %{{.*}} : (tensor<12xf32>) -> tensor<12xi1>
  %0 = pd.isnan %x : (tensor<12xf32>) -> tensor<12xi1>
  return
}

// CHECK-LABEL: func @log10
func.func @log10(%x: tensor<7xf64>) {
  // CHECK: pd.log10 %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.log10 %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @log1p
func.func @log1p(%x: tensor<7xf64>) {
  // CHECK: pd.log1p %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.log1p %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @log2
func.func @log2(%x: tensor<7xf64>) {
  // CHECK: pd.log2 %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.log2 %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @log
func.func @log(%x: tensor<7xf64>) {
  // CHECK: pd.log %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.log %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @logical_not
func.func @logical_not(%x: tensor<i1>) {
  // CHECK: pd.logical_not %{{.*}} : (tensor<i1>) -> tensor<i1>
  %0 = pd.logical_not %x : (tensor<i1>) -> tensor<i1>
  return
}

// CHECK-LABEL: func @negate
func.func @negate(%x: tensor<2x3xf32>) {
  // CHECK: pd.negate %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = pd.negate %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @round
func.func @round(%x: tensor<3xf32>) {
  // CHECK: pd.round %{{.*}} {decimals = 2 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  %0 = pd.round %x {decimals = 2 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func @rsqrt
func.func @rsqrt(%x: tensor<7xf64>) {
  // CHECK: pd.rsqrt %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.rsqrt %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @sign
func.func @sign(%x: tensor<?x3xf32>) {
  // CHECK: pd.sign %{{.*}} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = pd.sign %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func @sin
func.func @sin(%x: tensor<3xf64>) {
  // CHECK: pd.sin %{{.*}} : (tensor<3xf64>) -> tensor<3xf64>
  %0 = pd.sin %x : (tensor<3xf64>) -> tensor<3xf64>
  return
}

// CHECK-LABEL: func @sinh
func.func @sinh(%x: tensor<7xf64>) {
  // CHECK: pd.sinh %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.sinh %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @sqrt
func.func @sqrt(%x: tensor<7xf64>) {
  // CHECK: pd.sqrt %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.sqrt %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @tan
func.func @tan(%x: tensor<7xf64>) {
  // CHECK: pd.tan %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.tan %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @tanh
func.func @tanh(%x: tensor<7xf64>) {
  // CHECK: pd.tanh %{{.*}} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.tanh %x : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @trunc
func.func @trunc(%x: tensor<?x3xf32>) {
  // CHECK: pd.trunc %{{.*}} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = pd.trunc %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func @math_uses
func.func @math_uses(%x: tensor<2x3xf32>) {
  // CHECK: pd.negate
  %1 = pd.negate %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pd.asinh
  %2 = pd.asinh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pd.isfinite %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %3 = pd.isfinite %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}
