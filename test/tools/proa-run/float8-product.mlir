// A product of 8-bit floats of two formats, on tensor cores of the emulated GPU as on the CPU: all sums are exact.
// RUN: proa-run %s -i random:1 --cache off -o %t.safetensors
// RUN: proa-run %s -i random:1 --cache off --target=cuda-emulated --expect=%t.safetensors | FileCheck %s

// CHECK: rounded {{.*}}
// CHECK: max abs error 0
func.func @main(%x: tensor<33x130xf8E4M3FN> {pd.feed = "x"}, %y: tensor<130x65xf8E5M2> {pd.feed = "y"}, %scale: tensor<65xf32> {pd.feed = "scale"}) -> (tensor<33x65xf8E4M3FN> {pd.fetch = "rounded"}) {
  %a = pd.cast %x {dtype = f32} : (tensor<33x130xf8E4M3FN>) -> tensor<33x130xf32>
  %b = pd.cast %y {dtype = f32} : (tensor<130x65xf8E5M2>) -> tensor<130x65xf32>
  %p = pd.matmul %a, %b : (tensor<33x130xf32>, tensor<130x65xf32>) -> tensor<33x65xf32>
  %s = pd.multiply %p, %scale : (tensor<33x65xf32>, tensor<65xf32>) -> tensor<33x65xf32>
  %r = pd.cast %s {dtype = f8E4M3FN} : (tensor<33x65xf32>) -> tensor<33x65xf8E4M3FN>
  return %r : tensor<33x65xf8E4M3FN>
}
