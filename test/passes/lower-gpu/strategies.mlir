// Strategies that a kernel requests for its ops, in their order: complete ones stay, and passes choose missing fields.
// RUN: proa-opt %s --proa-set-target=gpu=sm_90a --proa-choose-attention --proa-choose-contraction --verify-diagnostics --split-input-file | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#y = affine_map<(m, n, k) -> (k, n)>
#r = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @two
// CHECK-NOT: proa.strategies
// CHECK: proa.contraction = #proa.contraction<kind = mma, tile = [64, 64, 32], warp = [32, 32], stages = 3>
// CHECK: proa.contraction = #proa.contraction<kind = fma, tile = {{.*}}, split_k = 2>
func.func @two(%x: tensor<256x256xf16>, %o: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256x256xf32>)
    attributes {proa.kernel, proa.strategies = [#proa.contraction<kind = mma, tile = [64, 64, 32], warp = [32, 32], stages = 3>,
                                                #proa.contraction<kind = fma, split_k = 2>]} {
  %0 = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<256x256xf16>, tensor<256x256xf16>) outs(%o : tensor<256x256xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %c = arith.extf %a : f16 to f32
    %d = arith.extf %b : f16 to f32
    %p = arith.mulf %c, %d : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<256x256xf32>
  %1 = linalg.generic {indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %x : tensor<256x256xf16>, tensor<256x256xf16>) outs(%o : tensor<256x256xf32>) {
  ^bb0(%a: f16, %b: f16, %s: f32):
    %c = arith.extf %a : f16 to f32
    %d = arith.extf %b : f16 to f32
    %p = arith.mulf %c, %d : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<256x256xf32>
  return %0, %1 : tensor<256x256xf32>, tensor<256x256xf32>
}

// -----

// CHECK-LABEL: func.func private @attention
// CHECK-NOT: proa.strategies
// CHECK: proa.attention = #proa.attention<kind = wgmma, tile = [64, 32], stages = 2>
func.func private @attention(%q: tensor<2x4x512x64xf16>) -> tensor<2x4x512x64xf16>
    attributes {proa.device_kernel = #proa.device_kernel<op>,
                proa.strategies = [#proa.attention<kind = wgmma, tile = [64, 32], stages = 2>]} {
  %0:3 = pd.fused_attention %q, %q, %q : (tensor<2x4x512x64xf16>, tensor<2x4x512x64xf16>, tensor<2x4x512x64xf16>)
      -> (tensor<2x4x512x64xf16>, tensor<2x4x512xf32>, tensor<2x4x512xf32>)
  return %0#0 : tensor<2x4x512x64xf16>
}

// -----

// CHECK-LABEL: func.func private @grouped
// CHECK: proa.contraction = #proa.contraction<kind = mma, tile = [32, 64, 32], warp = [16, 32], stages = 2>
func.func private @grouped(%x: tensor<256x64xf16>, %y: tensor<4x64x128xf16>, %sizes: tensor<4xi64>) -> tensor<256x128xf16>
    attributes {proa.device_kernel = #proa.device_kernel<op>,
                proa.strategies = [#proa.contraction<kind = mma, tile = [32, 64, 32], warp = [16, 32], stages = 2>]} {
  %0 = pd.grouped_matmul %x, %y, %sizes : (tensor<256x64xf16>, tensor<4x64x128xf16>, tensor<4xi64>) -> tensor<256x128xf16>
  return %0 : tensor<256x128xf16>
}

// -----

// expected-error @+1 {{'proa.strategies': 1 more than the kernel has ops for, the first one #proa.attention<kind = mma>}}
func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> attributes {proa.kernel, proa.strategies = [#proa.attention<kind = mma>]} {
  return %x : tensor<4xf32>
}
