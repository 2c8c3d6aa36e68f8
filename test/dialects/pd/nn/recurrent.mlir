// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @rnn_gradient
func.func @rnn_gradient(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %wi: tensor<5x4xf32>, %wh: tensor<5x5xf32>, %b: tensor<5xf32>, %d: tensor<3x2x5xf32>) {
  // CHECK: pd.rnn_gradient %{{.*}} states = %{{.*}} weights = %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} cotangents = %{{.*}}, %{{.*}} {hidden_size = 5 : i64} : (tensor<3x2x4xf32>, tensor<1x2x5xf32>, tensor<5x4xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<3x2x5xf32>, tensor<1x2x5xf32>) -> (tensor<3x2x4xf32>, tensor<1x2x5xf32>, tensor<5x4xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>)
  %0:6 = pd.rnn_gradient %x states = %h weights = %wi, %wh, %b, %b cotangents = %d, %h mode = RNN_TANH {hidden_size = 5} : (tensor<3x2x4xf32>, tensor<1x2x5xf32>, tensor<5x4xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<3x2x5xf32>, tensor<1x2x5xf32>) -> (tensor<3x2x4xf32>, tensor<1x2x5xf32>, tensor<5x4xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}

// CHECK-LABEL: func @rnn
func.func @rnn(%a: tensor<4x2x2xf64>, %states: tensor<1x2x3xf64>, %weights: tensor<3x2xf64>, %d: tensor<3x3xf64>, %e: tensor<3xf64>, %f: tensor<3xf64>) {
  // CHECK: pd.rnn %{{.*}} states = %{{.*}} weights = %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} mode = RNN_RELU {hidden_size = 3 : i64} : (tensor<4x2x2xf64>, tensor<1x2x3xf64>, tensor<3x2xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x2x3xf64>, tensor<1x2x3xf64>)
  %0:2 = pd.rnn %a states = %states weights = %weights, %d, %e, %f mode = RNN_RELU {hidden_size = 3 : i64, num_layers = 1 : i64, is_bidirec = false} : (tensor<4x2x2xf64>, tensor<1x2x3xf64>, tensor<3x2xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x2x3xf64>, tensor<1x2x3xf64>)
  return
}
