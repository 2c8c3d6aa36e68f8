// RUN: proa-opt %s --pd-form-attention=target=gpu --canonicalize --cse --split-input-file | FileCheck %s
// RUN: proa-opt %s --pd-form-attention=target=gpu --split-input-file --remarks=pd-form-attention -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// The least float32 number as a floor of scores with a mask, as XGLM has it: no finite score is below it.
// REMARK: pd.matmul is the end of an attention
// CHECK-LABEL: func.func @floor(
// CHECK: pd.fused_attention
func.func @floor(%q: tensor<2x4x5x8xf32>, %c: tensor<2x1x5x5xi1>) -> tensor<2x4x5x8xf32> {
  %zero = pd.constant dense<0.0> : tensor<f32>
  %least = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %m = pd.where %c, %zero, %least : (tensor<2x1x5x5xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x5x5xf32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %m : (tensor<2x4x5x5xf32>, tensor<2x1x5x5xf32>) -> tensor<2x4x5x5xf32>
  %f = pd.maximum %a, %least : (tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %f : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}

// -----

// Near miss: the mask may be minus infinity, which the floor replaces.
// REMARK: its scores have a least number, and a mask before it may be minus infinity
// CHECK-LABEL: func.func @floor_of_infinity(
// CHECK-NOT: pd.fused_attention
func.func @floor_of_infinity(%q: tensor<2x4x5x8xf32>, %m: tensor<2x1x5x5xf32>) -> tensor<2x4x5x8xf32> {
  %least = pd.constant dense<-3.40282347E+38> : tensor<f32>
  %s = pd.matmul %q, %q {transpose_y = true} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x5xf32>
  %a = pd.add %s, %m : (tensor<2x4x5x5xf32>, tensor<2x1x5x5xf32>) -> tensor<2x4x5x5xf32>
  %f = pd.maximum %a, %least : (tensor<2x4x5x5xf32>, tensor<f32>) -> tensor<2x4x5x5xf32>
  %p = pd.softmax %f : (tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>
  %o = pd.matmul %p, %q : (tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %o : tensor<2x4x5x8xf32>
}
