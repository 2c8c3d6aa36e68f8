// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @gru_grad
func.func @gru_grad(%a: tensor<6x9xf32>, %b: tensor<3x9xf32>, %c: tensor<4xi64>, %cotangent: tensor<6x3xf32>) {
  // CHECK: pd.gru_grad %{{.*}}, %{{.*}}, %{{.*}} cotangent = %{{.*}} : (tensor<6x9xf32>, tensor<3x9xf32>, tensor<4xi64>, tensor<6x3xf32>) -> (tensor<6x9xf32>, tensor<3x9xf32>, tensor<3x3xf32>, tensor<1x9xf32>)
  %0:4 = pd.gru_grad %a, %b, %c cotangent = %cotangent : (tensor<6x9xf32>, tensor<3x9xf32>, tensor<4xi64>, tensor<6x3xf32>) -> (tensor<6x9xf32>, tensor<3x9xf32>, tensor<3x3xf32>, tensor<1x9xf32>)
  return
}

// CHECK-LABEL: func @gru
func.func @gru(%x: tensor<5x6xf64>, %weight: tensor<2x6xf64>, %offsets: tensor<3xi64>) {
  // CHECK: pd.gru %{{.*}}, %{{.*}}, %{{.*}} activation = identity gate_activation = tanh {is_reverse = true, origin_mode = true} : (tensor<5x6xf64>, tensor<2x6xf64>, tensor<3xi64>) -> tensor<5x2xf64>
  %0 = pd.gru %x, %weight, %offsets activation = identity gate_activation = tanh {is_reverse = true, origin_mode = true} : (tensor<5x6xf64>, tensor<2x6xf64>, tensor<3xi64>) -> tensor<5x2xf64>
  return
}

// CHECK-LABEL: func @gru_unit
func.func @gru_unit(%input: tensor<4x9xf32>, %hidden_prev: tensor<4x3xf32>, %weight: tensor<3x9xf32>, %bias: tensor<1x9xf32>) {
  // CHECK: pd.gru_unit %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {activation = 3 : i64, origin_mode = true} : (tensor<4x9xf32>, tensor<4x3xf32>, tensor<3x9xf32>, tensor<1x9xf32>) -> (tensor<4x9xf32>, tensor<4x3xf32>, tensor<4x3xf32>)
  %0:3 = pd.gru_unit %input, %hidden_prev, %weight, %bias {activation = 3 : i64, origin_mode = true} : (tensor<4x9xf32>, tensor<4x3xf32>, tensor<3x9xf32>, tensor<1x9xf32>) -> (tensor<4x9xf32>, tensor<4x3xf32>, tensor<4x3xf32>)
  return
}

// CHECK-LABEL: func @lstm_grad
func.func @lstm_grad(%a: tensor<6x12xf32>, %b: tensor<3x12xf32>, %c: tensor<1x12xf32>, %d: tensor<4xi64>, %hidden: tensor<6x3xf32>) {
  // CHECK: pd.lstm_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} hidden = %{{.*}} {use_peepholes = false} : (tensor<6x12xf32>, tensor<3x12xf32>, tensor<1x12xf32>, tensor<4xi64>, tensor<6x3xf32>) -> (tensor<6x12xf32>, tensor<3x12xf32>, tensor<1x12xf32>, tensor<3x3xf32>, tensor<3x3xf32>)
  %0:5 = pd.lstm_grad %a, %b, %c, %d hidden = %hidden {use_peepholes = false} : (tensor<6x12xf32>, tensor<3x12xf32>, tensor<1x12xf32>, tensor<4xi64>, tensor<6x3xf32>) -> (tensor<6x12xf32>, tensor<3x12xf32>, tensor<1x12xf32>, tensor<3x3xf32>, tensor<3x3xf32>)
  return
}

// CHECK-LABEL: func @lstm
func.func @lstm(%x: tensor<5x8xf64>, %weight: tensor<2x8xf64>, %bias: tensor<1x8xf64>, %offsets: tensor<4xi64>) {
  // CHECK: pd.lstm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} cell_activation = identity candidate_activation = sigmoid {is_reverse = true, use_peepholes = false} : (tensor<5x8xf64>, tensor<2x8xf64>, tensor<1x8xf64>, tensor<4xi64>) -> (tensor<5x2xf64>, tensor<5x2xf64>)
  %0:2 = pd.lstm %x, %weight, %bias, %offsets cell_activation = identity candidate_activation = sigmoid {use_peepholes = false, is_reverse = true} : (tensor<5x8xf64>, tensor<2x8xf64>, tensor<1x8xf64>, tensor<4xi64>) -> (tensor<5x2xf64>, tensor<5x2xf64>)
  return
}

// CHECK-LABEL: @layers
func.func @layers(%x: tensor<6x9xf32>, %w: tensor<3x9xf32>, %y: tensor<6x12xf32>, %v: tensor<3x12xf32>, %b: tensor<1x12xf32>, %o: tensor<4xi64>, %h: tensor<6x3xf32>) {
  // CHECK: pd.gru_grad {{.*}} cotangent =
  %0:4 = pd.gru_grad %x, %w, %o cotangent = %h : (tensor<6x9xf32>, tensor<3x9xf32>, tensor<4xi64>, tensor<6x3xf32>) -> (tensor<6x9xf32>, tensor<3x9xf32>, tensor<3x3xf32>, tensor<1x9xf32>)
  // CHECK: pd.lstm_grad {{.*}} hidden =
  %1:5 = pd.lstm_grad %y, %v, %b, %o hidden = %h {use_peepholes = false} : (tensor<6x12xf32>, tensor<3x12xf32>, tensor<1x12xf32>, tensor<4xi64>, tensor<6x3xf32>) -> (tensor<6x12xf32>, tensor<3x12xf32>, tensor<1x12xf32>, tensor<3x3xf32>, tensor<3x3xf32>)
  return
}
