// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=DECOMPOSED

// CHECK-LABEL: @modes
// DECOMPOSED-LABEL: @modes
func.func @modes(%x: tensor<4x5xf32>) -> (tensor<4x1xf32>, tensor<5xi64>) {
  // CHECK: pd.mode {{.*}} -> (tensor<4x1xf32>, tensor<4x1xi64>)
  // DECOMPOSED: pd.argsort
  // DECOMPOSED: pd.cummax
  %0:2 = pd.mode %x {keepdim = true} : (tensor<4x5xf32>) -> (tensor<4x1xf32>, tensor<4x1xi64>)
  // CHECK: pd.mode {{.*}} -> (tensor<5xf32>, tensor<5xi64>)
  %1:2 = pd.mode %x {axis = 0 : i64} : (tensor<4x5xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return %0#0, %1#1 : tensor<4x1xf32>, tensor<5xi64>
}

// CHECK-LABEL: @holds
func.func @holds(%x: tensor<?x5xf32>) -> (tensor<1xi1>, tensor<1xi1>, tensor<3xi64>) {
  // CHECK: pd.has_nan {{.*}} -> tensor<1xi1>
  %0 = pd.has_nan %x : (tensor<?x5xf32>) -> tensor<1xi1>
  // CHECK: pd.has_inf {{.*}} -> tensor<1xi1>
  %1 = pd.has_inf %x : (tensor<?x5xf32>) -> tensor<1xi1>
  // CHECK: pd.check_numerics {{.*}} -> (tensor<3xi64>, tensor<3xf32>)
  %2:2 = pd.check_numerics %x : (tensor<?x5xf32>) -> (tensor<3xi64>, tensor<3xf32>)
  return %0, %1, %2#0 : tensor<1xi1>, tensor<1xi1>, tensor<3xi64>
}

// CHECK-LABEL: @area
func.func @area(%p: tensor<8x2xf32>, %l: tensor<8x1xi64>, %c: tensor<33xi64>) -> tensor<f64> {
  // CHECK: pd.auc {{.*}} -> (tensor<f64>, tensor<33xi64>, tensor<33xi64>)
  %0:3 = pd.auc %p, %l, %c, %c {num_thresholds = 15 : i64} : (tensor<8x2xf32>, tensor<8x1xi64>, tensor<33xi64>, tensor<33xi64>) -> (tensor<f64>, tensor<33xi64>, tensor<33xi64>)
  return %0#0 : tensor<f64>
}
