// Kernels that scatter have no spills; the atomic form has reductions in memory.
// RUN: proa-opt %s --pd-lower-to-linalg --proa-lower-gpu-kernels=chip=sm_80 | proa-ptx - --chip=sm_80 --emit=resources --check | FileCheck %s
// RUN: proa-opt %s --pd-lower-to-linalg --proa-lower-gpu-kernels=chip=sm_90a | proa-ptx - --chip=sm_90a --emit=resources --check | FileCheck %s
// RUN: proa-opt %s --pd-lower-to-linalg --proa-lower-gpu-kernels=chip=sm_100a | proa-ptx - --chip=sm_100a --emit=resources --check | FileCheck %s
// RUN: proa-opt %s --pd-lower-to-linalg --proa-lower-gpu-kernels=chip=sm_90a | proa-ptx - --chip=sm_90a | FileCheck %s --check-prefix=PTX
// REQUIRES: cuda-assembler

// CHECK-DAG: embedding {{.*}} 0 bytes stack, 0 bytes spilled
// CHECK-DAG: small {{.*}} 0 bytes stack, 0 bytes spilled
// PTX-LABEL: .entry embedding
// PTX-NOT: atom
// PTX-LABEL: .entry small
// PTX: atom.global{{.*}}.add.f32
func.func private @embedding(%k: tensor<4096xi32>, %u: tensor<4096x768xf32>) -> tensor<30522x768xf32> attributes {proa.kernel} {
  %0 = rt.scatter_owned %k, %u {depth = 1 : i64, reduce = #pd<scatter_reduce add>}
      : (tensor<4096xi32>, tensor<4096x768xf32>) -> tensor<30522x768xf32>
  return %0 : tensor<30522x768xf32>
}

func.func private @small(%k: tensor<4096xi32>, %u: tensor<4096xf32>) -> tensor<30522xf32> attributes {proa.kernel} {
  %0 = rt.scatter_owned %k, %u {depth = 1 : i64, reduce = #pd<scatter_reduce add>, proa.strategy = #proa.strategy<atomic>}
      : (tensor<4096xi32>, tensor<4096xf32>) -> tensor<30522xf32>
  return %0 : tensor<30522xf32>
}
