// The derivative of a sum of squares, by proa-opt --pd-vjp, and a step of gradient descent: attention of two heads with
// dropout of its weights and of its result. The test runs it on the CPU and on the emulated GPU.
// RUN: proa-opt %s --pd-form-attention=target=gpu --canonicalize --cse | FileCheck %s

// CHECK: %[[CALL:.*]] = rt.random_call
// CHECK: pd.fused_attention {{.*}}dropout_call = %[[CALL]]
// CHECK: pd.dropout {{.*}} : (tensor<2x2x12x8xf32>)
// CHECK: pd.fused_attention_grad {{.*}}dropout_call = %[[CALL]]
// CHECK-NOT: tensor<2x2x12x12x
func.func @main(%x: tensor<2x12x16xf32>, %wq: tensor<16x16xf32>, %wk: tensor<16x16xf32>, %wv: tensor<16x16xf32>)
  -> (tensor<f32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %one = pd.constant dense<1.0> : tensor<f32>
  %rate = pd.constant dense<0.02> : tensor<f32>
  %0 = pd.constant dense<0.899999976> : tensor<f32>
  %1 = pd.constant dense<0.000000e+00> : tensor<f32>
  %2 = pd.constant dense<3.500000e-01> : tensor<f32>
  %3 = pd.matmul %x, %wq : (tensor<2x12x16xf32>, tensor<16x16xf32>) -> tensor<2x12x16xf32>
  %4 = pd.reshape %3 {shape = array<i64: 2, 12, 2, 8>} : (tensor<2x12x16xf32>) -> tensor<2x12x2x8xf32>
  %5 = pd.transpose %4 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x12x2x8xf32>) -> tensor<2x2x12x8xf32>
  %6 = pd.matmul %x, %wk : (tensor<2x12x16xf32>, tensor<16x16xf32>) -> tensor<2x12x16xf32>
  %7 = pd.reshape %6 {shape = array<i64: 2, 12, 2, 8>} : (tensor<2x12x16xf32>) -> tensor<2x12x2x8xf32>
  %8 = pd.transpose %7 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x12x2x8xf32>) -> tensor<2x2x12x8xf32>
  %9 = pd.matmul %x, %wv : (tensor<2x12x16xf32>, tensor<16x16xf32>) -> tensor<2x12x16xf32>
  %10 = pd.reshape %9 {shape = array<i64: 2, 12, 2, 8>} : (tensor<2x12x16xf32>) -> tensor<2x12x2x8xf32>
  %11 = pd.transpose %10 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x12x2x8xf32>) -> tensor<2x2x12x8xf32>
  %12 = pd.matmul %5, %8 {transpose_y = true} : (tensor<2x2x12x8xf32>, tensor<2x2x12x8xf32>) -> tensor<2x2x12x12xf32>
  %13 = pd.multiply %12, %2 : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
  %14 = pd.softmax %13 : (tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32>
  %out, %mask = pd.dropout %14 mode =  upscale_in_train {p = 1.000000e-01 : f64}
      : (tensor<2x2x12x12xf32>) -> (tensor<2x2x12x12xf32>, tensor<2x2x12x12xui8>)
  %15 = pd.matmul %out, %11 : (tensor<2x2x12x12xf32>, tensor<2x2x12x8xf32>) -> tensor<2x2x12x8xf32>
  %out_0, %mask_1 = pd.dropout %15 mode =  upscale_in_train {p = 1.000000e-01 : f64}
      : (tensor<2x2x12x8xf32>) -> (tensor<2x2x12x8xf32>, tensor<2x2x12x8xui8>)
  %16 = pd.multiply %out_0, %out_0 : (tensor<2x2x12x8xf32>, tensor<2x2x12x8xf32>) -> tensor<2x2x12x8xf32>
  %17 = pd.sum %16 {axis = array<i64: 0, 1, 2, 3>} : (tensor<2x2x12x8xf32>) -> tensor<f32>
  %18 = pd.reshape %one {shape = array<i64: 1, 1, 1, 1>} : (tensor<f32>) -> tensor<1x1x1x1xf32>
  %19 = pd.expand %18 {shape = array<i64: 2, 2, 12, 8>} : (tensor<1x1x1x1xf32>) -> tensor<2x2x12x8xf32>
  %20 = pd.multiply %19, %out_0 : (tensor<2x2x12x8xf32>, tensor<2x2x12x8xf32>) -> tensor<2x2x12x8xf32>
  %21 = pd.add %20, %20 : (tensor<2x2x12x8xf32>, tensor<2x2x12x8xf32>) -> tensor<2x2x12x8xf32>
  %22 = pd.cast %mask_1 {dtype = i1} : (tensor<2x2x12x8xui8>) -> tensor<2x2x12x8xi1>
  %23 = pd.divide %21, %0 : (tensor<2x2x12x8xf32>, tensor<f32>) -> tensor<2x2x12x8xf32>
  %24 = pd.where %22, %23, %1 : (tensor<2x2x12x8xi1>, tensor<2x2x12x8xf32>, tensor<f32>) -> tensor<2x2x12x8xf32>
  %25 = pd.matmul %24, %11 {transpose_y = true} : (tensor<2x2x12x8xf32>, tensor<2x2x12x8xf32>) -> tensor<2x2x12x12xf32>
  %26 = pd.matmul %out, %24 {transpose_x = true} : (tensor<2x2x12x12xf32>, tensor<2x2x12x8xf32>) -> tensor<2x2x12x8xf32>
  %27 = pd.cast %mask {dtype = i1} : (tensor<2x2x12x12xui8>) -> tensor<2x2x12x12xi1>
  %28 = pd.divide %25, %0 : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
  %29 = pd.where %27, %28, %1 : (tensor<2x2x12x12xi1>, tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
  %30 = pd.multiply %29, %14 : (tensor<2x2x12x12xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32>
  %31 = pd.sum %30 {axis = array<i64: 3>, keepdim = true} : (tensor<2x2x12x12xf32>) -> tensor<2x2x12x1xf32>
  %32 = pd.subtract %29, %31 : (tensor<2x2x12x12xf32>, tensor<2x2x12x1xf32>) -> tensor<2x2x12x12xf32>
  %33 = pd.multiply %32, %14 : (tensor<2x2x12x12xf32>, tensor<2x2x12x12xf32>) -> tensor<2x2x12x12xf32>
  %34 = pd.multiply %33, %2 : (tensor<2x2x12x12xf32>, tensor<f32>) -> tensor<2x2x12x12xf32>
  %35 = pd.matmul %34, %8 : (tensor<2x2x12x12xf32>, tensor<2x2x12x8xf32>) -> tensor<2x2x12x8xf32>
  %36 = pd.matmul %34, %5 {transpose_x = true} : (tensor<2x2x12x12xf32>, tensor<2x2x12x8xf32>) -> tensor<2x2x12x8xf32>
  %37 = pd.transpose %26 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x2x12x8xf32>) -> tensor<2x12x2x8xf32>
  %40 = pd.reshape %x {shape = array<i64: 24, 16>} : (tensor<2x12x16xf32>) -> tensor<24x16xf32>
  %41 = pd.reshape %37 {shape = array<i64: 24, 16>} : (tensor<2x12x2x8xf32>) -> tensor<24x16xf32>
  %42 = pd.matmul %40, %41 {transpose_x = true} : (tensor<24x16xf32>, tensor<24x16xf32>) -> tensor<16x16xf32>
  %43 = pd.transpose %36 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x2x12x8xf32>) -> tensor<2x12x2x8xf32>
  %46 = pd.reshape %43 {shape = array<i64: 24, 16>} : (tensor<2x12x2x8xf32>) -> tensor<24x16xf32>
  %47 = pd.matmul %40, %46 {transpose_x = true} : (tensor<24x16xf32>, tensor<24x16xf32>) -> tensor<16x16xf32>
  %48 = pd.transpose %35 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x2x12x8xf32>) -> tensor<2x12x2x8xf32>
  %51 = pd.reshape %48 {shape = array<i64: 24, 16>} : (tensor<2x12x2x8xf32>) -> tensor<24x16xf32>
  %52 = pd.matmul %40, %51 {transpose_x = true} : (tensor<24x16xf32>, tensor<24x16xf32>) -> tensor<16x16xf32>
  %sq = pd.multiply %52, %rate : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %nq = pd.subtract %wq, %sq : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %sk = pd.multiply %47, %rate : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %nk = pd.subtract %wk, %sk : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %sv = pd.multiply %42, %rate : (tensor<16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
  %nv = pd.subtract %wv, %sv : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %17, %nq, %nk, %nv : tensor<f32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}
