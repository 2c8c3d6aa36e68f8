// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = "pd.max"(%a0) <{axis = array<i64: 2>}> : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2x1xf32>'}}
  %0 = "pd.prod"(%a0) <{axis = array<i64: 1>}> : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @reduce_bools(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{'pd.all' op operand #0 must be ranked bool tensor of 1-bit signless integer values}}
  %0 = "pd.all"(%a0) : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @sum_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found -3}}
  %0 = "pd.sum"(%a0) <{axis = array<i64: -3>}> : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sum_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x1xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  %0 = "pd.sum"(%a0) <{axis = array<i64: 1>, keepdim = true}> : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @sum_c3(%a0: tensor<2xi32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<i64>' are incompatible with return type(s) of operation 'tensor<i32>'}}
  %0 = "pd.sum"(%a0) : (tensor<2xi32>) -> tensor<i32>
  return
}

// -----

func.func @all_c1(%x: tensor<3x4xi1>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 7}}
  %0 = pd.all %x {axis = array<i64: 7>} : (tensor<3x4xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @amax_c1(%x: tensor<2x3x4xf64>) {
  // expected-error@+1 {{C1: axis must be in [-3, 3), found 7}}
  %0 = pd.amax %x {axis = array<i64: 7>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return
}

// -----

func.func @amax_c2(%x: tensor<2x3x4xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x4xf64>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  %0 = pd.amax %x {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @amin_c1(%x: tensor<2x3x4xf64>) {
  // expected-error@+1 {{C1: axis must be in [-3, 3), found 7}}
  %0 = pd.amin %x {axis = array<i64: 7>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return
}

// -----

func.func @amin_c2(%x: tensor<2x3x4xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x4xf64>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  %0 = pd.amin %x {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @any_c1(%x: tensor<3x4xi1>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 7}}
  %0 = pd.any %x {axis = array<i64: 7>} : (tensor<3x4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @max_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 7}}
  %0 = pd.max %x {axis = array<i64: 7>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @max_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'}}
  %0 = pd.max %x {axis = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @min_c1(%x: tensor<2x3x4xf64>) {
  // expected-error@+1 {{C1: axis must be in [-3, 3), found 7}}
  %0 = pd.min %x {axis = array<i64: 7>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return
}

// -----

func.func @min_c2(%x: tensor<2x3x4xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x4xf64>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  %0 = pd.min %x {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @prod_c1(%x: tensor<3x4xf64>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 7}}
  %0 = pd.prod %x {axis = array<i64: 7>} : (tensor<3x4xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @prod_c2(%x: tensor<3x4xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3xf64>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  %0 = pd.prod %x {axis = array<i64: 1>} : (tensor<3x4xf64>) -> tensor<3xf32>
  return
}

// -----

func.func @all_c2(%x: tensor<2x3xi1>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xi1>' are incompatible with return type(s) of operation 'tensor<2x3xi1>'}}
  %0 = pd.all %x {axis = array<i64: 1>} : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @any_c2(%x: tensor<2x3xi1>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xi1>' are incompatible with return type(s) of operation 'tensor<2x3xi1>'}}
  %0 = pd.any %x {axis = array<i64: 1>} : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @mean_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.mean %x {axis = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}
