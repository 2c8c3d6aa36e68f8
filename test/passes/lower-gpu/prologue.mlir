// RUN: proa-opt %s --pd-lower-to-linalg --proa-lower-gpu-kernels=chip=sm_90a --mlir-print-ir-after=proa-choose-contraction --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: proa-opt %s --pd-lower-to-linalg --proa-lower-gpu-kernels=chip=sm_90a --mlir-print-ir-after=proa-lower-attention --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=THREADS

// The weights are not merged into the product, whose operands tensor cores read from shared memory, and no buffer
// has all of them.
// CHOICE-LABEL: func.func private @weights
// CHOICE: linalg.generic
// CHOICE-SAME: proa.loops = #proa.loops<fused_with = operand>
// CHOICE: arith.sitofp
// CHOICE: linalg.generic
// CHOICE-SAME: proa.contraction = #proa.contraction<kind = mma
// THREADS-LABEL: func.func private @weights
// THREADS-NOT: memref<512x256xf16
// THREADS: vector.load %arg1{{.*}} vector<8xi8>
// THREADS: vector.load %arg2{{.*}} vector<8xf16>
// THREADS: arith.sitofp
// THREADS: vector.from_elements {{.*}} : vector<8xf16>
// THREADS: vector.store
// THREADS: nvvm.mma.sync
func.func private @weights(%x: tensor<64x512xf16>, %w: tensor<512x256xi8>, %s: tensor<256xf16>) -> tensor<64x256xf16> attributes {proa.kernel} {
  %a = pd.cast %w {dtype = f16} : (tensor<512x256xi8>) -> tensor<512x256xf16>
  %b = pd.multiply %a, %s : (tensor<512x256xf16>, tensor<256xf16>) -> tensor<512x256xf16>
  %0 = pd.matmul %x, %b : (tensor<64x512xf16>, tensor<512x256xf16>) -> tensor<64x256xf16>
  return %0 : tensor<64x256xf16>
}

// -----

// Near miss: both products read the operand, which is computed once.
// CHOICE-LABEL: func.func private @twice
// CHOICE-NOT: proa.loops = #proa.loops<fused_with = operand>
func.func private @twice(%x: tensor<64x64xf16>, %w: tensor<64x64xi8>) -> (tensor<64x64xf16>, tensor<64x64xf16>) attributes {proa.kernel} {
  %a = pd.cast %w {dtype = f16} : (tensor<64x64xi8>) -> tensor<64x64xf16>
  %0 = pd.matmul %x, %a : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = pd.matmul %a, %x : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %0, %1 : tensor<64x64xf16>, tensor<64x64xf16>
}
