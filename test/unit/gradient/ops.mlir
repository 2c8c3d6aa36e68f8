// Functions whose gradients GradientTest.cpp compares with central differences.

func.func @matmul(%a: tensor<2x3x4xf64>, %b: tensor<4x5xf64>) -> (tensor<2x3x5xf64>) attributes {test.twice} {
  %y = pd.matmul %a, %b : (tensor<2x3x4xf64>, tensor<4x5xf64>) -> tensor<2x3x5xf64>
  return %y : tensor<2x3x5xf64>
}

func.func @matmul_transposed(%a: tensor<4x3xf64>, %b: tensor<2x5x4xf64>) -> (tensor<2x3x5xf64>) {
  %y = pd.matmul %a, %b {transpose_x = true, transpose_y = true} : (tensor<4x3xf64>, tensor<2x5x4xf64>) -> tensor<2x3x5xf64>
  return %y : tensor<2x3x5xf64>
}

func.func @reduce_sum(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.sum %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_mean(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.mean %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_max(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.max %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_min(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.min %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_prod_zeros(%a: tensor<4x3xf64> {test.values = [1.5, 0.0, 2.0, 0.0, 0.5, 0.0, 3.0, 2.0, -1.0, 0.0, 0.0, 0.0]}) -> (tensor<4xf64>) {
  %y = pd.prod %a {axis = array<i64: 1>, keepdim = false} : (tensor<4x3xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @reduce_prod(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.prod %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_logsumexp(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.logsumexp %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_amax(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.amax %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_amin(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.amin %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @cumsum(%a: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %y = pd.cumsum %a {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @cumprod(%a: tensor<3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<3x4xf64>) {
  %y = pd.cumprod %a {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @logcumsumexp(%a: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %y = pd.logcumsumexp %a {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @det(%a: tensor<2x3x3xf64>) -> (tensor<2xf64>) attributes {test.twice} {
  %y = pd.det %a : (tensor<2x3x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @slogdet(%a: tensor<3x3xf64>) -> (tensor<2xf64>) {
  %y = pd.slogdet %a : (tensor<3x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @svd(%a: tensor<4x3xf64>) -> (tensor<3xf64>) {
  %u, %s, %v = pd.svd %a : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3x3xf64>)
  return %s : tensor<3xf64>
}

func.func @lu_solve(%b: tensor<2x3x2xf64>, %x: tensor<2x3x3xf64> {test.values = [1.0, 4.0, 0.5, 3.0, -1.0, 1.0, 0.5, 1.0, 2.5, 2.0, 0.0, 1.0, -1.0, 3.0, 0.5, 4.0, 1.0, -2.0]}) -> (tensor<2x3x2xf64>, tensor<2x3x2xf64>) {
  %lu:3 = pd.lu %x : (tensor<2x3x3xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xi32>, tensor<2xi32>)
  %n = pd.lu_solve %b, %lu#0, %lu#1 : (tensor<2x3x2xf64>, tensor<2x3x3xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>
  %t = pd.lu_solve %b, %lu#0, %lu#1 trans = T : (tensor<2x3x2xf64>, tensor<2x3x3xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>
  return %n, %t : tensor<2x3x2xf64>, tensor<2x3x2xf64>
}
func.func @cholesky_solve(%a: tensor<3x2xf64>, %b: tensor<2x3x3xf64>) -> (tensor<2x3x2xf64>) {
  %y = pd.cholesky_solve %a, %b : (tensor<3x2xf64>, tensor<2x3x3xf64>) -> tensor<2x3x2xf64>
  return %y : tensor<2x3x2xf64>
}

func.func @roi_align(%a: tensor<2x2x6x5xf64>, %b: tensor<3x4xf64> {test.constant, test.values = [0.0, 1.0, 3.0, 4.0, 1.0, 0.0, 4.0, 5.0, 0.0, 0.0, 2.0, 2.0]}, %c: tensor<2xi32> {test.values = [1.0, 2.0]}) -> (tensor<3x2x2x2xf64>) {
  %y = pd.roi_align %a, %b, %c {pooled_height = 2 : i64, pooled_width = 2 : i64, sampling_ratio = 2 : i64} : (tensor<2x2x6x5xf64>, tensor<3x4xf64>, tensor<2xi32>) -> tensor<3x2x2x2xf64>
  return %y : tensor<3x2x2x2xf64>
}

func.func @roi_pool(%a: tensor<2x2x6x5xf64>, %b: tensor<3x4xf64> {test.constant, test.values = [0.0, 1.0, 3.0, 4.0, 1.0, 0.0, 4.0, 5.0, 0.0, 0.0, 2.0, 2.0]}, %c: tensor<2xi32> {test.values = [1.0, 2.0]}) -> (tensor<3x2x2x2xf64>) {
  %y, %i = pd.roi_pool %a, %b, %c {pooled_height = 2 : i64, pooled_width = 2 : i64} : (tensor<2x2x6x5xf64>, tensor<3x4xf64>, tensor<2xi32>) -> (tensor<3x2x2x2xf64>, tensor<3x2x2x2xi64>)
  return %y : tensor<3x2x2x2xf64>
}

func.func @psroi_pool(%a: tensor<2x4x6x5xf64>, %b: tensor<3x4xf64> {test.constant, test.values = [0.0, 1.0, 3.0, 4.0, 1.0, 0.0, 4.0, 5.0, 0.0, 0.0, 2.0, 2.0]}, %c: tensor<2xi32> {test.values = [1.0, 2.0]}) -> (tensor<3x1x2x2xf64>) {
  %y = pd.psroi_pool %a, %b, %c {pooled_height = 2 : i64, pooled_width = 2 : i64, output_channels = 1 : i64} : (tensor<2x4x6x5xf64>, tensor<3x4xf64>, tensor<2xi32>) -> tensor<3x1x2x2xf64>
  return %y : tensor<3x1x2x2xf64>
}

func.func @transpose(%a: tensor<2x3x4xf64>) -> (tensor<4x2x3xf64>) {
  %y = pd.transpose %a {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
  return %y : tensor<4x2x3xf64>
}

func.func @pad(%a: tensor<2x3xf64>) -> (tensor<3x6xf64>) {
  %y = pd.pad %a {paddings = array<i64: 1, 0, 2, 1>, pad_value = 0.5} : (tensor<2x3xf64>) -> tensor<3x6xf64>
  return %y : tensor<3x6xf64>
}

func.func @gather(%a: tensor<4x3xf64>, %b: tensor<5xi64> {test.high = 3.0}) -> (tensor<5x3xf64>) {
  %y = pd.gather %a, %b {axis = 0 : i64} : (tensor<4x3xf64>, tensor<5xi64>) -> tensor<5x3xf64>
  return %y : tensor<5x3xf64>
}

func.func @gather_nd(%a: tensor<4x3xf64>, %b: tensor<5x2xi64> {test.high = 2.0}) -> (tensor<5xf64>) {
  %y = pd.gather_nd %a, %b : (tensor<4x3xf64>, tensor<5x2xi64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

func.func @take_along_axis(%a: tensor<4x3xf64>, %b: tensor<2x3xi64> {test.high = 3.0}) -> (tensor<2x3xf64>) {
  %y = pd.take_along_axis %a, %b {axis = 0 : i64} : (tensor<4x3xf64>, tensor<2x3xi64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @put_along_axis(%a: tensor<4x3xf64>, %b: tensor<2x3xi64> {test.values = [0.0, 1.0, 2.0, 3.0, 3.0, 0.0]}, %c: tensor<2x3xf64>) -> (tensor<4x3xf64>) {
  %y = pd.put_along_axis %a, %b, %c reduce = assign {axis = 0 : i64} : (tensor<4x3xf64>, tensor<2x3xi64>, tensor<2x3xf64>) -> tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}

// Of several updates of one element the last one counts.
func.func @put_along_axis_repeated(%a: tensor<4x3xf64>, %b: tensor<3x3xi64> {test.values = [0.0, 1.0, 2.0, 3.0, 1.0, 2.0, 0.0, 2.0, 2.0]}, %c: tensor<3x3xf64>) -> (tensor<4x3xf64>) {
  %y = pd.put_along_axis %a, %b, %c reduce = assign {axis = 0 : i64} : (tensor<4x3xf64>, tensor<3x3xi64>, tensor<3x3xf64>) -> tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}

func.func @put_along_axis_one_value(%a: tensor<4x3xf64>, %b: tensor<2x3xi64> {test.values = [0.0, 1.0, 2.0, 0.0, 3.0, 2.0]}, %c: tensor<1x3xf64>) -> (tensor<4x3xf64>) attributes {test.twice} {
  %p = pd.multiply %c, %c : (tensor<1x3xf64>, tensor<1x3xf64>) -> tensor<1x3xf64>
  %y = pd.put_along_axis %a, %b, %p reduce = assign {axis = 0 : i64} : (tensor<4x3xf64>, tensor<2x3xi64>, tensor<1x3xf64>) -> tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}

// U diag(s^2) VH does not see the phases of the vectors.
func.func @svd_complex(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>) {
  %x = pd.complex %a, %b : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xcomplex<f64>>
  %u, %s, %v = pd.svd %x : (tensor<3x2xcomplex<f64>>) -> (tensor<3x2xcomplex<f64>>, tensor<2xf64>, tensor<2x2xcomplex<f64>>)
  %q = pd.multiply %s, %s : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %c = pd.cast %q {dtype = complex<f64>} : (tensor<2xf64>) -> tensor<2xcomplex<f64>>
  %w = pd.multiply %u, %c : (tensor<3x2xcomplex<f64>>, tensor<2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
  %p = pd.matmul %w, %v : (tensor<3x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
  %y = pd.real %p : (tensor<3x2xcomplex<f64>>) -> tensor<3x2xf64>
  %z = pd.imag %p : (tensor<3x2xcomplex<f64>>) -> tensor<3x2xf64>
  return %y, %z : tensor<3x2xf64>, tensor<3x2xf64>
}

// R has a real diagonal.
func.func @qr_complex(%a: tensor<4x3xf64>, %b: tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<4x3xf64>, tensor<3x3xf64>, tensor<3x3xf64>) attributes {test.twice} {
  %x = pd.complex %a, %b : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xcomplex<f64>>
  %q, %r = pd.qr %x mode = reduced : (tensor<4x3xcomplex<f64>>) -> (tensor<4x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>)
  %y = pd.real %q : (tensor<4x3xcomplex<f64>>) -> tensor<4x3xf64>
  %z = pd.imag %q : (tensor<4x3xcomplex<f64>>) -> tensor<4x3xf64>
  %v = pd.real %r : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
  %w = pd.imag %r : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
  return %y, %z, %v, %w : tensor<4x3xf64>, tensor<4x3xf64>, tensor<3x3xf64>, tensor<3x3xf64>
}

func.func @slogdet_complex(%a: tensor<3x3xf64>, %b: tensor<3x3xf64>) -> (tensor<2xf64>, tensor<2xf64>) attributes {test.twice} {
  %x = pd.complex %a, %b : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xcomplex<f64>>
  %s = pd.slogdet %x : (tensor<3x3xcomplex<f64>>) -> tensor<2xcomplex<f64>>
  %y = pd.real %s : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %z = pd.imag %s : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  return %y, %z : tensor<2xf64>, tensor<2xf64>
}

func.func @qr_without_q(%a: tensor<4x3xf64>) -> (tensor<3x3xf64>) {
  %q, %r = pd.qr %a mode = r : (tensor<4x3xf64>) -> (tensor<0xf64>, tensor<3x3xf64>)
  return %r : tensor<3x3xf64>
}

func.func @take_along_axis_in_part(%a: tensor<4x3xf64>, %b: tensor<2x2xi64> {test.high = 2.0}) -> (tensor<2x2xf64>) {
  %y = pd.take_along_axis %a, %b {axis = 1 : i64} : (tensor<4x3xf64>, tensor<2x2xi64>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}

func.func @put_along_axis_least(%a: tensor<4x3xf64>, %b: tensor<2x3xi64> {test.values = [0.0, 1.0, 2.0, 3.0, 1.0, 0.0]}, %c: tensor<2x3xf64>) -> (tensor<4x3xf64>) {
  %y = pd.put_along_axis %a, %b, %c reduce = amin {axis = 0 : i64} : (tensor<4x3xf64>, tensor<2x3xi64>, tensor<2x3xf64>) -> tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}

func.func @put_along_axis_greatest(%a: tensor<4x3xf64>, %b: tensor<2x3xi64> {test.values = [0.0, 1.0, 2.0, 3.0, 1.0, 0.0]}, %c: tensor<2x1xf64>) -> (tensor<4x3xf64>) {
  %y = pd.put_along_axis %a, %b, %c reduce = amax {axis = 0 : i64} : (tensor<4x3xf64>, tensor<2x3xi64>, tensor<2x1xf64>) -> tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}

// Control flow: a condition and a number of iterations that are data, and a loop that ends by what it computes.

func.func @branch(%a: tensor<3xf64>, %b: tensor<3xf64>, %n: tensor<1xi64>) -> (tensor<3xf64>) {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %c = pd.equal %n, %zero : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
  %condition = tensor.extract %r[] : tensor<i1>
  %y = scf.if %condition -> (tensor<3xf64>) {
    %e = pd.exp %a : (tensor<3xf64>) -> tensor<3xf64>
    %m = pd.multiply %e, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %m : tensor<3xf64>
  } else {
    scf.yield %a : tensor<3xf64>
  }
  return %y : tensor<3xf64>
}

func.func @loop_count(%a: tensor<3xf64>, %b: tensor<3xf64>, %n: tensor<1xi64> {test.high = 4.0}) -> (tensor<3xf64>) attributes {test.twice} {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %y:2 = scf.while (%v = %a, %i = %zero) : (tensor<3xf64>, tensor<1xi64>) -> (tensor<3xf64>, tensor<1xi64>) {
    %c = pd.less_than %i, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : tensor<3xf64>, tensor<1xi64>
  } do {
  ^bb0(%v: tensor<3xf64>, %i: tensor<1xi64>):
    %m = pd.multiply %v, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %s = pd.sin %m : (tensor<3xf64>) -> tensor<3xf64>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %s, %j : tensor<3xf64>, tensor<1xi64>
  }
  return %y#0 : tensor<3xf64>
}

// Only what the loop reads from outside is differentiated by.
func.func @loop_captured(%a: tensor<3xf64> {test.constant}, %b: tensor<3xf64>) -> (tensor<3xf64>) {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %three = pd.constant dense<3> : tensor<1xi64>
  %y:2 = scf.while (%v = %a, %i = %zero) : (tensor<3xf64>, tensor<1xi64>) -> (tensor<3xf64>, tensor<1xi64>) {
    %c = pd.less_than %i, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : tensor<3xf64>, tensor<1xi64>
  } do {
  ^bb0(%v: tensor<3xf64>, %i: tensor<1xi64>):
    %m = pd.multiply %v, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %s = pd.sin %m : (tensor<3xf64>) -> tensor<3xf64>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %s, %j : tensor<3xf64>, tensor<1xi64>
  }
  return %y#0 : tensor<3xf64>
}

func.func @loop_until(%a: tensor<3xf64> {test.low = 0.1}, %b: tensor<3xf64> {test.low = 1.2, test.high = 1.9}) -> (tensor<3xf64>) attributes {test.twice} {
  %bound = pd.constant dense<4.0> : tensor<f64>
  %y = scf.while (%v = %a) : (tensor<3xf64>) -> (tensor<3xf64>) {
    %s = pd.sum %v : (tensor<3xf64>) -> tensor<f64>
    %c = pd.less_than %s, %bound : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %condition = tensor.extract %c[] : tensor<i1>
    scf.condition(%condition) %v : tensor<3xf64>
  } do {
  ^bb0(%v: tensor<3xf64>):
    %m = pd.multiply %v, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %m : tensor<3xf64>
  }
  return %y : tensor<3xf64>
}

// An array that a loop fills and reads, and one from outside that it reads: states of a recurrence and their sum.
func.func @loop_arrays(%a: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<3x3xf64>) attributes {test.batch_first} {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %three = pd.constant dense<3> : tensor<1xi64>
  %empty = pd.array_create : () -> !pd.array<*>
  %e0 = pd.array_write %empty, %zero, %a : (!pd.array<*>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %y:2 = scf.while (%v = %e0, %i = %one) : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> (!pd.array<tensor<3xf64>>, tensor<1xi64>) {
    %c = pd.less_than %i, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : !pd.array<tensor<3xf64>>, tensor<1xi64>
  } do {
  ^bb0(%v: !pd.array<tensor<3xf64>>, %i: tensor<1xi64>):
    %before = pd.subtract %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %h = pd.array_read %v, %before : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %u = pd.array_read %e0, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %m = pd.multiply %h, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %s = pd.sin %m : (tensor<3xf64>) -> tensor<3xf64>
    %p = pd.multiply %s, %u : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %w = pd.array_write %v, %i, %p : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %w, %j : !pd.array<tensor<3xf64>>, tensor<1xi64>
  }
  %t, %sizes = pd.array_to_tensor %y#0 {axis = 0 : i64, use_stack = true} : (!pd.array<tensor<3xf64>>) -> (tensor<?x3xf64>, tensor<?xi32>)
  %f = pd.reshape %t {shape = array<i64: 3, 3>} : (tensor<?x3xf64>) -> tensor<3x3xf64>
  return %f : tensor<3x3xf64>
}

func.func @elu_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.elu %a {alpha = 1.3} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @selu_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.selu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @celu_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.celu %a {alpha = 1.7} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @softplus_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.softplus %a {beta = 1.5} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @mish_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.mish %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @silu_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.silu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @swish_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.swish %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @logsigmoid_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.logsigmoid %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @gelu_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.gelu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @sigmoid_cross_entropy_at_zero(%a: tensor<4xf64> {test.values = [0.0, -0.0, 0.0, 1.0]}, %b: tensor<4xf64> {test.values = [0.3, 1.0, 0.0, 0.7]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.sigmoid_cross_entropy_with_logits %a, %b : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @rank_loss_of_equals(%a: tensor<3xf64> {test.values = [0.3, 1.0, 0.0]}, %b: tensor<3xf64> {test.values = [0.5, -2.0, 1.0]}, %c: tensor<3xf64> {test.values = [0.5, -2.0, 0.0]}) -> (tensor<3xf64>) attributes {test.twice} {
  %y = pd.rank_loss %a, %b, %c : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @logcumsumexp_far(%a: tensor<4xf64> {test.values = [-800.0, -801.0, -799.5, -800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.logcumsumexp %a {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @swiglu(%a: tensor<3x4xf64>, %b: tensor<3x4xf64>) -> (tensor<3x4xf64>) attributes {test.twice} {
  %y = pd.swiglu %a, %b : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @swiglu_halves(%a: tensor<3x4xf64>) -> (tensor<3x2xf64>) {
  %y = pd.swiglu %a : (tensor<3x4xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @copysign(%a: tensor<3x4xf64>, %b: tensor<4xf64>) -> (tensor<3x4xf64>) {
  %y = pd.copysign %a, %b : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @reduce_as(%a: tensor<2x3x4xf64>) -> (tensor<3x1xf64>) {
  %t = pd.constant dense<0.0> : tensor<3x1xf64>
  %y = pd.reduce_as %a, %t : (tensor<2x3x4xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  return %y : tensor<3x1xf64>
}

func.func @svdvals(%a: tensor<4x3xf64>) -> (tensor<3xf64>) {
  %s = pd.svdvals %a : (tensor<4x3xf64>) -> tensor<3xf64>
  return %s : tensor<3xf64>
}

func.func @median(%a: tensor<3x6xf64>) -> (tensor<3xf64>) {
  %y = pd.median %a {axis = array<i64: 1>} : (tensor<3x6xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @flash_attn(%a: tensor<2x3x4x5xf64>, %b: tensor<2x4x2x5xf64>, %c: tensor<2x4x2x5xf64>) -> (tensor<2x3x4x5xf64>) attributes {test.twice} {
  %y = pd.flash_attn %a, %b, %c {causal = true} : (tensor<2x3x4x5xf64>, tensor<2x4x2x5xf64>, tensor<2x4x2x5xf64>) -> tensor<2x3x4x5xf64>
  return %y : tensor<2x3x4x5xf64>
}

// The second sequence has no keys, and the last rows of a block are not used. Blocks are shared.
func.func @paged_attention(%a: tensor<3x4x5xf64>, %b: tensor<4x2x2x5xf64>, %c: tensor<4x2x2x3xf64>, %t: tensor<3x3xi32> {test.values = [2.0, 0.0, 1.0, -1.0, -1.0, -1.0, 2.0, 3.0, -1.0]}, %n: tensor<3xi32> {test.values = [5.0, 0.0, 3.0]}) -> (tensor<3x4x3xf64>) attributes {test.twice} {
  %y = pd.paged_attention %a, %b, %c, %t, %n {scale = 0.5 : f64} : (tensor<3x4x5xf64>, tensor<4x2x2x5xf64>, tensor<4x2x2x3xf64>, tensor<3x3xi32>, tensor<3xi32>) -> tensor<3x4x3xf64>
  return %y : tensor<3x4x3xf64>
}

func.func @fused_softmax_mask_upper_triangle(%a: tensor<2x4x4xf64>) -> (tensor<2x4x4xf64>) {
  %y = pd.fused_softmax_mask_upper_triangle %a : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
  return %y : tensor<2x4x4xf64>
}

func.func @rms_norm(%a: tensor<2x3x4xf64>, %b: tensor<4xf64>) -> (tensor<2x3x4xf64>) attributes {test.twice} {
  %y, %i = pd.rms_norm %a, %b {normalized_shape = array<i64: 4>} : (tensor<2x3x4xf64>, tensor<4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>)
  return %y : tensor<2x3x4xf64>
}

func.func @as_strided(%a: tensor<4x6xf64>) -> (tensor<3x4xf64>) attributes {test.twice} {
  %y = pd.as_strided %a {dims = array<i64: 3, 4>, stride = array<i64: 2, 1>, offset = 8 : i64} : (tensor<4x6xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @tensor_unfold(%a: tensor<2x7x3xf64>) -> (tensor<2x3x3x3xf64>) attributes {test.twice} {
  %y = pd.tensor_unfold %a {axis = 1 : i64, size = 3 : i64, step = 2 : i64} : (tensor<2x7x3xf64>) -> tensor<2x3x3x3xf64>
  return %y : tensor<2x3x3x3xf64>
}

func.func @lp_pool2d(%a: tensor<1x2x5x5xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<1x2x3x3xf64>) {
  %y = pd.lp_pool2d %a {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, paddings = array<i64: 1, 1>, norm_type = 3.0 : f64} : (tensor<1x2x5x5xf64>) -> tensor<1x2x3x3xf64>
  return %y : tensor<1x2x3x3xf64>
}

func.func @fractional_max_pool2d(%a: tensor<1x2x5x5xf64>) -> (tensor<1x2x3x3xf64>) {
  %y, %mask = pd.fractional_max_pool2d %a {output_size = array<i64: 3, 3>, random_u = 0.4 : f64} : (tensor<1x2x5x5xf64>) -> (tensor<1x2x3x3xf64>, tensor<1x2x3x3xi32>)
  return %y : tensor<1x2x3x3xf64>
}

func.func @gammaincc(%a: tensor<2x3xf64> {test.low = 0.5, test.high = 4.0}) -> (tensor<2x3xf64>) attributes {test.twice} {
  %x = pd.constant dense<[[0.5, 1.0, 2.5], [4.0, 7.0, 30.0]]> : tensor<2x3xf64>
  %y = pd.gammaincc %x, %a : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @grouped_matmul(%a: tensor<6x3xf64>, %b: tensor<4x3x2xf64>) -> (tensor<6x2xf64>) attributes {test.twice} {
  %n = pd.constant dense<[2, 0, 3, 0]> : tensor<4xi64>
  %y = pd.grouped_matmul %a, %b, %n : (tensor<6x3xf64>, tensor<4x3x2xf64>, tensor<4xi64>) -> tensor<6x2xf64>
  return %y : tensor<6x2xf64>
}

func.func @grouped_matmul_transposed(%a: tensor<6x3xf64>, %b: tensor<4x2x3xf64>) -> (tensor<6x2xf64>) attributes {test.twice} {
  %n = pd.constant dense<[2, 0, 3, 1]> : tensor<4xi32>
  %y = pd.grouped_matmul %a, %b, %n {transpose_y = true} : (tensor<6x3xf64>, tensor<4x2x3xf64>, tensor<4xi32>) -> tensor<6x2xf64>
  return %y : tensor<6x2xf64>
}

func.func @grouped_matmul_y_grad(%a: tensor<6x3xf64>, %b: tensor<6x2xf64>) -> (tensor<3x3x2xf64>) attributes {test.twice} {
  %n = pd.constant dense<[2, 0, 3]> : tensor<3xi64>
  %y = pd.grouped_matmul_y_grad %a, %b, %n : (tensor<6x3xf64>, tensor<6x2xf64>, tensor<3xi64>) -> tensor<3x3x2xf64>
  return %y : tensor<3x3x2xf64>
}
