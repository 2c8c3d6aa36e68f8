// RUN: proa-opt %s --pd-amp=function=f | FileCheck %s
// RUN: proa-opt %s --pd-amp="function=f dtype=bf16 deny=pd.add" | FileCheck %s --check-prefix=DENY
// RUN: proa-opt %s --pd-amp="function=f level=O2" | FileCheck %s --check-prefix=O2
// RUN: proa-opt %s --pd-amp="function=f allow=exp" | FileCheck %s --check-prefix=ALLOW
// RUN: not proa-opt %s --pd-amp="function=f allow=nothing" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not proa-opt %s --pd-amp="function=f level=O3" 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: proa-opt %s --pd-amp="function=unpacked level=O2" | FileCheck %s --check-prefix=MATRICES
// RUN: proa-opt %s --pd-amp=function=train | FileCheck %s --check-prefix=TRAIN
// NAME: there is no op 'nothing' to be put on a list of mixed precision
// LEVEL: Cannot find option named 'O3'!

// The product in 16 bits, the sum with it too, the exponential not; a sum of what is not in 16 bits is not either.
// CHECK-LABEL: func @f(
// CHECK-SAME: tensor<4x4xf32>, %{{.*}}: tensor<4xf32>) -> tensor<4x4xf32>
// CHECK: pd.matmul {{.*}} -> tensor<4x4xf16>
// CHECK: pd.add {{.*}} -> tensor<4x4xf16>
// CHECK: pd.exp {{.*}} -> tensor<4x4xf32>
// CHECK: pd.add {{.*}} -> tensor<4x4xf32>
// CHECK: return %{{.*}} : tensor<4x4xf32>

// DENY-LABEL: func @f(
// DENY: pd.matmul {{.*}} -> tensor<4x4xbf16>
// DENY: pd.add {{.*}} -> tensor<4x4xf32>

// O2-LABEL: func @f(
// O2: pd.matmul {{.*}} -> tensor<4x4xf16>
// O2: pd.add {{.*}} -> tensor<4x4xf16>
// O2: pd.exp {{.*}} -> tensor<4x4xf16>
// O2: pd.add {{.*}} -> tensor<4x4xf16>
// O2: return %{{.*}} : tensor<4x4xf32>

// ALLOW-LABEL: func @f(
// ALLOW: pd.exp {{.*}} -> tensor<4x4xf16>
func.func @f(%x: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  %m = pd.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = pd.add %m, %b : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %e = pd.exp %a : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = pd.add %e, %b : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// Without a library kernel in 16 bits an op stays in f32 on both levels, with casts around it; one that is on the list is
// not exempt. What moves elements has kernels for all types.
// RUN: proa-opt %s --pd-amp="function=library level=O2 dtype=bf16" | FileCheck %s --check-prefix=LIBRARY
// RUN: proa-opt %s --pd-amp="function=library level=O2 dtype=bf16 allow=poisson" | FileCheck %s --check-prefix=LISTED
// LIBRARY-LABEL: func @library(
// LIBRARY: pd.roll {{.*}} -> tensor<4x4xbf16>
// LIBRARY: pd.cast {{.*}} -> tensor<4x4xf32>
// LIBRARY: pd.poisson {{.*}} -> tensor<4x4xf32>
// LIBRARY: pd.arange {{.*}}: (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
// LISTED-LABEL: func @library(
// LISTED: pd.poisson {{.*}} -> tensor<4x4xbf16>
func.func @library(%x: tensor<4x4xf32>, %a: tensor<1xf32>, %b: tensor<1xf32>) -> (tensor<4x4xf32>, tensor<?xf32>) {
  %r = pd.roll %x {shifts = array<i64: 1>, axis = array<i64: 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %i = pd.poisson %r : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = pd.arange %a, %b, %a {dtype = f32} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %i, %n : tensor<4x4xf32>, tensor<?xf32>
}

// A constant that the format does not hold, and what is computed from it element by element, stays in f32: a row that is
// masked as a whole would be NaN. What combines elements ends that. 65504 and infinities are held.
// RUN: proa-opt %s --pd-amp="function=mask level=O2" | FileCheck %s --check-prefix=MASK
// MASK-LABEL: func @mask(
// MASK: pd.add {{.*}} -> tensor<4x4xf32>
// MASK: pd.scale {{.*}} -> tensor<4x4xf32>
// MASK: %[[S:.*]] = pd.softmax {{.*}} -> tensor<4x4xf32>
// MASK: pd.relu {{.*}} -> tensor<4x4xf16>
// MASK: pd.add {{.*}} -> tensor<4x4xf16>
// MASK: pd.add {{.*}} -> tensor<4x4xf16>
func.func @mask(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %lowest = pd.constant dense<-3.40282347E+38> : tensor<4xf64>
  %low = pd.cast %lowest {dtype = f32} : (tensor<4xf64>) -> tensor<4xf32>
  %a = pd.add %x, %low : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %b = pd.scale %a {scale = 0.5 : f64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = pd.softmax %b : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = pd.relu %s : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %held = pd.constant dense<[65504.0, 0x7F800000, 0xFF800000, 0.0]> : tensor<4xf32>
  %c = pd.add %x, %held : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %d = pd.add %c, %c : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %d : tensor<4x4xf32>, tensor<4x4xf32>
}

// The products of the backward part are in 16 bits, the update is not.
// TRAIN-LABEL: func @train(
// TRAIN: pd.matmul {{.*}} -> tensor<4x4xf16>
// TRAIN: pd.matmul {{.*}} -> tensor<4x4xf16>
// TRAIN: pd.sgd {{.*}} -> tensor<4x4xf32>
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

// An op whose operands cannot have 16 bits stays in float32, also on O2.
// MATRICES-LABEL: func @unpacked(
// MATRICES: pd.lu_unpack %{{.*}} -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
// MATRICES: pd.exp {{.*}} -> tensor<2x2xf16>
func.func @unpacked(%x: tensor<2x2xf32>, %pivots: tensor<2xi32>) -> tensor<2x2xf32> {
  %p, %l, %u = pd.lu_unpack %x, %pivots
      : (tensor<2x2xf32>, tensor<2xi32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %y = pd.exp %u : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
