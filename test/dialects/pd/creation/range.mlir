// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @arange
func.func @arange(%start: tensor<1xf32>, %end: tensor<1xf32>, %step: tensor<1xf32>) {
  // CHECK: pd.arange %{{.*}}, %{{.*}}, %{{.*}} {dtype = f32} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?xf32>
  %0 = pd.arange %start, %end, %step {dtype = f32} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?xf32>
  return
}

// CHECK-LABEL: func @eye
func.func @eye() {
  // CHECK: pd.eye  {dtype = f32, num_columns = 4 : i64, num_rows = 3 : i64} : () -> tensor<3x4xf32>
  %0 = pd.eye  {dtype = f32, num_columns = 4 : i64, num_rows = 3 : i64} : () -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @linspace
func.func @linspace(%start: tensor<f32>, %stop: tensor<f32>) {
  %number = pd.constant dense<5> : tensor<i32>
  // CHECK: pd.linspace %{{.*}}, %{{.*}}, %{{.*}} {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
  %0 = pd.linspace %start, %stop, %number {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
  return
}

// CHECK-LABEL: func @logspace
func.func @logspace(%start: tensor<f32>, %stop: tensor<f32>, %base: tensor<f32>) {
  %number = pd.constant dense<5> : tensor<i32>
  // CHECK: pd.logspace %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>) -> tensor<5xf32>
  %0 = pd.logspace %start, %stop, %number, %base {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>) -> tensor<5xf32>
  return
}

// CHECK-LABEL: func @tril_indices
func.func @tril_indices() {
  // CHECK: pd.tril_indices  {cols = 4 : i64, dtype = i64, rows = 4 : i64} : () -> tensor<2x10xi64>
  %0 = pd.tril_indices  {cols = 4 : i64, dtype = i64, rows = 4 : i64} : () -> tensor<2x10xi64>
  return
}

// CHECK-LABEL: func @triu_indices
func.func @triu_indices() {
  // CHECK: pd.triu_indices  {cols = 5 : i64, dtype = i64, offset = 1 : i64, rows = 4 : i64} : () -> tensor<2x10xi64>
  %0 = pd.triu_indices  {cols = 5 : i64, dtype = i64, offset = 1 : i64, rows = 4 : i64} : () -> tensor<2x10xi64>
  return
}

// CHECK-LABEL: func @shape_uses
func.func @shape_uses(%s: tensor<f32>) {
  // CHECK: pd.linspace %{{.*}} {dtype = f32}
  %n = pd.constant dense<5> : tensor<i32>
  %5 = pd.linspace %s, %s, %n {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
  return
}
