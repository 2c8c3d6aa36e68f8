// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=FORMULA

// CHECK-LABEL: @sum
// FORMULA-LABEL: @sum
func.func @sum(%x: tensor<?x3xf32>, %f: tensor<5xi32>, %s: tensor<5xf32>, %b: tensor<5x4xi32>, %r: tensor<2xi32>, %w: tensor<5x6xf32>) {
  // CHECK: pd.tree_ensemble %{{.*}} {depth = 2 : i64} : (tensor<?x3xf32>, tensor<5xi32>, tensor<5xf32>, tensor<5x4xi32>, tensor<2xi32>, tensor<5x6xf32>) -> tensor<?x6xf32>
  // FORMULA-COUNT-2: pd.take_along_axis {{.*}} -> tensor<?x2xf32>
  // FORMULA-NOT: pd.take_along_axis
  // FORMULA: pd.sum {{.*}} : (tensor<?x2x6xf32>) -> tensor<?x6xf32>
  %0 = pd.tree_ensemble %x, %f, %s, %b, %r, %w {depth = 2} : (tensor<?x3xf32>, tensor<5xi32>, tensor<5xf32>, tensor<5x4xi32>, tensor<2xi32>, tensor<5x6xf32>) -> tensor<?x6xf32>
  return
}

// CHECK-LABEL: @max
// FORMULA-LABEL: @max
func.func @max(%x: tensor<7x3xf64>, %f: tensor<?xi64>, %s: tensor<?xf64>, %b: tensor<?x4xi64>, %r: tensor<?xi64>, %w: tensor<?x1xf64>) {
  // CHECK: pd.tree_ensemble %{{.*}} aggregate = MAX {depth = 0 : i64}
  // FORMULA: pd.max {{.*}} -> tensor<7x1xf64>
  %0 = pd.tree_ensemble %x, %f, %s, %b, %r, %w aggregate = MAX {depth = 0} : (tensor<7x3xf64>, tensor<?xi64>, tensor<?xf64>, tensor<?x4xi64>, tensor<?xi64>, tensor<?x1xf64>) -> tensor<7x1xf64>
  return
}
