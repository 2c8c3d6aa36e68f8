// RUN: proa-opt %s --pass-pipeline="builtin.module(proa-set-target{gpu=sm_80},func.func(proa-choose-attention),proa-lower-attention)" \
// RUN:   | FileCheck %s --check-prefix=MMA
// RUN: proa-opt %s --pass-pipeline="builtin.module(proa-set-target{gpu=sm_90a},func.func(proa-choose-attention),proa-lower-attention)" \
// RUN:   | FileCheck %s --check-prefix=WGMMA

// 128 queries in tiles of 64, 8 heads: 16 rows of the kernel. A warp has 16 queries; for a tile of 64 keys it needs
// 8 x 4 instructions of 16 x 8 x 16 for the scores, and as many for the output. A row's maximum is shared by 4 lanes.
// MMA-LABEL: func.func private @forward
// MMA-SAME: proa.launch = #proa.launch<threads = 128>, proa.rows = #proa.rows<count = 16, nanoseconds = {{[^>]*}}>
// MMA: nvgpu.device_async_copy
// MMA: nvvm.cp.async.commit.group
// MMA: scf.for
// MMA: nvvm.cp.async.wait.group
// MMA: gpu.barrier
// MMA-COUNT-32: nvvm.mma.sync
// MMA: arith.maximumf
// MMA: gpu.shuffle xor
// MMA: math.exp2
// MMA-COUNT-32: nvvm.mma.sync
// MMA-NOT: nvvm.mma.sync
// MMA: scf.yield
// MMA: vector.store
//
// One warpgroup copies tiles, two have 64 queries each and take its registers. Of 64 elements wgmma takes 16 at a time.
// WGMMA-LABEL: func.func private @forward
// WGMMA-SAME: proa.launch = #proa.launch<threads = 384, resident_blocks = 1>, proa.rows = #proa.rows<count = 8, nanoseconds = {{[^>]*}}>
// WGMMA: nvvm.mbarrier.init
// WGMMA: nvvm.setmaxregister increase 232
// WGMMA: scf.for
// WGMMA: nvvm.mbarrier.try_wait.parity
// WGMMA: nvvm.wgmma.fence.aligned
// WGMMA-COUNT-4: nvvm.wgmma.mma_async
// WGMMA: nvvm.wgmma.wait.group.sync.aligned
// WGMMA: math.exp2
// The probabilities are in registers.
// WGMMA: rt.wgmma f16(
// WGMMA: nvvm.mbarrier.arrive
// WGMMA: vector.store
// WGMMA: nvvm.setmaxregister decrease 40
// WGMMA: nvvm.cp.async.bulk.tensor.shared.cluster.global
func.func private @forward(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %k, %v : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>)
      -> (tensor<2x4x128x64xf16>, tensor<2x4x128xf32>, tensor<2x4x128xf32>)
  return %0#0 : tensor<2x4x128x64xf16>
}

// Tiles with keys that a query may not use have a loop of their own, with a condition for each score.
// MMA-LABEL: func.func private @causal
// MMA: scf.for
// MMA-COUNT-64: nvvm.mma.sync
// MMA: scf.yield
// MMA: scf.for
// MMA: arith.cmpi
// MMA-COUNT-64: nvvm.mma.sync
// MMA: scf.yield
// WGMMA-LABEL: func.func private @causal
// WGMMA-COUNT-2: nvvm.wgmma.fence.aligned
func.func private @causal(%q: tensor<2x4x128x64xf16>, %k: tensor<2x4x128x64xf16>, %v: tensor<2x4x128x64xf16>) -> tensor<2x4x128x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %k, %v {causal = true} : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>,
      tensor<2x4x128x64xf16>) -> (tensor<2x4x128x64xf16>, tensor<2x4x128xf32>, tensor<2x4x128xf32>)
  return %0#0 : tensor<2x4x128x64xf16>
}

// Three products: the scores, the gradient of the probabilities, and with its result the gradient of queries.
// MMA-LABEL: func.func private @queries
// MMA: scf.for
// MMA-COUNT-64: nvvm.mma.sync
// MMA: math.exp2
// MMA-COUNT-32: nvvm.mma.sync
// MMA-NOT: nvvm.mma.sync
// MMA: scf.yield
// MMA: vector.store
// WGMMA-LABEL: func.func private @queries
// WGMMA: scf.for
// WGMMA-COUNT-8: nvvm.wgmma.mma_async
// WGMMA: math.exp2
// WGMMA: vector.store
func.func private @queries(%q: tensor<2x4x128x64xf16>, %s: tensor<2x4x128xf32>) -> tensor<2x4x128x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>,
      tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>, tensor<2x4x128xf32>, tensor<2x4x128xf32>, tensor<2x4x128xf32>)
      -> tensor<2x4x128x64xf16>
  return %0 : tensor<2x4x128x64xf16>
}

// Four products; a block owns keys, and loops over the heads of queries that share them, and over queries.
// MMA-LABEL: func.func private @keys
// MMA: scf.for
// MMA: scf.for
// MMA: scf.for
// MMA-COUNT-128: nvvm.mma.sync
// MMA-NOT: nvvm.mma.sync
// MMA-COUNT-32: vector.store
// WGMMA-LABEL: func.func private @keys
// WGMMA-SAME: proa.launch = #proa.launch<threads = 160, resident_blocks = 1>, proa.rows = #proa.rows<count = 16, nanoseconds = {{[^>]*}}>
// WGMMA: scf.for
// WGMMA: scf.for
// WGMMA-COUNT-8: nvvm.wgmma.mma_async
// WGMMA: vector.store
func.func private @keys(%q: tensor<2x4x128x64xf16>, %s: tensor<2x4x128xf32>) -> (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>)
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s : (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>,
      tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>, tensor<2x4x128xf32>, tensor<2x4x128xf32>, tensor<2x4x128xf32>)
      -> (tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>)
  return %0#0, %0#1 : tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>
}

// Two products; a block owns a tile of scores, and adds over the batch.
// MMA-LABEL: func.func private @scores
// MMA: scf.for
// MMA-COUNT-64: nvvm.mma.sync
// MMA-NOT: nvvm.mma.sync
// MMA: scf.yield
// MMA-COUNT-16: vector.store
// WGMMA-LABEL: func.func private @scores
// WGMMA: scf.for
// WGMMA-COUNT-8: nvvm.wgmma.mma_async
// WGMMA: vector.store
func.func private @scores(%q: tensor<2x4x128x64xf16>, %s: tensor<2x4x128xf32>) -> tensor<1x4x128x128xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_score_grad %q, %q, %q, %q, %s, %s, %s {sum_batches = true} : (tensor<2x4x128x64xf16>,
      tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>, tensor<2x4x128x64xf16>, tensor<2x4x128xf32>, tensor<2x4x128xf32>,
      tensor<2x4x128xf32>) -> tensor<1x4x128x128xf32>
  return %0 : tensor<1x4x128x128xf32>
}
