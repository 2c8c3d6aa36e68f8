// RUN: proa-opt %s --pd-accumulate --split-input-file --verify-diagnostics | FileCheck %s

// The types within a condition follow from the micro-batch.
// CHECK-LABEL: func.func @both
// CHECK: scf.while
// CHECK: scf.if %{{.*}} -> (tensor<2x6xf32>) {
// CHECK: pd.sigmoid %{{.*}} : (tensor<2x6xf32>) -> tensor<2x6xf32>
// CHECK: pd.mean
func.func @both(%x: tensor<4x6xf32> {pd.feed = "x"}, %c: i1) -> (tensor<f32> {pd.fetch = "loss"}) {
  %0 = scf.if %c -> (tensor<4x6xf32>) {
    %1 = pd.sigmoid %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    scf.yield %1 : tensor<4x6xf32>
  } else {
    scf.yield %x : tensor<4x6xf32>
  }
  %loss = pd.mean %0 : (tensor<4x6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

func.func @one(%x: tensor<4x6xf32> {pd.feed = "x"}, %y: tensor<4x6xf32>, %c: i1) -> (tensor<f32> {pd.fetch = "loss"}) {
  // expected-error @below {{'scf.if' cannot be computed on micro-batches: its regions would yield values of different types}}
  %0 = scf.if %c -> (tensor<4x6xf32>) {
    scf.yield %x : tensor<4x6xf32>
  } else {
    scf.yield %y : tensor<4x6xf32>
  }
  %loss = pd.mean %0 : (tensor<4x6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

func.func @checkpoint(%x: tensor<4x6xf32> {pd.feed = "x"}) -> (tensor<f32> {pd.fetch = "loss"}) {
  // expected-error @below {{'pd.checkpoint' cannot be computed on micro-batches}}
  %0 = pd.checkpoint(%x : tensor<4x6xf32>) : tensor<4x6xf32> {
  ^bb0(%a: tensor<4x6xf32>):
    %1 = pd.sigmoid %a : (tensor<4x6xf32>) -> tensor<4x6xf32>
    pd.yield %1 : tensor<4x6xf32>
  }
  %loss = pd.mean %0 : (tensor<4x6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
