// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @index(%array: !pd.array<tensor<3xf32>>, %i: tensor<2xi64>) {
  // expected-error @+1 {{C1: index has 2 elements, expected one}}
  %0 = pd.array_read %array, %i : (!pd.array<tensor<3xf32>>, tensor<2xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @rank(%array: !pd.array<tensor<3xf32>>, %i: tensor<i64>, %x: tensor<2x3xf32>) {
  // expected-error @+1 {{C2: x has type tensor<2x3xf32>, the elements have tensor<3xf32>}}
  %0 = pd.array_write %array, %i, %x : (!pd.array<tensor<3xf32>>, tensor<i64>, tensor<2x3xf32>) -> !pd.array<tensor<3xf32>>
  return
}

// -----

func.func @empty(%array: !pd.array<*>, %i: tensor<i64>) {
  // expected-error @+1 {{C2: nothing was written to the array}}
  %0 = pd.array_read %array, %i : (!pd.array<*>, tensor<i64>) -> tensor<3xf32>
  return
}

// -----

func.func @axis(%array: !pd.array<tensor<3xf32>>) {
  // expected-error @+1 {{C1: axis must be in [-1, 1), found 1}}
  %0:2 = pd.array_to_tensor %array {axis = 1} : (!pd.array<tensor<3xf32>>) -> (tensor<?xf32>, tensor<?xi32>)
  return
}

// -----

func.func @cast(%array: !pd.array<tensor<3xf32>>) {
  // expected-error @+1 {{cannot see '!pd.array<tensor<3xf32>>' as '!pd.array<tensor<3xf64>>'}}
  %0 = pd.array_cast %array : !pd.array<tensor<3xf32>> to !pd.array<tensor<3xf64>>
  return
}

// -----

func.func @read_or(%a: !pd.array<tensor<2xf32>>, %i: tensor<1xi64>, %x: tensor<2x3xf32>) {
  // expected-error @+1 {{C2: otherwise has type tensor<2x3xf32>, the elements have tensor<2xf32>}}
  %0 = pd.array_read_or %a, %i, %x : (!pd.array<tensor<2xf32>>, tensor<1xi64>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @add(%a: !pd.array<tensor<2xf32>>, %b: !pd.array<tensor<2xi64>>) {
  // expected-error @+1 {{C2: the elements of x have type tensor<2xf32>, the elements of y tensor<2xi64>}}
  %0 = pd.array_add %a, %b : (!pd.array<tensor<2xf32>>, !pd.array<tensor<2xi64>>) -> !pd.array<tensor<2xf32>>
  return
}

// -----

func.func @array_create_type() {
  // expected-error@+1 {{'pd.array_create' op result #0 must be tensor array, but got 'tensor<2xf32>'}}
  %0 = "pd.array_create"() : () -> tensor<2xf32>
  return
}

// -----

func.func @array_length_c1(%a0: !pd.array<tensor<2xf32>>) {
  // expected-error@+1 {{inferred type(s) 'tensor<1xi64>' are incompatible with return type(s) of operation 'tensor<i64>'}}
  %0 = "pd.array_length"(%a0) : (!pd.array<tensor<2xf32>>) -> tensor<i64>
  return
}

// -----

func.func @array_concat_c2(%x: !pd.array<tensor<2xf32>>, %y: !pd.array<tensor<2xf64>>) {
  // expected-error@+1 {{C2: the elements of x have type tensor<2xf32>, the elements of y tensor<2xf64>}}
  %0 = pd.array_concat %x, %y : (!pd.array<tensor<2xf32>>, !pd.array<tensor<2xf64>>) -> !pd.array<tensor<2xf32>>
  return
}

// -----

func.func @array_read_or_c1(%array: !pd.array<tensor<3xf32>>, %index: tensor<2xi64>, %otherwise: tensor<3xf32>) {
  // expected-error@+1 {{C1: index has 2 elements, expected one}}
  %0 = pd.array_read_or %array, %index, %otherwise : (!pd.array<tensor<3xf32>>, tensor<2xi64>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @array_slice_c1(%array: !pd.array<tensor<2x3xf32>>, %start: tensor<2xi64>, %end: tensor<1xi64>) {
  // expected-error@+1 {{C1: start has 2 elements, expected one}}
  %0 = pd.array_slice %array, %start, %end : (!pd.array<tensor<2x3xf32>>, tensor<2xi64>, tensor<1xi64>) -> !pd.array<tensor<2x3xf32>>
  return
}

// -----

func.func @array_split_c1(%x: tensor<5x3xf32>, %sizes: tensor<2xi32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.array_split %x, %sizes {axis = 2, use_stack = true} : (tensor<5x3xf32>, tensor<2xi32>) -> !pd.array<tensor<5xf32>>
  return
}

// -----

func.func @array_to_tensor_c1(%array: !pd.array<tensor<3xf64>>) {
  // expected-error@+1 {{C1: axis must be in [-1, 1), found 3}}
  %0:2 = pd.array_to_tensor %array {axis = 3 : i64} : (!pd.array<tensor<3xf64>>) -> (tensor<?xf64>, tensor<?xi32>)
  return
}

// -----

func.func @array_to_tensor_c2(%array: !pd.array<*>) {
  // expected-error@+1 {{C2: nothing was written to the array}}
  %0:2 = pd.array_to_tensor %array {axis = 0 : i64} : (!pd.array<*>) -> (tensor<?xf64>, tensor<?xi32>)
  return
}

// -----

func.func @array_write_c1(%array: !pd.array<*>, %index: tensor<2xi64>, %x: tensor<2xf32>) {
  // expected-error@+1 {{C1: index has 2 elements, expected one}}
  %0 = pd.array_write %array, %index, %x : (!pd.array<*>, tensor<2xi64>, tensor<2xf32>) -> !pd.array<tensor<2xf32>>
  return
}

// -----

func.func @array_zeros_like_c1(%array: !pd.array<tensor<?x3xf32>>) {
  // expected-error@+1 {{inferred type(s) '!pd.array<tensor<?x3xf32>>' are incompatible with return type(s) of operation '!pd.array<tensor<?x4xf32>>'}}
  %0 = pd.array_zeros_like %array : (!pd.array<tensor<?x3xf32>>) -> !pd.array<tensor<?x4xf32>>
  return
}
