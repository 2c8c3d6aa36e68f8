// An exact product of 8-bit integers, on tensor cores of the emulated GPU as by the CPU's library kernel.
// RUN: proa-run %s -i random:1 --cache off -o %t.safetensors
// RUN: proa-run %s -i random:1 --cache off --target=cuda-emulated --expect=%t.safetensors | FileCheck %s

// CHECK: scaled {{.*}}
// CHECK: max abs error 0
func.func @main(%x: tensor<33x130xi8> {pd.feed = "x"}, %y: tensor<130x65xi8> {pd.feed = "y"}, %scale: tensor<65xf32> {pd.feed = "scale"}) -> (tensor<33x65xf32> {pd.fetch = "scaled"}) {
  %a = pd.cast %x {dtype = i32} : (tensor<33x130xi8>) -> tensor<33x130xi32>
  %b = pd.cast %y {dtype = i32} : (tensor<130x65xi8>) -> tensor<130x65xi32>
  %p = pd.matmul %a, %b : (tensor<33x130xi32>, tensor<130x65xi32>) -> tensor<33x65xi32>
  %f = pd.cast %p {dtype = f32} : (tensor<33x65xi32>) -> tensor<33x65xf32>
  %s = pd.multiply %f, %scale : (tensor<33x65xf32>, tensor<65xf32>) -> tensor<33x65xf32>
  return %s : tensor<33x65xf32>
}
