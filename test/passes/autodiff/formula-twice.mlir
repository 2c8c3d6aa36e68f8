// RUN: proa-opt %s --split-input-file --pd-jvp=arguments=0 | FileCheck %s --check-prefix=ONCE
// RUN: proa-opt %s --split-input-file --pd-grad=arguments=0 --pd-vjp="function=f_grad arguments=0" | FileCheck %s --check-prefix=TWICE
// RUN: proa-opt %s --split-input-file --pd-grad=arguments=0 --pd-jvp="function=f_grad arguments=0" | FileCheck %s --check-prefix=TWICE

// A kernel gives the first derivative, the formula the derivatives of the first.
// ONCE-LABEL: func @f_jvp(
// ONCE: %{{.*}}, %[[DERIVATIVE:.*]] = pd.warpctc
// ONCE-NOT: scf.while
// ONCE: pd.multiply {{.*}}%[[DERIVATIVE]]
// TWICE-LABEL: func @f_grad(
// TWICE-NOT: scf.while
// TWICE: return
// TWICE: func @f_grad_{{vjp|jvp}}(
// TWICE: scf.while
// TWICE: return
func.func @f(%x: tensor<5x1x4xf32>, %l: tensor<1x2xi32>, %a: tensor<1xi64>, %b: tensor<1xi64>) -> tensor<f32> {
  %loss, %g = pd.warpctc %x, %l logits_length = %a labels_length = %b : (tensor<5x1x4xf32>, tensor<1x2xi32>, tensor<1xi64>, tensor<1xi64>) -> (tensor<1x1xf32>, tensor<5x1x4xf32>)
  %s = pd.sum %loss : (tensor<1x1xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// Forward mode takes the formula, reverse mode the kernel.
// ONCE-LABEL: func @f_jvp(
// ONCE-NOT: pd.gru
// ONCE: scf.while
// TWICE-LABEL: func @f_grad(
// TWICE: pd.gru_grad
// TWICE: func @f_grad_{{vjp|jvp}}(
// TWICE: scf.while
func.func @f(%x: tensor<5x6xf32>, %w: tensor<2x6xf32>, %o: tensor<3xi64>) -> tensor<f32> {
  %y = pd.gru %x, %w, %o : (tensor<5x6xf32>, tensor<2x6xf32>, tensor<3xi64>) -> tensor<5x2xf32>
  %s = pd.sum %y : (tensor<5x2xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
