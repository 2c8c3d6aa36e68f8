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

// -----

// A micro-batch could take the other branch: its mean differs from the mean of the batch.
func.func @of_data(%x: tensor<4x6xf32> {pd.feed = "x"}, %w: tensor<6xf32>) -> (tensor<f32> {pd.fetch = "loss"}) {
  %mean = pd.mean %x : (tensor<4x6xf32>) -> tensor<f32>
  %zero = pd.full {dtype = f32, value = 0.0 : f64} : () -> tensor<f32>
  %above = pd.greater_than %mean, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %c = tensor.extract %above[] : tensor<i1>
  // expected-error @below {{cannot be computed on micro-batches: its condition depends on the batch, so that micro-batches may take other branches than the batch}}
  %0 = scf.if %c -> (tensor<4x6xf32>) {
    %1 = pd.multiply %x, %w : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    scf.yield %1 : tensor<4x6xf32>
  } else {
    %1 = pd.sigmoid %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    scf.yield %1 : tensor<4x6xf32>
  }
  %loss = pd.mean %0 : (tensor<4x6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// The same in the region of a gradient.
func.func @of_data_in_gradient(%x: tensor<4x6xf32> {pd.feed = "x"}, %w: tensor<6xf32>, %d: tensor<4x6xf32> {pd.feed = "d"}) -> (tensor<6xf32> {pd.fetch = "g"}) {
  %g:2 = pd.vjp(%x, %w : tensor<4x6xf32>, tensor<6xf32>) cotangents(%d : tensor<4x6xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4x6xf32>, tensor<6xf32> {
  ^bb0(%a: tensor<4x6xf32>, %b: tensor<6xf32>):
    %mean = pd.mean %a : (tensor<4x6xf32>) -> tensor<f32>
    %above = pd.greater_than %mean, %mean : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c = tensor.extract %above[] : tensor<i1>
    // expected-error @below {{cannot be computed on micro-batches: its condition depends on the batch}}
    %y = scf.if %c -> (tensor<4x6xf32>) {
      %1 = pd.multiply %a, %b : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
      scf.yield %1 : tensor<4x6xf32>
    } else {
      %1 = pd.add %a, %b : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
      scf.yield %1 : tensor<4x6xf32>
    }
    pd.yield %y : tensor<4x6xf32>
  }
  return %g#1 : tensor<6xf32>
}

// -----

// expected-error @below {{feed 'x' cannot be divided into micro-batches: its rows are sequences (LoD), not examples}}
func.func @sequences(%x: tensor<8x6xf32> {pd.feed = "x"}, %offsets: tensor<4xi64> {pd.feed = "x@LOD0", pd.lod_of = "x"}) -> (tensor<f32> {pd.fetch = "loss"}) {
  %0, %index = pd.sequence_pool %x, %offsets pooltype = SUM : (tensor<8x6xf32>, tensor<4xi64>) -> (tensor<3x6xf32>, tensor<3x6xi32>)
  %loss = pd.mean %0 : (tensor<3x6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
