// The constraints and rewrites of pd.pdll: a match and a near miss of each.
// RUN: proa-opt %s --pdl-patterns=%S/Inputs/functions.pdll | FileCheck %s
// RUN: proa-opt %s --pdl-patterns=%S/Inputs/functions.pdll --remarks=pd-apply-patterns -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: @range
// CHECK: pd.tanh
// CHECK-NEXT: pd.maximum
// REMARK: pattern Range does not match: IsScalarIn of {{.*}}: it is 2, expected -1 to 1
func.func @range(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %one = pd.constant dense<1.0> : tensor<f32>
  %two = pd.constant dense<2.0> : tensor<f32>
  %0 = pd.maximum %x, %one : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = pd.maximum %x, %two : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// Commutative ops match in both orders.
// CHECK-LABEL: @scale_by_constant
// CHECK-NEXT: pd.scale %{{.*}} {scale = 2.500000e-01 : f64} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: pd.scale %{{.*}} {scale = 2.500000e-01 : f64} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: pd.multiply
// REMARK: pattern ScaleByConstant does not match: ScalarOf of {{.*}}: it is not a constant of equal elements
func.func @scale_by_constant(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %c = pd.constant dense<0.25> : tensor<3xf32>
  %0 = pd.multiply %x, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = pd.multiply %c, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = pd.multiply %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// (2 x + 4) / 2 + 1 is x + 3.
// CHECK-LABEL: @of_affine
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>
// CHECK-NEXT: %[[S:.*]] = pd.scale %[[X]] {bias = 3.000000e+00 : f64, scale = 5.000000e-01 : f64}
// CHECK-NEXT: pd.sigmoid %[[S]]
// CHECK: pd.exp
// REMARK: pattern OfAffine does not match: IsNumber does not hold {{.*}}: it is 0, expected 3
func.func @of_affine(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %two = pd.constant dense<2.0> : tensor<f32>
  %one = pd.constant dense<1.0> : tensor<f32>
  %0 = pd.scale %x {scale = 2.0 : f64, bias = 4.0 : f64} : (tensor<3xf32>) -> tensor<3xf32>
  %1 = pd.divide %0, %two : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = pd.add %one, %1 : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = pd.exp %2 : (tensor<3xf32>) -> tensor<3xf32>
  %4 = pd.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  return %3, %4 : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: @of_transposed
// CHECK-NEXT: pd.matmul %{{.*}}, %arg1 {transpose_y = true}
// CHECK-NEXT: pd.transpose
// CHECK-NEXT: pd.matmul
func.func @of_transposed(%x: tensor<2x3x4xf32>, %y: tensor<2x5x4xf32>, %z: tensor<4x2x5xf32>)
    -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
  %0 = pd.transpose %y {perm = array<i64: 0, -1, 1>} : (tensor<2x5x4xf32>) -> tensor<2x4x5xf32>
  %1 = pd.matmul %x, %0 : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %2 = pd.transpose %z {perm = array<i64: 1, 0, 2>} : (tensor<4x2x5xf32>) -> tensor<2x4x5xf32>
  %3 = pd.matmul %x, %2 : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %1, %3 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
}

// CHECK-LABEL: @types
// CHECK-NEXT: pd.rsqrt
// CHECK-COUNT-5: pd.sqrt
// REMARK: pattern Types does not match: HasElementType of argument 1 {{.*}}: its type is tensor<2x8xf32>, expected elements of f16
// REMARK: pattern Types does not match: HasRank of argument 2 {{.*}}: its type is tensor<8xf16>, expected 2 dims
// REMARK: pattern Types does not match: IsStatic of argument 3 {{.*}}: its type is tensor<?x8xf16>, expected static dims
// REMARK: pattern Types does not match: HasDim of argument 4 {{.*}}: its type is tensor<3x8xf16>, expected the size 2 of dim 0
// REMARK: pattern Types does not match: HasDimMultipleOf of argument 5 {{.*}}: its type is tensor<2x9xf16>, expected a multiple of 8 as dim -1
func.func @types(%a: tensor<2x16xf16>, %b: tensor<2x8xf32>, %c: tensor<8xf16>, %d: tensor<?x8xf16>, %e: tensor<3x8xf16>,
                 %f: tensor<2x9xf16>)
    -> (tensor<2x16xf16>, tensor<2x8xf32>, tensor<8xf16>, tensor<?x8xf16>, tensor<3x8xf16>, tensor<2x9xf16>) {
  %0 = pd.sqrt %a : (tensor<2x16xf16>) -> tensor<2x16xf16>
  %1 = pd.sqrt %b : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = pd.sqrt %c : (tensor<8xf16>) -> tensor<8xf16>
  %3 = pd.sqrt %d : (tensor<?x8xf16>) -> tensor<?x8xf16>
  %4 = pd.sqrt %e : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %5 = pd.sqrt %f : (tensor<2x9xf16>) -> tensor<2x9xf16>
  return %0, %1, %2, %3, %4, %5
    : tensor<2x16xf16>, tensor<2x8xf32>, tensor<8xf16>, tensor<?x8xf16>, tensor<3x8xf16>, tensor<2x9xf16>
}

// CHECK-LABEL: @bias
// CHECK: pd.add
// CHECK-NEXT: pd.subtract
// CHECK-NEXT: pd.subtract
// REMARK: pattern Bias does not match: IsParameter of argument 0 {{.*}}: it depends on a value that is not a parameter
// REMARK: pattern Bias does not match: IsVectorOfLastDim of argument 2 {{.*}}: its type is tensor<1xf32>
func.func @bias(%x: tensor<4xf32>, %b: tensor<4xf32> {pd.param = "b"}, %c: tensor<1xf32> {pd.param = "c"})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pd.relu %b : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pd.subtract %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = pd.subtract %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = pd.subtract %x, %c : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @absent
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>
// CHECK-NEXT: %[[TWO:.*]] = pd.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: pd.add %[[X]], %[[TWO]]
// CHECK-NEXT: pd.cos
// CHECK-NEXT: pd.scale
// REMARK: pattern Absent does not match: IsAbsent {{.*}}: the op has this optional operand
func.func @absent(%x: tensor<3xf32>, %s: tensor<1xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = pd.cos %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = pd.scale %0 {scale = 2.0 : f64} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = pd.cos %x : (tensor<3xf32>) -> tensor<3xf32>
  %3 = "pd.scale"(%2, %s) {operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  return %1, %3 : tensor<3xf32>, tensor<3xf32>
}
