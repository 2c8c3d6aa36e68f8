// Ops that no program of the corpus holds: parsed and printed. (test/unit/import/RoundTripTest.cpp takes every op through
// text, generic text and bytecode.)
// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @math
func.func @math(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // CHECK: pd.selu
  %0 = pd.selu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pd.negate
  %1 = pd.negate %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pd.asinh
  %2 = pd.asinh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pd.isfinite %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %3 = pd.isfinite %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: pd.less_equal
  %4 = pd.less_equal %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: func @reduce
func.func @reduce(%x: tensor<2x3xf32>) {
  // CHECK: pd.l1_norm
  %0 = pd.l1_norm %x : (tensor<2x3xf32>) -> tensor<f32>
  // CHECK: pd.frobenius_norm %{{.*}} {axis = array<i64: 1>, keepdim = true}
  %1 = pd.frobenius_norm %x {axis = array<i64: 1>, keepdim = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  // CHECK: pd.trace %{{.*}} {offset = 1 : i64}
  %2 = pd.trace %x {offset = 1 : i64} : (tensor<2x3xf32>) -> tensor<f32>
  // CHECK: pd.logcumsumexp %{{.*}} {axis = 1 : i64}
  %3 = pd.logcumsumexp %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @shape
func.func @shape(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>, %i: tensor<1x4x6x6xf32>, %s: tensor<f32>) {
  // CHECK: pd.meshgrid %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0:2 = pd.meshgrid %v, %w : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  // CHECK: pd.broadcast_tensors
  %1:2 = pd.broadcast_tensors %x, %v : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pd.pixel_unshuffle %{{.*}} {downscale_factor = 2 : i64}
  %2 = pd.pixel_unshuffle %i {downscale_factor = 2 : i64} : (tensor<1x4x6x6xf32>) -> tensor<1x16x3x3xf32>
  // CHECK: pd.numel
  %3 = pd.numel %x : (tensor<2x3xf32>) -> tensor<i64>
  // CHECK: pd.dim %{{.*}} {index = 1 : i64}
  %4 = pd.dim %x {index = 1 : i64} : (tensor<2x3xf32>) -> tensor<i64>
  // CHECK: pd.linspace %{{.*}} {dtype = f32}
  %n = pd.constant dense<5> : tensor<i32>
  %5 = pd.linspace %s, %s, %n {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
  return
}

// CHECK-LABEL: func @index
func.func @index(%x: tensor<2x3xf32>, %c: tensor<2x3xi1>, %i: tensor<2xi64>, %r: tensor<2x1xi64>, %u: tensor<2x2xf32>) {
  // CHECK: pd.nonzero
  %0 = pd.nonzero %c : (tensor<2x3xi1>) -> tensor<?x2xi64>
  // CHECK: pd.masked_select
  %1 = pd.masked_select %x, %c : (tensor<2x3xf32>, tensor<2x3xi1>) -> tensor<?xf32>
  // CHECK: pd.kthvalue %{{.*}} {k = 2 : i64}
  %2:2 = pd.kthvalue %x {k = 2 : i64} : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  // CHECK: pd.scatter_nd %{{.*}} {reduce = "add"}
  %3 = pd.scatter_nd %x, %r, %x {reduce = "add"} : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pd.index_add %{{.*}} {axis = 1 : i64}
  %4 = pd.index_add %x, %i, %u {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2xi64>, tensor<2x2xf32>) -> tensor<2x3xf32>
  // CHECK: pd.index_sample
  %5 = pd.index_sample %x, %r : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  return
}

// CHECK-LABEL: func @nn
func.func @nn(%x: tensor<2x3xf32>, %b: tensor<2x4x5xf32>, %m: tensor<2x5x4xf32>, %a: tensor<2x4x4xf32>, %v: tensor<1x2x4x4x4xf32>) {
  // CHECK: pd.hinge_loss
  %0 = pd.hinge_loss %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pd.baddbmm %{{.*}} {alpha = 5.000000e-01 : f64}
  %1 = pd.baddbmm %a, %b, %m {alpha = 0.5 : f64} : (tensor<2x4x4xf32>, tensor<2x4x5xf32>, tensor<2x5x4xf32>) -> tensor<2x4x4xf32>
  // CHECK: pd.norm %{{.*}} {axis = 1 : i64}
  %2:2 = pd.norm %x {axis = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>)
  // CHECK: pd.trilinear_interp
  %3 = pd.trilinear_interp %v {data_format = "NCDHW", out_d = 8 : i64, out_h = 8 : i64, out_w = 8 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>}
    : (tensor<1x2x4x4x4xf32>) -> tensor<1x2x8x8x8xf32>
  return
}

// CHECK-LABEL: func @boxes
func.func @boxes(%x: tensor<1x2x8x8xf32>, %boxes: tensor<3x4xf32>, %number: tensor<1xi32>) {
  // CHECK: pd.roi_align
  %0 = pd.roi_align %x, %boxes, %number {pooled_height = 2 : i64, pooled_width = 2 : i64, spatial_scale = 1.0 : f64}
    : (tensor<1x2x8x8xf32>, tensor<3x4xf32>, tensor<1xi32>) -> tensor<3x2x2x2xf32>
  return
}

// CHECK-LABEL: func @library
func.func @library(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %b: tensor<4xf32>, %i: tensor<1x3x8x8xf32>, %f: tensor<4x3x3x3xf32>) {
  // CHECK: rt.matmul {{.*}} {post_ops = [{kind = "bias"}]}
  %0 = rt.matmul %x, %y, %b {post_ops = [{kind = "bias"}]} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // CHECK: rt.conv2d {{.*}} {paddings = array<i64: 1, 1, 1, 1>}
  %1 = rt.conv2d %i, %f {paddings = array<i64: 1, 1, 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}
