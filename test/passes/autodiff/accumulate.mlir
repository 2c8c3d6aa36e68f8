// RUN: proa-opt %s --pd-accumulate="function=train count=2" | FileCheck %s
// RUN: proa-opt %s --pd-scale-loss="function=train dynamic" | FileCheck %s --check-prefix=DYNAMIC
// RUN: proa-opt %s --pd-scale-loss="function=train scale=1024" | FileCheck %s --check-prefix=STATIC
// RUN: not proa-opt %s --pd-scale-loss=function=no_gradient 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not proa-opt %s --pd-accumulate="function=train count=3" 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not proa-opt %s --pd-accumulate="function=no_gradient count=2 batches=0" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not proa-opt %s --pd-accumulate="function=normalized count=2 batches=0" 2>&1 | FileCheck %s --check-prefix=NORM
// NONE: loss scaling needs a program with a backward region of pd.vjp: found none
// PARTS: a batch of 4 examples cannot be divided into 3 equal micro-batches
// TYPE: depends on the number of examples: has type 'tensor<4x4xf32>' for the batch and 'tensor<2x4xf32>' for a micro-batch
// NORM: batch normalization in training mode takes its statistics from the whole batch

// The loop has the gradients; the update reads their mean.
// CHECK-LABEL: func @train_accumulated(
// CHECK: pd.reshape %arg0 {{.*}} -> tensor<2x2x4xf32>
// CHECK: scf.while
// CHECK: pd.gather {{.*}} {axis = 1 : i64} {{.*}} -> tensor<2x1x4xf32>
// CHECK: pd.matmul {{.*}} -> tensor<2x4xf32>
// CHECK-NOT: pd.sgd
// CHECK: scf.yield
// CHECK: pd.sgd

// DYNAMIC-LABEL: func @train(
// DYNAMIC-SAME: {pd.param = "loss_scaling"}
// DYNAMIC-SAME: {pd.state = "loss_scaling"}
// DYNAMIC: pd.check_finite_and_unscale
// DYNAMIC: pd.update_loss_scaling
// DYNAMIC: pd.sgd
// STATIC-LABEL: func @train(
// STATIC: pd.constant dense<1.024000e+03>
// STATIC: pd.check_finite_and_unscale
// STATIC-NOT: pd.update_loss_scaling
// STATIC: pd.sgd
func.func @train(%x: tensor<4x4xf32> {pd.feed = "x"}, %w: tensor<4x4xf32> {pd.param = "w"}, %rate: tensor<1xf32> {pd.param = "rate"})
    -> (tensor<f32> {pd.fetch = "loss"}, tensor<4x4xf32> {pd.state = "w"}) {
  %m = pd.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss = pd.mean %m : (tensor<4x4xf32>) -> tensor<f32>
  %one = pd.full {shape = array<i64>, value = 1.0, dtype = f32} : () -> tensor<f32>
  %dm = pd.vjp(%m : tensor<4x4xf32>) cotangents(%one : tensor<f32>)
      {saved_of = array<i64>, cotangent_of = array<i64: 0>} : tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %l = pd.mean %a : (tensor<4x4xf32>) -> tensor<f32>
    pd.yield %l : tensor<f32>
  }
  %dw = pd.vjp(%w : tensor<4x4xf32>) cotangents(%dm : tensor<4x4xf32>)
      {saved_of = array<i64>, cotangent_of = array<i64: 0>} : tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %l = pd.matmul %x, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    pd.yield %l : tensor<4x4xf32>
  }
  %new = pd.sgd %w, %rate, %dw : (tensor<4x4xf32>, tensor<1xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss, %new : tensor<f32>, tensor<4x4xf32>
}

func.func @no_gradient(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = pd.exp %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

func.func @normalized(%x: tensor<4x3xf32>, %m: tensor<3xf32>) -> tensor<f32> {
  %out, %mo, %vo, %sm, %sv, %r = pd.batch_norm %x, %m, %m : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
      -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0xf32>)
  %l = pd.mean %out : (tensor<4x3xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
