// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @checks
func.func @checks(%x: tensor<?x5xf32>) -> (tensor<1xi1>, tensor<1xi1>, tensor<3xi64>) {
  // CHECK: pd.has_nan {{.*}} -> tensor<1xi1>
  %0 = pd.has_nan %x : (tensor<?x5xf32>) -> tensor<1xi1>
  // CHECK: pd.has_inf {{.*}} -> tensor<1xi1>
  %1 = pd.has_inf %x : (tensor<?x5xf32>) -> tensor<1xi1>
  // CHECK: pd.check_numerics {{.*}} -> (tensor<3xi64>, tensor<3xf32>)
  %2:2 = pd.check_numerics %x : (tensor<?x5xf32>) -> (tensor<3xi64>, tensor<3xf32>)
  return %0, %1, %2#0 : tensor<1xi1>, tensor<1xi1>, tensor<3xi64>
}
