// RUN: proa-opt %s --pd-checkpoint="function=f places=second" | FileCheck %s
// RUN: proa-opt %s --pd-checkpoint=function=f | FileCheck %s --check-prefix=WHOLE
// RUN: proa-opt %s --pd-checkpoint="function=f places=second" --pd-grad=function=f_checkpoint --cse | FileCheck %s --check-prefix=GRAD
// RUN: proa-opt %s --pd-checkpoint=function=dropped | FileCheck %s --check-prefix=RANDOM
// RUN: proa-opt %s --pd-checkpoint=function=gradient | FileCheck %s --check-prefix=GRADIENT
// RUN: not proa-opt %s --pd-checkpoint="function=f places=third" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: there is no op with the name 'third'

// Up to the named value, and not what follows.
// CHECK-LABEL: func @f_checkpoint(
// CHECK-NEXT: pd.checkpoint(%{{.*}} : tensor<4xf32>)
// CHECK: pd.exp
// CHECK-NEXT: pd.sin
// CHECK-NEXT: pd.yield
// CHECK: pd.cos
// CHECK-NEXT: pd.sum
// WHOLE-LABEL: func @f_checkpoint(
// WHOLE: pd.checkpoint
// WHOLE: pd.sum
// WHOLE-NEXT: pd.yield

// Forward and, after a barrier, backward: not merged.
// GRAD-LABEL: func @f_checkpoint_grad(
// GRAD: %[[B:.*]] = pd.optimization_barrier %arg0
// GRAD: pd.exp %[[B]]
func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
  %e = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32> loc("first")
  %s = pd.sin %e : (tensor<4xf32>) -> tensor<4xf32> loc("second")
  %c = pd.cos %s : (tensor<4xf32>) -> tensor<4xf32>
  %y = pd.sum %c : (tensor<4xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// Random numbers are drawn outside, once.
// RANDOM-LABEL: func @dropped_checkpoint(
// RANDOM: pd.uniform
// RANDOM: pd.checkpoint
// RANDOM-NOT: pd.uniform
// RANDOM: pd.yield
func.func @dropped(%x: tensor<4xf32>) -> tensor<f32> {
  %e = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %out, %mask = pd.dropout %e mode = upscale_in_train : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xui8>)
  %s = pd.sin %out : (tensor<4xf32>) -> tensor<4xf32>
  %y = pd.sum %s : (tensor<4xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// A gradient whose decomposition has effects is decomposed first, as the composites with effects in it are.
// GRADIENT-LABEL: func @gradient_checkpoint(
// GRADIENT-NOT: pd.vjp
// GRADIENT-NOT: pd.c_softmax_with_cross_entropy
// GRADIENT: pd.checkpoint
// GRADIENT-NOT: pd.vjp
// GRADIENT-NOT: pd.c_softmax_with_cross_entropy
// GRADIENT: return
func.func @gradient(%x: tensor<4x6xf32>, %label: tensor<4x1xi64>, %d: tensor<4x1xf32>) -> tensor<4x6xf32> {
  %e = pd.exp %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %g = pd.vjp(%e : tensor<4x6xf32>) cotangents(%d : tensor<4x1xf32>)
      {cotangent_of = array<i64: 1>, saved_of = array<i64>} : tensor<4x6xf32> {
  ^bb0(%a: tensor<4x6xf32>):
    %softmax, %loss = pd.c_softmax_with_cross_entropy %a, %label : (tensor<4x6xf32>, tensor<4x1xi64>) -> (tensor<4x6xf32>, tensor<4x1xf32>)
    pd.yield %softmax, %loss : tensor<4x6xf32>, tensor<4x1xf32>
  }
  %s = pd.sin %g : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %c = pd.cos %s : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %c : tensor<4x6xf32>
}
