// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=PLAIN

// CHECK-LABEL: func @dropout
func.func @dropout(%x: tensor<2xf64>) {
  // CHECK: pd.dropout %{{.*}} {is_test = true, p = 2.500000e-01 : f64} : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xui8>)
  %0:2 = pd.dropout %x {p = 0.25, is_test = true} : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xui8>)
  return
}

// CHECK-LABEL: func @dropout_part
// PLAIN-LABEL: func @dropout_part
// PLAIN: pd.uniform part_begin = %arg1 {dtype = f32, {{.*}}shape = array<i64: 2, 3>, {{.*}}whole_shape = array<i64: 4, 3>}
func.func @dropout_part(%x: tensor<2x3xf32>, %b: tensor<2xi64>) -> tensor<2x3xf32> {
  // CHECK: pd.dropout %{{.*}} part_begin = %{{.*}} {p = 2.500000e-01 : f64, whole_shape = array<i64: 4, 3>} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x3xf32>, tensor<2x3xui8>)
  %0:2 = pd.dropout %x part_begin = %b {p = 0.25, whole_shape = array<i64: 4, 3>} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<2x3xf32>, tensor<2x3xui8>)
  return %0#0 : tensor<2x3xf32>
}
