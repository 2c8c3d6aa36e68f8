// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @bincount
func.func @bincount(%x: tensor<9xi64>, %weights: tensor<9xf32>) {
  // CHECK: pd.bincount %{{.*}}, %{{.*}} : (tensor<9xi64>, tensor<9xf32>) -> tensor<?xf32>
  %0 = pd.bincount %x, %weights : (tensor<9xi64>, tensor<9xf32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: func @histogram
func.func @histogram(%input: tensor<20xf32>) {
  // CHECK: pd.histogram %{{.*}} {bins = 5 : i64, max = 1.000000e+00 : f64, min = -1.000000e+00 : f64} : (tensor<20xf32>) -> tensor<5xi64>
  %0 = pd.histogram %input {bins = 5 : i64, max = 1.000000e+00 : f64, min = -1.000000e+00 : f64} : (tensor<20xf32>) -> tensor<5xi64>
  return
}

// CHECK-LABEL: func @histogram_of_weights
func.func @histogram_of_weights(%input: tensor<4x5xf64>, %weight: tensor<4x5xf64>) {
  // CHECK: pd.histogram %{{.*}}, %{{.*}} {bins = 5 : i64, density = true} : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<5xf32>
  %0 = pd.histogram %input, %weight {bins = 5 : i64, density = true} : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<5xf32>
  return
}

// CHECK-LABEL: func @unique_consecutive
func.func @unique_consecutive(%x: tensor<9xi64>) {
  // CHECK: pd.unique_consecutive %{{.*}} {dtype = i64} : (tensor<9xi64>) -> (tensor<?xi64>, tensor<9xi64>, tensor<?xi64>)
  %0:3 = pd.unique_consecutive %x {dtype = i64} : (tensor<9xi64>) -> (tensor<?xi64>, tensor<9xi64>, tensor<?xi64>)
  return
}

// CHECK-LABEL: func @unique
func.func @unique(%x: tensor<6x2xi64>) {
  // CHECK: pd.unique %{{.*}} {axis = array<i64: 0>, dtype = i64} : (tensor<6x2xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<6xi64>, tensor<?xi64>)
  %0:4 = pd.unique %x {axis = array<i64: 0>, dtype = i64} : (tensor<6x2xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<6xi64>, tensor<?xi64>)
  return
}

// CHECK-LABEL: func @unique_with_counts
func.func @unique_with_counts(%x: tensor<7xi64>) {
  // CHECK: pd.unique_with_counts %{{.*}} {dtype = i32} : (tensor<7xi64>) -> (tensor<?xi64>, tensor<7xi32>, tensor<?xi32>)
  %0:3 = pd.unique_with_counts %x {dtype = i32} : (tensor<7xi64>) -> (tensor<?xi64>, tensor<7xi32>, tensor<?xi32>)
  return
}
