// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @arange_c1(%a0: tensor<2xi64>, %a1: tensor<i64>, %a2: tensor<i64>) {
  // expected-error@+1 {{C1: operand 0 has 2 elements, expected one}}
  %0 = "pd.arange"(%a0, %a1, %a2) <{dtype = i64}> : (tensor<2xi64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @arange_c2(%a0: tensor<i64>, %a1: tensor<i32>, %a2: tensor<i64>) {
  // expected-error@+1 {{C2: operands must have one element type, found i64 and i32}}
  %0 = "pd.arange"(%a0, %a1, %a2) <{dtype = i64}> : (tensor<i64>, tensor<i32>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @arange_c3(%a: tensor<i64>) {
  %0 = "pd.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
  // expected-error@+1 {{C3: step must not be 0}}
  %1 = "pd.arange"(%a, %a, %0) <{dtype = i64}> : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// -----

func.func @arange_c4(%a0: tensor<i64>, %a1: tensor<i64>, %a2: tensor<i64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<?xi64>' are incompatible with return type(s) of operation 'tensor<?xi32>'}}
  %0 = "pd.arange"(%a0, %a1, %a2) <{dtype = i64}> : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi32>
  return
}

// -----

func.func @eye_c1() {
  // expected-error@+1 {{C1: num_rows must not be negative, found -1}}
  %0 = pd.eye {num_rows = -1 : i64, dtype = f32} : () -> tensor<0x0xf32>
  return
}

// -----

func.func @linspace_c1(%start: tensor<2xf32>, %stop: tensor<f32>, %number: tensor<i32>) {
  // expected-error@+1 {{C1: operand 0 has 2 elements, expected one}}
  %0 = pd.linspace %start, %stop, %number {dtype = f32} : (tensor<2xf32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

func.func @linspace_c2(%start: tensor<f32>, %stop: tensor<f32>, %number: tensor<i32>) {
  // expected-error@+1 {{C2: number must be constant, found a value that the run computes}}
  %0 = pd.linspace %start, %stop, %number {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

func.func @logspace_c1(%start: tensor<2xf32>, %stop: tensor<f32>, %number: tensor<i32>, %base: tensor<f32>) {
  // expected-error@+1 {{C1: operand 0 has 2 elements, expected one}}
  %0 = pd.logspace %start, %stop, %number, %base {dtype = f32} : (tensor<2xf32>, tensor<f32>, tensor<i32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

func.func @logspace_c2(%start: tensor<f32>, %stop: tensor<f32>, %number: tensor<i32>, %base: tensor<f32>) {
  // expected-error@+1 {{C2: number must be constant, found a value that the run computes}}
  %0 = pd.logspace %start, %stop, %number, %base {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

func.func @tril_indices_c1() {
  // expected-error@+1 {{C1: the matrix must have at most 67108864 elements, found -1 rows and 2 columns}}
  %0 = pd.tril_indices {rows = -1 : i64, cols = 2 : i64, dtype = i64} : () -> tensor<2x0xi64>
  return
}

// -----

func.func @triu_indices_c1() {
  // expected-error@+1 {{C1: the matrix must have at most 67108864 elements, found -1 rows and 2 columns}}
  %0 = pd.triu_indices {rows = -1 : i64, cols = 2 : i64, dtype = i64} : () -> tensor<2x0xi64>
  return
}
