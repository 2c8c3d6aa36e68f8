// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @random_c1(%c: tensor<3xi64>) -> tensor<3xf32> {
  // expected-error@+1 {{C1: }}
  %0 = rt.uniform %c {min = 0.0, max = 1.0} : (tensor<3xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @random_c2(%c: tensor<2xi64>, %b: tensor<3xi64>) -> tensor<2x3xf32> {
  // expected-error@+1 {{C2: whole_shape and part_begin must have an entry for each of the 2 dimensions, or be absent}}
  %0 = rt.uniform %c, %b {min = 0.0, max = 1.0, whole_shape = array<i64: 4, 3>} : (tensor<2xi64>, tensor<3xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @keys_c1(%x: tensor<5x4xf32>, %i: tensor<6xi64>) -> tensor<6xi32> {
  // expected-error@+1 {{C1: axis 1 is a dimension of x and index}}
  %0 = rt.scatter_keys %x, %i {axis = 1 : i64} : (tensor<5x4xf32>, tensor<6xi64>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}

// -----

func.func @keys_c2(%x: tensor<5x4xf32>, %i: tensor<6x3xi64>) -> tensor<6xi32> {
  // expected-error@+1 {{C2: the last dim of index is static and at most the rank of x}}
  %0 = rt.scatter_keys %x, %i : (tensor<5x4xf32>, tensor<6x3xi64>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}

// -----

func.func @keys_c3(%x: tensor<5x4xf32>, %i: tensor<6x1xi64>) -> tensor<5xi32> {
  // expected-error@+1 {{C3: the result has the dimensions of the keys}}
  %0 = rt.scatter_keys %x, %i : (tensor<5x4xf32>, tensor<6x1xi64>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}

// -----

func.func @sorted_c1(%x: tensor<5x4xf32>, %k: tensor<6x1xi32>, %o: tensor<6xi64>, %u: tensor<6x4xf32>) -> tensor<5x4xf32> {
  // expected-error@+1 {{C1: keys and order are vectors}}
  %0 = rt.scatter_sorted %x, %k, %o, %u {depth = 1 : i64} : (tensor<5x4xf32>, tensor<6x1xi32>, tensor<6xi64>, tensor<6x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

func.func @sorted_c2(%x: tensor<5x4xf32>, %k: tensor<6xi32>, %o: tensor<6xi64>, %u: tensor<6x4xf32>) -> tensor<5x4xf32> {
  // expected-error@+1 {{C2: updates has rank 1 for depth 2}}
  %0 = rt.scatter_sorted %x, %k, %o, %u {depth = 2 : i64} : (tensor<5x4xf32>, tensor<6xi32>, tensor<6xi64>, tensor<6x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

func.func @sorted_c3(%x: tensor<5x4xf32>, %k: tensor<6xi32>, %o: tensor<6xi64>, %u: tensor<6x4xf64>) -> tensor<5x4xf32> {
  // expected-error@+1 {{C3: x, updates and the result have one element type}}
  %0 = rt.scatter_sorted %x, %k, %o, %u {depth = 1 : i64} : (tensor<5x4xf32>, tensor<6xi32>, tensor<6xi64>, tensor<6x4xf64>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

func.func @owned_c1(%k: tensor<6x1xi32>, %u: tensor<6x4xf32>) -> tensor<5x4xf32> {
  // expected-error@+1 {{C1: keys is a vector}}
  %0 = rt.scatter_owned %k, %u {depth = 1 : i64} : (tensor<6x1xi32>, tensor<6x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

func.func @owned_c2(%k: tensor<7xi32>, %u: tensor<6x4xf32>) -> tensor<5x4xf32> {
  // expected-error@+1 {{C2: all dims are static, and updates has the dims of keys and the dims of the result from depth on}}
  %0 = rt.scatter_owned %k, %u {depth = 1 : i64} : (tensor<7xi32>, tensor<6x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

func.func @owned_c2_dynamic(%k: tensor<?xi32>, %u: tensor<?x4xf32>) -> tensor<5x4xf32> {
  // expected-error@+1 {{C2: all dims are static}}
  %0 = rt.scatter_owned %k, %u {depth = 1 : i64} : (tensor<?xi32>, tensor<?x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

func.func @owned_c3(%k: tensor<6xi32>, %u: tensor<6x4xf64>) -> tensor<5x4xf32> {
  // expected-error@+1 {{C3: x, updates and the result have one element type}}
  %0 = rt.scatter_owned %k, %u {depth = 1 : i64} : (tensor<6xi32>, tensor<6x4xf64>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

func.func @owned_c4(%k: tensor<6xi32>, %u: tensor<6x4xf16>) -> tensor<5x4xf16> {
  // expected-error@+1 {{C4: elements that are combined have 32 or 64 bits}}
  %0 = rt.scatter_owned %k, %u {depth = 1 : i64, reduce = #pd<scatter_reduce add>} : (tensor<6xi32>, tensor<6x4xf16>) -> tensor<5x4xf16>
  return %0 : tensor<5x4xf16>
}
