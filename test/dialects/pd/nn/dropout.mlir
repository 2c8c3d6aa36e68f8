// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=PLAIN
// RUN: proa-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

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

// In inference, dropout is the identity or a scaling; the mask is ones.
// FOLD-LABEL: func @in_inference
// FOLD-SAME: (%[[X:.*]]: tensor<?x3xf32>)
// FOLD-NOT: pd.dropout
// FOLD: %[[P:.*]] = pd.constant dense<7.500000e-01> : tensor<f32>
// FOLD-NEXT: %[[SCALED:.*]] = pd.multiply %[[X]], %[[P]]
// FOLD-NEXT: return %[[X]], %[[SCALED]]
func.func @in_inference(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %0:2 = pd.dropout %x mode = upscale_in_train {p = 0.25, is_test = true} : (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xui8>)
  %1:2 = pd.dropout %x {p = 0.25, is_test = true} : (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xui8>)
  return %0#0, %1#0 : tensor<?x3xf32>, tensor<?x3xf32>
}

// FOLD-LABEL: func @in_training
// FOLD: pd.dropout
func.func @in_training(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0:2 = pd.dropout %x mode = upscale_in_train {p = 0.25} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xui8>)
  return %0#0 : tensor<2x3xf32>
}
