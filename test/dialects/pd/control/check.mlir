// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @assert
func.func @assert(%condition: tensor<i1>, %data: tensor<2x3xf32>) {
  // CHECK: pd.assert %{{.*}}, %{{.*}} {summarize = 3 : i64} : (tensor<i1>, tensor<2x3xf32>) -> ()
  pd.assert %condition, %data {summarize = 3} : (tensor<i1>, tensor<2x3xf32>) -> ()
  return
}

// CHECK-LABEL: func @print
func.func @print(%x: tensor<2x3xf32>, %lod: tensor<1xi64>) {
  // CHECK: pd.print %{{.*}}, %{{.*}} {message = "here", name = "x"} : (tensor<2x3xf32>, tensor<1xi64>) -> ()
  pd.print %x, %lod {message = "here", name = "x"} : (tensor<2x3xf32>, tensor<1xi64>) -> ()
  return
}

// CHECK-LABEL: func @fail
func.func @fail() {
  // CHECK: pd.fail {message = "never"} : () -> tensor<6xf32>
  %0 = pd.fail {message = "never"} : () -> tensor<6xf32>
  return
}
