// RUN: not proa-opt %s --pd-grad=arguments=0 --pd-vjp="function=f_grad arguments=0" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not proa-opt %s --pd-grad=arguments=0 --pd-jvp="function=f_grad arguments=0" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: proa-opt %s --pd-jvp=arguments=0 2>&1 | FileCheck %s

// The kernel gives the first derivative; nothing gives the second one.
// CHECK-LABEL: func @f_jvp(
func.func @f(%x: tensor<5x1x4xf32>, %l: tensor<1x2xi32>, %a: tensor<1xi64>, %b: tensor<1xi64>) -> tensor<f32> {
  // TWICE: :[[@LINE+1]]:{{.*}} error: 'pd.warpctc' has no second derivative
  %loss, %g = pd.warpctc %x, %l logits_length = %a labels_length = %b : (tensor<5x1x4xf32>, tensor<1x2xi32>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1x1xf32>, tensor<5x1x4xf32>)
  %s = pd.sum %loss : (tensor<1x1xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
