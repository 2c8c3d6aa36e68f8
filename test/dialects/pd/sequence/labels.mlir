// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @crf_decoding
func.func @crf_decoding(%a: tensor<5x3xf64>, %b: tensor<5x3xf64>, %offsets: tensor<3xi64>) {
  // CHECK: pd.crf_decoding %{{.*}}, %{{.*}} offsets = %{{.*}} : (tensor<5x3xf64>, tensor<5x3xf64>, tensor<3xi64>) -> tensor<5x1xi64>
  %0 = pd.crf_decoding %a, %b offsets = %offsets : (tensor<5x3xf64>, tensor<5x3xf64>, tensor<3xi64>) -> tensor<5x1xi64>
  return
}

// CHECK-LABEL: func @ctc_align
func.func @ctc_align(%a: tensor<2x4xi64>, %length: tensor<2xi64>) {
  // CHECK: pd.ctc_align %{{.*}} length = %{{.*}} {blank = 1 : i64} : (tensor<2x4xi64>, tensor<2xi64>) -> (tensor<2x4xi64>, tensor<2x1xi64>)
  %0:2 = pd.ctc_align %a length = %length {blank = 1} : (tensor<2x4xi64>, tensor<2xi64>) -> (tensor<2x4xi64>, tensor<2x1xi64>)
  return
}

// CHECK-LABEL: func @edit_distance
func.func @edit_distance(%a: tensor<?x1xi64>, %b: tensor<?x1xi64>, %hyps_offsets: tensor<?xi64>, %refs_offsets: tensor<?xi64>) {
  // CHECK: pd.edit_distance %{{.*}}, %{{.*}} hyps_offsets = %{{.*}} refs_offsets = %{{.*}} {normalized = true} : (tensor<?x1xi64>, tensor<?x1xi64>, tensor<?xi64>, tensor<?xi64>) -> (tensor<1xi64>, tensor<?x1xf32>)
  %0:2 = pd.edit_distance %a, %b hyps_offsets = %hyps_offsets refs_offsets = %refs_offsets {normalized = true} : (tensor<?x1xi64>, tensor<?x1xi64>, tensor<?xi64>, tensor<?xi64>) -> (tensor<1xi64>, tensor<?x1xf32>)
  return
}

// CHECK-LABEL: func @gather_tree
func.func @gather_tree(%a: tensor<3x2x2xi64>) {
  // CHECK: pd.gather_tree %{{.*}}, %{{.*}} : (tensor<3x2x2xi64>, tensor<3x2x2xi64>) -> tensor<3x2x2xi64>
  %0 = pd.gather_tree %a, %a : (tensor<3x2x2xi64>, tensor<3x2x2xi64>) -> tensor<3x2x2xi64>
  return
}

// CHECK-LABEL: func @linear_chain_crf_grad
func.func @linear_chain_crf_grad(%a: tensor<2x4x3xf32>, %b: tensor<5x3xf32>, %c: tensor<2x4xi64>, %length: tensor<2xi64>, %cotangent: tensor<2x1xf32>) {
  // CHECK: pd.linear_chain_crf_grad %{{.*}}, %{{.*}}, %{{.*}} length = %{{.*}} cotangent = %{{.*}} : (tensor<2x4x3xf32>, tensor<5x3xf32>, tensor<2x4xi64>, tensor<2xi64>, tensor<2x1xf32>) -> (tensor<2x4x3xf32>, tensor<5x3xf32>)
  %0:2 = pd.linear_chain_crf_grad %a, %b, %c length = %length cotangent = %cotangent : (tensor<2x4x3xf32>, tensor<5x3xf32>, tensor<2x4xi64>, tensor<2xi64>, tensor<2x1xf32>) -> (tensor<2x4x3xf32>, tensor<5x3xf32>)
  return
}

// CHECK-LABEL: func @linear_chain_crf
func.func @linear_chain_crf(%a: tensor<6x3xf32>, %b: tensor<5x3xf32>, %c: tensor<6x1xi64>, %offsets: tensor<4xi64>) {
  // CHECK: pd.linear_chain_crf %{{.*}}, %{{.*}}, %{{.*}} offsets = %{{.*}} : (tensor<6x3xf32>, tensor<5x3xf32>, tensor<6x1xi64>, tensor<4xi64>) -> (tensor<6x3xf32>, tensor<6x3xf32>, tensor<5x3xf32>, tensor<3x1xf32>)
  %0:4 = pd.linear_chain_crf %a, %b, %c offsets = %offsets : (tensor<6x3xf32>, tensor<5x3xf32>, tensor<6x1xi64>, tensor<4xi64>) -> (tensor<6x3xf32>, tensor<6x3xf32>, tensor<5x3xf32>, tensor<3x1xf32>)
  return
}

// CHECK-LABEL: func @viterbi_decode
func.func @viterbi_decode(%x: tensor<2x4x3xf32>, %transition: tensor<3x3xf32>, %lengths: tensor<2xi64>) {
  // CHECK: pd.viterbi_decode %{{.*}}, %{{.*}}, %{{.*}} {include_bos_eos_tag = false} : (tensor<2x4x3xf32>, tensor<3x3xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2x?xi64>)
  %0:2 = pd.viterbi_decode %x, %transition, %lengths {include_bos_eos_tag = false} : (tensor<2x4x3xf32>, tensor<3x3xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2x?xi64>)
  return
}

// CHECK-LABEL: func @warpctc
func.func @warpctc(%logits: tensor<4x2x3xf64>, %label: tensor<2x2xi32>) {
  // CHECK: pd.warpctc %{{.*}}, %{{.*}} {blank = 2 : i64} : (tensor<4x2x3xf64>, tensor<2x2xi32>) -> (tensor<2x1xf64>, tensor<4x2x3xf64>)
  %0:2 = pd.warpctc %logits, %label {blank = 2 : i64} : (tensor<4x2x3xf64>, tensor<2x2xi32>) -> (tensor<2x1xf64>, tensor<4x2x3xf64>)
  return
}

// CHECK-LABEL: @labels
func.func @labels(%e: tensor<2x4x3xf32>, %t: tensor<5x3xf32>, %s: tensor<3x3xf32>, %l: tensor<2x4xi64>, %n: tensor<2xi64>, %c: tensor<2x1xf32>) {
  // CHECK: pd.linear_chain_crf_grad {{.*}} length = {{.*}} cotangent =
  %0:2 = pd.linear_chain_crf_grad %e, %t, %l length = %n cotangent = %c : (tensor<2x4x3xf32>, tensor<5x3xf32>, tensor<2x4xi64>, tensor<2xi64>, tensor<2x1xf32>) -> (tensor<2x4x3xf32>, tensor<5x3xf32>)
  // CHECK: pd.viterbi_decode
  %1:2 = pd.viterbi_decode %e, %s, %n {include_bos_eos_tag = false} : (tensor<2x4x3xf32>, tensor<3x3xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2x?xi64>)
  // CHECK: pd.ctc_align
  %2:2 = pd.ctc_align %l length = %n {blank = 1} : (tensor<2x4xi64>, tensor<2xi64>) -> (tensor<2x4xi64>, tensor<2x1xi64>)
  // CHECK: pd.edit_distance
  %3:2 = pd.edit_distance %l, %l hyps_length = %n refs_length = %n : (tensor<2x4xi64>, tensor<2x4xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1xi64>, tensor<2x1xf32>)
  return
}

// CHECK-LABEL: @labels_2
func.func @labels_2(%e: tensor<6x3xf32>, %b: tensor<2x4x3xf32>, %t: tensor<5x3xf32>, %l: tensor<6x1xi64>, %m: tensor<2x4xi64>, %n: tensor<2x1xi64>, %o: tensor<4xi64>) -> tensor<3x1xf32> {
  // CHECK: pd.linear_chain_crf %{{.*}} offsets = %{{.*}} -> (tensor<6x3xf32>, tensor<6x3xf32>, tensor<5x3xf32>, tensor<3x1xf32>)
  %0:4 = pd.linear_chain_crf %e, %t, %l offsets = %o : (tensor<6x3xf32>, tensor<5x3xf32>, tensor<6x1xi64>, tensor<4xi64>) -> (tensor<6x3xf32>, tensor<6x3xf32>, tensor<5x3xf32>, tensor<3x1xf32>)
  // CHECK: pd.crf_decoding %{{.*}} label = %{{.*}} length = %{{.*}} -> tensor<2x4xi64>
  %1 = pd.crf_decoding %b, %t label = %m length = %n : (tensor<2x4x3xf32>, tensor<5x3xf32>, tensor<2x4xi64>, tensor<2x1xi64>) -> tensor<2x4xi64>
  return %0#3 : tensor<3x1xf32>
}
