// RUN: proa-opt %s --pass-pipeline="builtin.module(proa-set-target{gpu=sm_90a},func.func(proa-choose-attention),proa-lower-attention)" \
// RUN:   | FileCheck %s

// float32: each thread multiplies and adds its scores, 4 x 4 of 64 x 64, and as many outputs. 16 lanes share a row: four
// shuffles for each of its 4 maxima, and for its 4 sums at the end.
// CHECK-LABEL: func.func private @forward
// CHECK-SAME: proa.launch = #proa.launch<threads = 256>, proa.rows = #proa.rows<count = 16, nanoseconds = {{[^>]*}}>
// CHECK: memref.alloc() {{.*}} : memref<64x68xf32, #gpu.address_space<workgroup>>
// CHECK: nvgpu.device_async_copy
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-64: math.fma
// CHECK-COUNT-16: gpu.shuffle xor
// CHECK: math.exp2
// CHECK-COUNT-64: math.fma
// CHECK-NOT: math.fma
// CHECK-COUNT-16: gpu.shuffle xor
// CHECK-COUNT-4: vector.store
func.func private @forward(%q: tensor<2x4x128x64xf32>, %k: tensor<2x4x128x64xf32>, %v: tensor<2x4x128x64xf32>) -> tensor<2x4x128x64xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %k, %v : (tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>)
      -> (tensor<2x4x128x64xf32>, tensor<2x4x128xf32>, tensor<2x4x128xf32>)
  return %0#0 : tensor<2x4x128x64xf32>
}

// CHECK-LABEL: func.func private @queries
// CHECK: math.log2
// CHECK-COUNT-192: math.fma
// CHECK-COUNT-4: vector.store
func.func private @queries(%q: tensor<2x4x128x64xf32>, %s: tensor<2x4x128xf32>) -> tensor<2x4x128x64xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s : (tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>,
      tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>, tensor<2x4x128xf32>, tensor<2x4x128xf32>, tensor<2x4x128xf32>)
      -> tensor<2x4x128x64xf32>
  return %0 : tensor<2x4x128x64xf32>
}

// CHECK-LABEL: func.func private @keys
// CHECK-COUNT-256: math.fma
// CHECK-COUNT-8: vector.store
func.func private @keys(%q: tensor<2x4x128x64xf32>, %s: tensor<2x4x128xf32>) -> (tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>)
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s : (tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>,
      tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>, tensor<2x4x128xf32>, tensor<2x4x128xf32>, tensor<2x4x128xf32>)
      -> (tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>)
  return %0#0, %0#1 : tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>
}

// CHECK-LABEL: func.func private @scores
// CHECK-COUNT-128: math.fma
// CHECK-COUNT-16: vector.store
func.func private @scores(%q: tensor<2x4x128x64xf32>, %s: tensor<2x4x128xf32>) -> tensor<1x4x128x128xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_score_grad %q, %q, %q, %q, %s, %s, %s {sum_batches = true} : (tensor<2x4x128x64xf32>,
      tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>, tensor<2x4x128x64xf32>, tensor<2x4x128xf32>, tensor<2x4x128xf32>,
      tensor<2x4x128xf32>) -> tensor<1x4x128x128xf32>
  return %0 : tensor<1x4x128x128xf32>
}
