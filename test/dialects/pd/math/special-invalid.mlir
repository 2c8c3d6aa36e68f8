// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @special_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf64>'}}
  %0 = "pd.lgamma"(%a0) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @polygamma_c2(%a0: tensor<2xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  %0 = "pd.polygamma"(%a0) <{n = 1 : i64}> : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @digamma_c1(%x: tensor<4xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<4xf64>' are incompatible with return type(s) of operation 'tensor<9xf64>'}}
  %0 = pd.digamma %x : (tensor<4xf64>) -> tensor<9xf64>
  return
}

// -----

func.func @erfinv_c1(%x: tensor<5xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<5xf64>' are incompatible with return type(s) of operation 'tensor<10xf64>'}}
  %0 = pd.erfinv %x : (tensor<5xf64>) -> tensor<10xf64>
  return
}

// -----

func.func @i0_c1(%x: tensor<2xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf64>' are incompatible with return type(s) of operation 'tensor<7xf64>'}}
  %0 = pd.i0 %x : (tensor<2xf64>) -> tensor<7xf64>
  return
}

// -----

func.func @i0e_c1(%x: tensor<2xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf64>' are incompatible with return type(s) of operation 'tensor<7xf64>'}}
  %0 = pd.i0e %x : (tensor<2xf64>) -> tensor<7xf64>
  return
}

// -----

func.func @i1_c1(%x: tensor<2xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf64>' are incompatible with return type(s) of operation 'tensor<7xf64>'}}
  %0 = pd.i1 %x : (tensor<2xf64>) -> tensor<7xf64>
  return
}

// -----

func.func @i1e_c1(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<?x3xf32>' are incompatible with return type(s) of operation 'tensor<?x8xf32>'}}
  %0 = pd.i1e %x : (tensor<?x3xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @lgamma_c1(%x: tensor<4xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<4xf64>' are incompatible with return type(s) of operation 'tensor<9xf64>'}}
  %0 = pd.lgamma %x : (tensor<4xf64>) -> tensor<9xf64>
  return
}

// -----

func.func @gammaincc_c1(%x: tensor<2x3xf64>, %y: tensor<2x1xf64>) {
  // expected-error@+1 {{C1: x and y must have one type, found tensor<2x3xf64> and tensor<2x1xf64>}}
  %0 = pd.gammaincc %x, %y : (tensor<2x3xf64>, tensor<2x1xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @polygamma_c1(%x: tensor<3xf64>) {
  // expected-error@+1 {{C1: n must be from 0 to 100, found 101}}
  %0 = pd.polygamma %x {n = 101 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  return
}
