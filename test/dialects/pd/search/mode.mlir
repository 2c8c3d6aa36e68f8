// The decomposition of pd.mode.
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=DECOMPOSED

// DECOMPOSED-LABEL: @mode
func.func @mode(%x: tensor<4x5xf32>) -> (tensor<4x1xf32>, tensor<5xi64>) {
  // DECOMPOSED: pd.argsort
  // DECOMPOSED: pd.cummax
  %0:2 = pd.mode %x {keepdim = true} : (tensor<4x5xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>)
  %1:2 = pd.mode %x {axis = 0 : i64} : (tensor<4x5xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return %0#0, %1#1 : tensor<4x1xf32>, tensor<5xi64>
}
