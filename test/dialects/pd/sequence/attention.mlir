// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @attention_lstm
func.func @attention_lstm(%a: tensor<?x3xf32>, %b: tensor<?xi64>, %c: tensor<2x4xf32>, %d: tensor<7x1xf32>, %e: tensor<7x16xf32>, %f: tensor<1x16xf32>, %scalar: tensor<1xf32>) {
  // CHECK: pd.attention_lstm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scalar = %{{.*}} cell_activation = relu : (tensor<?x3xf32>, tensor<?xi64>, tensor<2x4xf32>, tensor<7x1xf32>, tensor<7x16xf32>, tensor<1x16xf32>, tensor<1xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  %0:2 = pd.attention_lstm %a, %b, %c, %d, %e, %f scalar = %scalar cell_activation = relu : (tensor<?x3xf32>, tensor<?xi64>, tensor<2x4xf32>, tensor<7x1xf32>, tensor<7x16xf32>, tensor<1x16xf32>, tensor<1xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return
}

// CHECK-LABEL: @attention
func.func @attention(%x: tensor<?x3xf32>, %o: tensor<?xi64>, %c: tensor<2x4xf32>, %a: tensor<7x1xf32>, %w: tensor<7x16xf32>, %b: tensor<1x16xf32>, %s: tensor<1xf32>) -> tensor<?x4xf32> {
  // CHECK: pd.attention_lstm {{.*}} scalar = %{{.*}} cell_activation = relu {{.*}} -> (tensor<?x4xf32>, tensor<?x4xf32>)
  %0:2 = pd.attention_lstm %x, %o, %c, %a, %w, %b scalar = %s cell_activation = relu : (tensor<?x3xf32>, tensor<?xi64>, tensor<2x4xf32>, tensor<7x1xf32>, tensor<7x16xf32>, tensor<1x16xf32>, tensor<1xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return %0#0 : tensor<?x4xf32>
}
