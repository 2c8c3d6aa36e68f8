// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose=target=gpu | FileCheck %s --check-prefix=STEPS

// CHECK-LABEL: func.func @step
// CHECK: pd.block_multihead_attention {{.*}}block_size = 4 : i64
// CHECK-SAME: -> (tensor<3x32xf16>, tensor<3x64xf16>, tensor<9x2x4x8xf16>, tensor<9x2x4x8xf16>)
// Prompts are refused, the new rows are written, and attention reads the new caches.
// STEPS-LABEL: func.func @step
// STEPS-NOT: pd.cos
// STEPS: pd.assert
// STEPS: %[[KEYS:[0-9]+]] = pd.scatter_nd {{.*}} -> tensor<9x2x4x8xf16>
// STEPS: %[[VALUES:[0-9]+]] = pd.scatter_nd {{.*}} -> tensor<9x2x4x8xf16>
// STEPS: pd.paged_attention %{{.*}}, %[[KEYS]], %[[VALUES]], {{.*}} {scale = 0.35355339059327373 : f64}
// STEPS: return %{{.*}}, %{{.*}}, %[[KEYS]], %[[VALUES]]
func.func @step(%x: tensor<3x64xf16>, %c: tensor<9x2x4x8xf16>, %n: tensor<3x1xi32>, %t: tensor<3x5xi32>,
                %b: tensor<64xf16>)
    -> (tensor<3x32xf16>, tensor<3x64xf16>, tensor<9x2x4x8xf16>, tensor<9x2x4x8xf16>) {
  %0:4 = pd.block_multihead_attention %x, %c, %c, %n, %n, %n, %t qkv_bias = %b {block_size = 4 : i64}
      : (tensor<3x64xf16>, tensor<9x2x4x8xf16>, tensor<9x2x4x8xf16>, tensor<3x1xi32>, tensor<3x1xi32>, tensor<3x1xi32>,
         tensor<3x5xi32>, tensor<64xf16>)
      -> (tensor<3x32xf16>, tensor<3x64xf16>, tensor<9x2x4x8xf16>, tensor<9x2x4x8xf16>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<3x32xf16>, tensor<3x64xf16>, tensor<9x2x4x8xf16>, tensor<9x2x4x8xf16>
}

// The table of angles is read for this style only.
// STEPS-LABEL: func.func @halves
// STEPS-COUNT-2: pd.embedding
// STEPS-LABEL: func.func @pairs
// STEPS-NOT: pd.embedding
// STEPS: pd.cos
// STEPS: return
func.func @halves(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>,
                  %r: tensor<2x1x20x1x8xf32>) -> tensor<3x32xf32> {
  %0:4 = pd.block_multihead_attention %x, %c, %c, %n, %n, %n, %t rope_emb = %r
      {block_size = 4 : i64, use_neox_style = true}
      : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>,
         tensor<3x5xi32>, tensor<2x1x20x1x8xf32>)
      -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return %0#0 : tensor<3x32xf32>
}

func.func @pairs(%x: tensor<3x64xf32>, %c: tensor<9x2x4x8xf32>, %n: tensor<3xi32>, %t: tensor<3x5xi32>,
                 %r: tensor<2x1x20x1x8xf32>) -> tensor<3x32xf32> {
  %0:4 = pd.block_multihead_attention %x, %c, %c, %n, %n, %n, %t rope_emb = %r {block_size = 4 : i64}
      : (tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>,
         tensor<3x5xi32>, tensor<2x1x20x1x8xf32>)
      -> (tensor<3x32xf32>, tensor<3x64xf32>, tensor<9x2x4x8xf32>, tensor<9x2x4x8xf32>)
  return %0#0 : tensor<3x32xf32>
}

// Without a mask each sequence is a block; with one, the rows that it has are used.
// CHECK-LABEL: func.func @sequences
// CHECK: pd.masked_multihead_attention {{.*}} sequence_lengths = %{{.*}} -> (tensor<3x32xf16>, tensor<2x3x2x12x8xf16>)
// STEPS-LABEL: func.func @sequences
// STEPS-COUNT-2: pd.scatter_nd
// STEPS: pd.paged_attention {{.*}} tensor<3x2x12x8xf16>, tensor<3x2x12x8xf16>, tensor<3x1xi64>, tensor<3xi64>
func.func @sequences(%x: tensor<3x64xf16>, %c: tensor<2x3x2x12x8xf16>, %n: tensor<3x1xi32>)
    -> (tensor<3x32xf16>, tensor<2x3x2x12x8xf16>) {
  %0:2 = pd.masked_multihead_attention %x, %c sequence_lengths = %n
      : (tensor<3x64xf16>, tensor<2x3x2x12x8xf16>, tensor<3x1xi32>) -> (tensor<3x32xf16>, tensor<2x3x2x12x8xf16>)
  return %0#0, %0#1 : tensor<3x32xf16>, tensor<2x3x2x12x8xf16>
}

// CHECK-LABEL: func.func @mask
// STEPS-LABEL: func.func @mask
// STEPS-NOT: pd.assert
// STEPS: pd.fused_attention {{.*}} mask = %{{.*}}tensor<3x4x1x8xf16>, tensor<3x2x5x8xf16>, tensor<3x2x5x8xf16>
func.func @mask(%x: tensor<3x64xf16>, %c: tensor<2x3x2x12x8xf16>, %m: tensor<3x1x1x5xf16>) -> tensor<3x32xf16> {
  %0:2 = pd.masked_multihead_attention %x, %c src_mask = %m
      : (tensor<3x64xf16>, tensor<2x3x2x12x8xf16>, tensor<3x1x1x5xf16>) -> (tensor<3x32xf16>, tensor<2x3x2x12x8xf16>)
  return %0#0 : tensor<3x32xf16>
}
