// RUN: proa-opt %s --split-input-file --pd-form-attention=target=cpu --canonicalize --cse | FileCheck %s
// RUN: proa-opt %s --split-input-file --pd-form-attention=target=gpu --canonicalize --cse | FileCheck %s

// Positions of keys up to the positions of the queries; -1e9 excludes other keys.
// CHECK-LABEL: func.func @causal(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 {causal = true}
func.func @causal(%q: tensor<2x4x70x8xf32>) -> tensor<2x4x70x8xf32> {
  %low = pd.constant dense<-1.0E+9> : tensor<f32>
  %keys = pd.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69]> : tensor<70xi64>
  %queries = pd.unsqueeze %keys {axis = array<i64: 1>} : (tensor<70xi64>) -> tensor<70x1xi64>
  %c = pd.less_equal %keys, %queries : (tensor<70xi64>, tensor<70x1xi64>) -> tensor<70x70xi1>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x70x8xf32>, tensor<2x4x70x8xf32>) -> tensor<2x4x70x70xf32>
  %w = pd.where %c, %s, %low : (tensor<70x70xi1>, tensor<2x4x70x70xf32>, tensor<f32>) -> tensor<2x4x70x70xf32>
  %p = pd.softmax %w : (tensor<2x4x70x70xf32>) -> tensor<2x4x70x70xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x70x70xf32>, tensor<2x4x70x8xf32>) -> tensor<2x4x70x8xf32>
  return %o : tensor<2x4x70x8xf32>
}

// -----

// The last 20 keys of a cache and later ones, from the position of the query on: a window of 3 at the left and of 2 at
// the right. Queries begin at key 4.
// CHECK-LABEL: func.func @window(
// CHECK: pd.fused_attention %arg0, %arg1, %arg1 {left_window = 3 : i64, right_window = 2 : i64}
func.func @window(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x20x8xf32>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<0xFF800000> : tensor<f32>
  %keys = pd.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]> : tensor<20xi32>
  %rows = pd.constant dense<[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13], [14], [15]]> : tensor<16x1xi32>
  %past = pd.constant dense<4> : tensor<i32>
  %three = pd.constant dense<3> : tensor<i32>
  %two = pd.constant dense<2> : tensor<i32>
  %positions = pd.add %rows, %past : (tensor<16x1xi32>, tensor<i32>) -> tensor<16x1xi32>
  %begin = pd.subtract %positions, %three : (tensor<16x1xi32>, tensor<i32>) -> tensor<16x1xi32>
  %distance = pd.subtract %keys, %positions : (tensor<20xi32>, tensor<16x1xi32>) -> tensor<16x20xi32>
  %isAfter = pd.greater_equal %keys, %begin : (tensor<20xi32>, tensor<16x1xi32>) -> tensor<16x20xi1>
  %isFar = pd.greater_than %distance, %two : (tensor<16x20xi32>, tensor<i32>) -> tensor<16x20xi1>
  %isNear = pd.logical_not %isFar : (tensor<16x20xi1>) -> tensor<16x20xi1>
  %c = pd.logical_and %isAfter, %isNear : (tensor<16x20xi1>, tensor<16x20xi1>) -> tensor<16x20xi1>
  %zero = pd.constant dense<0.0> : tensor<f32>
  %m = pd.where %c, %zero, %low : (tensor<16x20xi1>, tensor<f32>, tensor<f32>) -> tensor<16x20xf32>
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x20x8xf32>) -> tensor<2x4x16x20xf32>
  %a = pd.add %s, %m : (tensor<2x4x16x20xf32>, tensor<16x20xf32>) -> tensor<2x4x16x20xf32>
  %p = pd.softmax %a : (tensor<2x4x16x20xf32>) -> tensor<2x4x16x20xf32>
  %o = pd.matmul %p, %k : (tensor<2x4x16x20xf32>, tensor<2x4x20x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// A triangle of Paddle, and one of a table, as PyTorch exports its buffers.
// CHECK-LABEL: func.func @triangles(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 {causal = true}
// CHECK: pd.fused_attention {{.*}} {causal = true}
func.func @triangles(%q: tensor<2x4x17x8xf32>) -> tensor<2x4x17x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<17x17xf32>
  %m = pd.triu %low {diagonal = 1 : i64} : (tensor<17x17xf32>) -> tensor<17x17xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x17x8xf32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x17xf32>
  %a = pd.add %s, %m : (tensor<2x4x17x17xf32>, tensor<17x17xf32>) -> tensor<2x4x17x17xf32>
  %p = pd.softmax %a : (tensor<2x4x17x17xf32>) -> tensor<2x4x17x17xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x17x17xf32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x8xf32>
  %ones = pd.constant dense<true> : tensor<1x1x17x17xi1>
  %c = pd.tril %ones : (tensor<1x1x17x17xi1>) -> tensor<1x1x17x17xi1>
  %least = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %t = pd.matmul %o, %q {transpose_y = true} : (tensor<2x4x17x8xf32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x17xf32>
  %w = pd.where %c, %t, %least : (tensor<1x1x17x17xi1>, tensor<2x4x17x17xf32>, tensor<f32>) -> tensor<2x4x17x17xf32>
  %n = pd.softmax %w : (tensor<2x4x17x17xf32>) -> tensor<2x4x17x17xf32>
  %r = pd.matmul %n, %q : (tensor<2x4x17x17xf32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x8xf32>
  return %r : tensor<2x4x17x8xf32>
}

// -----

// A band as the difference of two triangles, which are nested.
// CHECK-LABEL: func.func @band(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 {causal = true, left_window = 4 : i64}
func.func @band(%q: tensor<2x4x17x8xf32>) -> tensor<2x4x17x8xf32> {
  %ones = pd.constant dense<1.0> : tensor<17x17xf32>
  %low = pd.constant dense<-1.0E+9> : tensor<f32>
  %lower = pd.tril %ones {diagonal = -5 : i64} : (tensor<17x17xf32>) -> tensor<17x17xf32>
  %full = pd.tril %ones : (tensor<17x17xf32>) -> tensor<17x17xf32>
  %band = pd.subtract %full, %lower : (tensor<17x17xf32>, tensor<17x17xf32>) -> tensor<17x17xf32>
  %c = pd.cast %band {dtype = i1} : (tensor<17x17xf32>) -> tensor<17x17xi1>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x17x8xf32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x17xf32>
  %w = pd.where %c, %s, %low : (tensor<17x17xi1>, tensor<2x4x17x17xf32>, tensor<f32>) -> tensor<2x4x17x17xf32>
  %p = pd.softmax %w : (tensor<2x4x17x17xf32>) -> tensor<2x4x17x17xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x17x17xf32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x8xf32>
  return %o : tensor<2x4x17x8xf32>
}

// -----

// A table of conditions.
// CHECK-LABEL: func.func @table(
// CHECK: pd.fused_attention %arg0, %arg1, %arg1 {left_window = 1 : i64, right_window = 1 : i64}
func.func @table(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %c = pd.constant dense<"0x01010000000000000000000000000000010101000000000000000000000000000001010100000000000000000000000000000101010000000000000000000000000000010101000000000000000000000000000001010100000000000000000000000000000101010000000000000000000000000000010101000000000000000000000000000001010100000000000000000000000000000101010000000000000000000000000000010101000000000000000000000000000001010100000000000000000000000000000101010000000000000000000000000000010101000000000000000000000000000001010100000000000000000000000000000101"> : tensor<16x16xi8>
  %b = pd.cast %c {dtype = i1} : (tensor<16x16xi8>) -> tensor<16x16xi1>
  %s = pd.matmul %q, %k {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %w = pd.where %b, %s, %low : (tensor<16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %w : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %k : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// Lengths by minus infinity: without keys a sequence has no numbers either way.
// CHECK-LABEL: func.func @lengths(
// CHECK: %[[LENGTHS:.*]] = pd.reshape %{{.*}} -> tensor<2xi64>
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 key_lengths = %[[LENGTHS]] :
func.func @lengths(%q: tensor<2x4x16x8xf32>, %n: tensor<2xi32>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<0xFF800000> : tensor<f32>
  %keys = pd.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi32>
  %r = pd.reshape %n {shape = array<i64: 2, 1, 1, 1>} : (tensor<2xi32>) -> tensor<2x1x1x1xi32>
  %c = pd.less_than %keys, %r : (tensor<16xi32>, tensor<2x1x1x1xi32>) -> tensor<2x1x1x16xi1>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %w = pd.where %c, %s, %low : (tensor<2x1x1x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %w : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// As BERT of Paddle writes them. Other sequences than those without tokens use the keys below their lengths only; for
// them the mask, which has a row for each sequence, decides.
// CHECK-LABEL: func.func @bert(
// CHECK: %[[MASK:.*]] = pd.scale %{{.*}} -> tensor<2x1x1x16xf32>
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %[[MASK]] key_lengths = %{{.*}} {scale = 5.000000e-01 : f64}
func.func @bert(%q: tensor<2x4x16x8xf32>, %n: tensor<2xi64>) -> tensor<2x4x16x8xf32> {
  %t = pd.sequence_mask %n {maxlen = 16 : i64, out_dtype = f32} : (tensor<2xi64>) -> tensor<2x16xf32>
  %u = pd.unsqueeze %t {axis = array<i64: 1, 2>} : (tensor<2x16xf32>) -> tensor<2x1x1x16xf32>
  %m = pd.scale %u {scale = 1.0E+4 : f64, bias = -1.0E+4 : f64} : (tensor<2x1x1x16xf32>) -> tensor<2x1x1x16xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %h = pd.scale %s {scale = 0.5 : f64} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.add %h, %m : (tensor<2x4x16x16xf32>, tensor<2x1x1x16xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// A sum of masks: the triangle becomes causal, the lengths stay a mask beside it.
// CHECK-LABEL: func.func @both(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %{{.*}} key_lengths = %{{.*}} {causal = true} {{.*}}tensor<2x1x1x16xf32>
func.func @both(%q: tensor<2x4x16x8xf32>, %n: tensor<2xi64>) -> tensor<2x4x16x8xf32> {
  %t = pd.sequence_mask %n {maxlen = 16 : i64, out_dtype = f32} : (tensor<2xi64>) -> tensor<2x16xf32>
  %u = pd.unsqueeze %t {axis = array<i64: 1, 2>} : (tensor<2x16xf32>) -> tensor<2x1x1x16xf32>
  %m = pd.scale %u {scale = 1.0E+4 : f64, bias = -1.0E+4 : f64} : (tensor<2x1x1x16xf32>) -> tensor<2x1x1x16xf32>
  %low = pd.constant dense<-1.0E+4> : tensor<16x16xf32>
  %triangle = pd.triu %low {diagonal = 1 : i64} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %all = pd.add %m, %triangle : (tensor<2x1x1x16xf32>, tensor<16x16xf32>) -> tensor<2x1x16x16xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.add %s, %all : (tensor<2x4x16x16xf32>, tensor<2x1x16x16xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// A mask that is repeated for the heads is read as it is.
// CHECK-LABEL: func.func @expanded(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 : {{.*}}tensor<2x1x1x16xf32>
func.func @expanded(%q: tensor<2x4x16x8xf32>, %m: tensor<2x1x1x16xf32>) -> tensor<2x4x16x8xf32> {
  %e = pd.expand %m {shape = array<i64: 2, 4, 16, 16>} : (tensor<2x1x1x16xf32>) -> tensor<2x4x16x16xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.add %s, %e : (tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// ERNIE: a padding mask times its transpose, once for each head. The mask of the heads is not formed; the mask of the
// scores is, because a query after the length uses all keys.
// CHECK-LABEL: func.func @ernie(
// CHECK: %[[PAIRS:.*]] = pd.matmul %arg1, %arg1 {transpose_y = true} : {{.*}} -> tensor<2x16x16xf32>
// CHECK: %[[MASK:.*]] = pd.scale %[[PAIRS]]
// CHECK: %[[SINGLE:.*]] = pd.reshape %[[MASK]] {shape = array<i64: 2, 1, 16, 16>}
// CHECK-NOT: pd.expand
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %[[SINGLE]]
func.func @ernie(%q: tensor<2x4x16x8xf32>, %m: tensor<2x16x1xf32>) -> tensor<2x4x16x8xf32> {
  %t = pd.matmul %m, %m {transpose_y = true} : (tensor<2x16x1xf32>, tensor<2x16x1xf32>) -> tensor<2x16x16xf32>
  %u = pd.scale %t {scale = 1.0E+4 : f64, bias = -1.0 : f64, bias_after_scale = false} : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %h = pd.stack %u, %u, %u, %u {axis = 1 : i64} : (tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>) -> tensor<2x4x16x16xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.add %s, %h : (tensor<2x4x16x16xf32>, tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// ALiBi: slopes times positions, which are far from the number of keys that are excluded.
// CHECK-LABEL: func.func @alibi(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %{{.*}} {causal = true} {{.*}}tensor<1x4x1x16xf32>
func.func @alibi(%q: tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32> {
  %slopes = pd.constant dense<[[[0.25]], [[0.0625]], [[0.015625]], [[0.00390625]]]> : tensor<4x1x1xf32>
  %keys = pd.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<16xf32>
  %bias = pd.multiply %slopes, %keys : (tensor<4x1x1xf32>, tensor<16xf32>) -> tensor<4x1x16xf32>
  %ones = pd.constant dense<true> : tensor<1x1x16x16xi1>
  %c = pd.tril %ones : (tensor<1x1x16x16xi1>) -> tensor<1x1x16x16xi1>
  %low = pd.constant dense<-1.0E+9> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %b = pd.add %s, %bias : (tensor<2x4x16x16xf32>, tensor<4x1x16xf32>) -> tensor<2x4x16x16xf32>
  %w = pd.where %c, %b, %low : (tensor<1x1x16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %w : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// Near misses: the mask stays where a query may have no other keys. One that the program reads may exclude all keys up
// to the position of a query; and in a window at the left a query after the length has none.
// CHECK-LABEL: func.func @mask(
// CHECK-NOT: causal = true
// CHECK: pd.fused_attention {{.*}} mask = %{{.*}} key_mask = %arg1 : {{.*}}tensor<1x1x16x16xf32>, tensor<2x1x1x16xf32>
// CHECK: pd.fused_attention {{.*}} {causal = true} {{.*}}tensor<2x1x1x16xf32>
// CHECK-LABEL: func.func @window_and_length(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %{{.*}} {mask_fill = -1.000000e+04 : f64} {{.*}}tensor<2x1x16x16xi1>
// CHECK-LABEL: func.func @early(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %{{.*}} {mask_fill = -1.000000e+04 : f64} {{.*}}tensor<1x1x16x16xi1>
func.func @mask(%q: tensor<2x4x16x8xf32>, %m: tensor<2x1x1x16xf32>) -> (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) {
  %low = pd.constant dense<-1.0E+4> : tensor<16x16xf32>
  %triangle = pd.triu %low {diagonal = 1 : i64} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %none = pd.constant dense<0xFF800000> : tensor<16x16xf32>
  %strict = pd.triu %none {diagonal = 1 : i64} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %b = pd.add %s, %m : (tensor<2x4x16x16xf32>, tensor<2x1x1x16xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.add %b, %triangle : (tensor<2x4x16x16xf32>, tensor<16x16xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  %t = pd.matmul %o, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %c = pd.add %t, %m : (tensor<2x4x16x16xf32>, tensor<2x1x1x16xf32>) -> tensor<2x4x16x16xf32>
  %d = pd.add %c, %strict : (tensor<2x4x16x16xf32>, tensor<16x16xf32>) -> tensor<2x4x16x16xf32>
  %n = pd.softmax %d : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %r = pd.matmul %n, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o, %r : tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>
}
func.func @window_and_length(%q: tensor<2x4x16x8xf32>, %n: tensor<2xi64>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %t = pd.sequence_mask %n {maxlen = 16 : i64, out_dtype = i1} : (tensor<2xi64>) -> tensor<2x16xi1>
  %u = pd.unsqueeze %t {axis = array<i64: 1, 2>} : (tensor<2x16xi1>) -> tensor<2x1x1x16xi1>
  %ones = pd.constant dense<true> : tensor<16x16xi1>
  %w = pd.triu %ones {diagonal = -3 : i64} : (tensor<16x16xi1>) -> tensor<16x16xi1>
  %c = pd.logical_and %u, %w : (tensor<2x1x1x16xi1>, tensor<16x16xi1>) -> tensor<2x1x16x16xi1>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.where %c, %s, %low : (tensor<2x1x16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}
// The first query has no keys.
func.func @early(%q: tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<-1.0E+4> : tensor<f32>
  %ones = pd.constant dense<true> : tensor<1x1x16x16xi1>
  %c = pd.tril %ones {diagonal = -1 : i64} : (tensor<1x1x16x16xi1>) -> tensor<1x1x16x16xi1>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %w = pd.where %c, %s, %low : (tensor<1x1x16x16xi1>, tensor<2x4x16x16xf32>, tensor<f32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %w : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// A window and a condition of keys that the program reads, of which both must hold, as PyTorch's models export them:
// minus infinity may exclude keys twice.
// CHECK-LABEL: func.func @conjunction(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %arg1 {causal = true, left_window = 7 : i64, mask_fill = 0xFFF0000000000000 : f64}
func.func @conjunction(%q: tensor<2x4x16x8xf32>, %n: tensor<2x1x1x16xi1>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<0xFF800000> : tensor<1xf32>
  %zero = pd.constant dense<0.0> : tensor<1xf32>
  %size = pd.constant dense<8> : tensor<i64>
  %yes = pd.constant dense<true> : tensor<i1>
  %keys = pd.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi64>
  %rows = pd.unsqueeze %keys {axis = array<i64: 1>} : (tensor<16xi64>) -> tensor<16x1xi64>
  %begin = pd.subtract %rows, %size : (tensor<16x1xi64>, tensor<i64>) -> tensor<16x1xi64>
  %after = pd.greater_than %keys, %begin : (tensor<16xi64>, tensor<16x1xi64>) -> tensor<16x16xi1>
  %before = pd.less_equal %keys, %rows : (tensor<16xi64>, tensor<16x1xi64>) -> tensor<16x16xi1>
  %first = pd.logical_and %after, %yes : (tensor<16x16xi1>, tensor<i1>) -> tensor<16x16xi1>
  %both = pd.logical_and %first, %before : (tensor<16x16xi1>, tensor<16x16xi1>) -> tensor<16x16xi1>
  %all = pd.logical_and %both, %n : (tensor<16x16xi1>, tensor<2x1x1x16xi1>) -> tensor<2x1x16x16xi1>
  %m = pd.where %all, %zero, %low : (tensor<2x1x16x16xi1>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1x16x16xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.add %s, %m : (tensor<2x4x16x16xf32>, tensor<2x1x16x16xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// Near miss: with another number a query without keys has equal weights for all keys that either condition excludes.
// CHECK-LABEL: func.func @finite_conjunction(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %{{[0-9]+}} :
func.func @finite_conjunction(%q: tensor<2x4x16x8xf32>, %n: tensor<2x1x1x16xi1>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %zero = pd.constant dense<0.0> : tensor<f32>
  %keys = pd.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi64>
  %rows = pd.unsqueeze %keys {axis = array<i64: 1>} : (tensor<16xi64>) -> tensor<16x1xi64>
  %before = pd.less_equal %keys, %rows : (tensor<16xi64>, tensor<16x1xi64>) -> tensor<16x16xi1>
  %all = pd.logical_and %before, %n : (tensor<16x16xi1>, tensor<2x1x1x16xi1>) -> tensor<2x1x16x16xi1>
  %m = pd.where %all, %zero, %low : (tensor<2x1x16x16xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x16x16xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.add %s, %m : (tensor<2x4x16x16xf32>, tensor<2x1x16x16xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// A condition that holds for all positions, as PyTorch's encoders export it, leaves a mask of keys, which is added.
// CHECK-LABEL: func.func @everywhere(
// CHECK: %[[MASK:.*]] = pd.where %arg1, {{.*}} -> tensor<2x1x1x16xf32>
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 mask = %[[MASK]] :
func.func @everywhere(%q: tensor<2x4x16x8xf32>, %n: tensor<2x1x1x16xi1>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %zero = pd.constant dense<0.0> : tensor<f32>
  %least = pd.constant dense<0> : tensor<i64>
  %rows = pd.constant dense<[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13], [14], [15]]> : tensor<16x1xi64>
  %any = pd.greater_equal %rows, %least : (tensor<16x1xi64>, tensor<i64>) -> tensor<16x1xi1>
  %all = pd.logical_and %any, %n : (tensor<16x1xi1>, tensor<2x1x1x16xi1>) -> tensor<2x1x16x16xi1>
  %wide = pd.expand %all {shape = array<i64: 2, 1, 16, 16>} : (tensor<2x1x16x16xi1>) -> tensor<2x1x16x16xi1>
  %m = pd.where %wide, %zero, %low : (tensor<2x1x16x16xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x16x16xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.add %s, %m : (tensor<2x4x16x16xf32>, tensor<2x1x16x16xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// Near miss: the first query has no keys.
// CHECK-LABEL: func.func @almost_everywhere(
// CHECK: pd.fused_attention {{.*}} tensor<2x1x16x16xf32>)
func.func @almost_everywhere(%q: tensor<2x4x16x8xf32>, %n: tensor<2x1x1x16xi1>) -> tensor<2x4x16x8xf32> {
  %low = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %zero = pd.constant dense<0.0> : tensor<f32>
  %least = pd.constant dense<0> : tensor<i64>
  %rows = pd.constant dense<[[0], [1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13], [14], [15]]> : tensor<16x1xi64>
  %any = pd.greater_than %rows, %least : (tensor<16x1xi64>, tensor<i64>) -> tensor<16x1xi1>
  %all = pd.logical_and %any, %n : (tensor<16x1xi1>, tensor<2x1x1x16xi1>) -> tensor<2x1x16x16xi1>
  %m = pd.where %all, %zero, %low : (tensor<2x1x16x16xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x16x16xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x16xf32>
  %a = pd.add %s, %m : (tensor<2x4x16x16xf32>, tensor<2x1x16x16xf32>) -> tensor<2x4x16x16xf32>
  %p = pd.softmax %a : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %o : tensor<2x4x16x8xf32>
}

// -----

// Any elementwise op of a triangle has two numbers: the logarithm of ones and zeros excludes keys, the exponential does
// not.
// CHECK-LABEL: func.func @logarithm(
// CHECK: pd.fused_attention %arg0, %arg0, %arg0 {causal = true}
// CHECK: pd.fused_attention {{.*}} mask = {{.*}}
// CHECK-NOT: causal
func.func @logarithm(%q: tensor<2x4x17x8xf32>) -> tensor<2x4x17x8xf32> {
  %ones = pd.constant dense<1.0> : tensor<17x17xf32>
  %c = pd.tril %ones : (tensor<17x17xf32>) -> tensor<17x17xf32>
  %m = pd.log %c : (tensor<17x17xf32>) -> tensor<17x17xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x17x8xf32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x17xf32>
  %a = pd.add %s, %m : (tensor<2x4x17x17xf32>, tensor<17x17xf32>) -> tensor<2x4x17x17xf32>
  %p = pd.softmax %a : (tensor<2x4x17x17xf32>) -> tensor<2x4x17x17xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x17x17xf32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x8xf32>
  %e = pd.exp %c : (tensor<17x17xf32>) -> tensor<17x17xf32>
  %t = pd.matmul %o, %q {transpose_y = true} : (tensor<2x4x17x8xf32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x17xf32>
  %b = pd.add %t, %e : (tensor<2x4x17x17xf32>, tensor<17x17xf32>) -> tensor<2x4x17x17xf32>
  %n = pd.softmax %b : (tensor<2x4x17x17xf32>) -> tensor<2x4x17x17xf32>
  %r = pd.matmul %n, %q : (tensor<2x4x17x17xf32>, tensor<2x4x17x8xf32>) -> tensor<2x4x17x8xf32>
  return %r : tensor<2x4x17x8xf32>
}
