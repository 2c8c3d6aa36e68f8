// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @losses
func.func @losses(%x: tensor<4x1xf32>, %p: tensor<4x5xf32>, %l: tensor<4x1xi64>) {
  // CHECK: pd.modified_huber_loss
  %0:2 = pd.modified_huber_loss %x, %x : (tensor<4x1xf32>, tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  // CHECK: pd.teacher_student_sigmoid_loss
  %1 = pd.teacher_student_sigmoid_loss %x, %x : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  // CHECK: pd.rank_loss
  %2 = pd.rank_loss %x, %x, %x : (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  // CHECK: pd.soft_relu
  %3 = pd.soft_relu %x : (tensor<4x1xf32>) -> tensor<4x1xf32>
  // CHECK: pd.bpr_loss
  %4 = pd.bpr_loss %p, %l : (tensor<4x5xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
  // CHECK: pd.cross_entropy %
  %5:2 = pd.cross_entropy %p, %l : (tensor<4x5xf32>, tensor<4x1xi64>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  // CHECK: pd.identity_loss {{.*}} -> tensor<f32>
  %6 = pd.identity_loss %p : (tensor<4x5xf32>) -> tensor<f32>
  return
}
