// Gradients through tensor arrays that loops change.

// One element, read and overwritten again and again.
func.func @array_overwritten(%a: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<3xf64>) attributes {test.batch_first, test.twice} {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %last = pd.constant dense<-1> : tensor<1xi64>
  %bound = pd.constant dense<3> : tensor<1xi64>
  %empty = pd.array_create : () -> !pd.array<*>
  %e0 = pd.array_write %empty, %zero, %a : (!pd.array<*>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %y:2 = scf.while (%v = %e0, %i = %zero) : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> (!pd.array<tensor<3xf64>>, tensor<1xi64>) {
    %c = pd.less_than %i, %bound : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : !pd.array<tensor<3xf64>>, tensor<1xi64>
  } do {
  ^bb0(%v: !pd.array<tensor<3xf64>>, %i: tensor<1xi64>):
    %h = pd.array_read %v, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %p = pd.multiply %h, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %s = pd.sin %p : (tensor<3xf64>) -> tensor<3xf64>
    %w = pd.array_write %v, %zero, %s : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %w, %j : !pd.array<tensor<3xf64>>, tensor<1xi64>
  }
  %l = pd.array_read %y#0, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
  return %l : tensor<3xf64>
}

// Two elements from before the loop; each iteration writes one of them twice, and then one by its number.
func.func @array_written_twice(%a: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<3xf64>) attributes {test.batch_first, test.twice} {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %last = pd.constant dense<-1> : tensor<1xi64>
  %bound = pd.constant dense<2> : tensor<1xi64>
  %empty = pd.array_create : () -> !pd.array<*>
  %e0 = pd.array_write %empty, %zero, %a : (!pd.array<*>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %e1 = pd.array_write %e0, %one, %b : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %y:2 = scf.while (%v = %e1, %i = %zero) : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> (!pd.array<tensor<3xf64>>, tensor<1xi64>) {
    %c = pd.less_than %i, %bound : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : !pd.array<tensor<3xf64>>, tensor<1xi64>
  } do {
  ^bb0(%v: !pd.array<tensor<3xf64>>, %i: tensor<1xi64>):
    %h = pd.array_read %v, %one : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %s = pd.sin %h : (tensor<3xf64>) -> tensor<3xf64>
    %g = pd.array_read %v, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %p = pd.multiply %g, %s : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %w0 = pd.array_write %v, %zero, %p : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
    %q = pd.array_read %w0, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %t = pd.add %q, %h : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %w1 = pd.array_write %w0, %zero, %t : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
    %w = pd.array_write %w1, %i, %s : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %w, %j : !pd.array<tensor<3xf64>>, tensor<1xi64>
  }
  %l = pd.array_read %y#0, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
  %k = pd.array_read %y#0, %one : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
  %out = pd.multiply %l, %k : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %out : tensor<3xf64>
}

// Elements after the last one, which is counted from the end.
func.func @array_appended(%a: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<5x3xf64>) attributes {test.batch_first, test.twice} {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %last = pd.constant dense<-1> : tensor<1xi64>
  %bound = pd.constant dense<3> : tensor<1xi64>
  %empty = pd.array_create : () -> !pd.array<*>
  %e0 = pd.array_write %empty, %zero, %a : (!pd.array<*>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %e1 = pd.array_write %e0, %one, %b : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %y:2 = scf.while (%v = %e1, %i = %zero) : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> (!pd.array<tensor<3xf64>>, tensor<1xi64>) {
    %c = pd.less_than %i, %bound : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : !pd.array<tensor<3xf64>>, tensor<1xi64>
  } do {
  ^bb0(%v: !pd.array<tensor<3xf64>>, %i: tensor<1xi64>):
    %n = pd.array_length %v : (!pd.array<tensor<3xf64>>) -> tensor<1xi64>
    %h = pd.array_read %v, %last : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %g = pd.array_read %v, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %p = pd.multiply %h, %g : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %s = pd.sin %p : (tensor<3xf64>) -> tensor<3xf64>
    %w = pd.array_write %v, %n, %s : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %w, %j : !pd.array<tensor<3xf64>>, tensor<1xi64>
  }
  %t, %sizes = pd.array_to_tensor %y#0 {axis = 0 : i64, use_stack = true} : (!pd.array<tensor<3xf64>>) -> (tensor<?x3xf64>, tensor<?xi32>)
  %f = pd.reshape %t {shape = array<i64: 5, 3>} : (tensor<?x3xf64>) -> tensor<5x3xf64>
  return %f : tensor<5x3xf64>
}

// Branches of a condition in the loop read and write the array.
func.func @array_in_arms(%a: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<3xf64>) attributes {test.batch_first, test.twice} {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %last = pd.constant dense<-1> : tensor<1xi64>
  %bound = pd.constant dense<3> : tensor<1xi64>
  %empty = pd.array_create : () -> !pd.array<*>
  %e0 = pd.array_write %empty, %zero, %a : (!pd.array<*>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %e1 = pd.array_write %e0, %one, %b : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %y:2 = scf.while (%v = %e1, %i = %zero) : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> (!pd.array<tensor<3xf64>>, tensor<1xi64>) {
    %c = pd.less_than %i, %bound : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : !pd.array<tensor<3xf64>>, tensor<1xi64>
  } do {
  ^bb0(%v: !pd.array<tensor<3xf64>>, %i: tensor<1xi64>):
    %c1 = pd.less_than %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r1 = pd.reshape %c1 {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %first = tensor.extract %r1[] : tensor<i1>
    %w = scf.if %first -> (!pd.array<tensor<3xf64>>) {
      %h = pd.array_read %v, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
      %g = pd.array_read %v, %last : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
      %p = pd.multiply %h, %g : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %x = pd.array_write %v, %zero, %p : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
      scf.yield %x : !pd.array<tensor<3xf64>>
    } else {
      %n = pd.array_length %v : (!pd.array<tensor<3xf64>>) -> tensor<1xi64>
      %h = pd.array_read %v, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
      %s = pd.sin %h : (tensor<3xf64>) -> tensor<3xf64>
      %x0 = pd.array_write %v, %zero, %s : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
      %x = pd.array_write %x0, %n, %h : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
      scf.yield %x : !pd.array<tensor<3xf64>>
    }
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %w, %j : !pd.array<tensor<3xf64>>, tensor<1xi64>
  }
  %l = pd.array_read %y#0, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
  %k = pd.array_read %y#0, %last : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
  %out = pd.multiply %l, %k : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %out : tensor<3xf64>
}

// A loop in the loop reads and overwrites elements.
func.func @array_in_nested_loop(%a: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<3xf64>) attributes {test.batch_first} {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %last = pd.constant dense<-1> : tensor<1xi64>
  %bound = pd.constant dense<2> : tensor<1xi64>
  %empty = pd.array_create : () -> !pd.array<*>
  %e0 = pd.array_write %empty, %zero, %a : (!pd.array<*>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %e1 = pd.array_write %e0, %one, %b : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %y:2 = scf.while (%v = %e1, %i = %zero) : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> (!pd.array<tensor<3xf64>>, tensor<1xi64>) {
    %c = pd.less_than %i, %bound : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : !pd.array<tensor<3xf64>>, tensor<1xi64>
  } do {
  ^bb0(%v: !pd.array<tensor<3xf64>>, %i: tensor<1xi64>):
    %in:2 = scf.while (%u = %v, %k = %zero) : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> (!pd.array<tensor<3xf64>>, tensor<1xi64>) {
      %ci = pd.less_equal %k, %i : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
      %ri = pd.reshape %ci {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
      %goes = tensor.extract %ri[] : tensor<i1>
      scf.condition(%goes) %u, %k : !pd.array<tensor<3xf64>>, tensor<1xi64>
    } do {
    ^bb0(%u: !pd.array<tensor<3xf64>>, %k: tensor<1xi64>):
      %h = pd.array_read %u, %k : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
      %s = pd.sin %h : (tensor<3xf64>) -> tensor<3xf64>
      %g = pd.array_read %u, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
      %p = pd.multiply %s, %g : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
      %x = pd.array_write %u, %k, %p : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
      %m = pd.add %k, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
      scf.yield %x, %m : !pd.array<tensor<3xf64>>, tensor<1xi64>
    }
    %z = pd.array_read %in#0, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %w = pd.array_write %in#0, %one, %z : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %w, %j : !pd.array<tensor<3xf64>>, tensor<1xi64>
  }
  %l = pd.array_read %y#0, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
  %k = pd.array_read %y#0, %one : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
  %out = pd.multiply %l, %k : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %out : tensor<3xf64>
}

// Two arrays that change places.
func.func @arrays_change_places(%a: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<3xf64>) attributes {test.batch_first, test.twice} {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %last = pd.constant dense<-1> : tensor<1xi64>
  %bound = pd.constant dense<3> : tensor<1xi64>
  %empty = pd.array_create : () -> !pd.array<*>
  %e0 = pd.array_write %empty, %zero, %a : (!pd.array<*>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %e1 = pd.array_write %e0, %one, %b : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %y:3 = scf.while (%v = %e1, %o = %e0, %i = %zero) : (!pd.array<tensor<3xf64>>, !pd.array<tensor<3xf64>>, tensor<1xi64>) -> (!pd.array<tensor<3xf64>>, !pd.array<tensor<3xf64>>, tensor<1xi64>) {
    %c = pd.less_than %i, %bound : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %o, %i : !pd.array<tensor<3xf64>>, !pd.array<tensor<3xf64>>, tensor<1xi64>
  } do {
  ^bb0(%v: !pd.array<tensor<3xf64>>, %o: !pd.array<tensor<3xf64>>, %i: tensor<1xi64>):
    %h = pd.array_read %v, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %g = pd.array_read %o, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %p = pd.multiply %h, %g : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %s = pd.sin %p : (tensor<3xf64>) -> tensor<3xf64>
    %w = pd.array_write %o, %zero, %s : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %w, %v, %j : !pd.array<tensor<3xf64>>, !pd.array<tensor<3xf64>>, tensor<1xi64>
  }
  %l = pd.array_read %y#0, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
  %k = pd.array_read %y#1, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
  %out = pd.multiply %l, %k : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %out : tensor<3xf64>
}

// Parts of arrays.
func.func @array_slices(%a: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<9xf64>) attributes {test.batch_first} {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %last = pd.constant dense<-1> : tensor<1xi64>
  %bound = pd.constant dense<2> : tensor<1xi64>
  %empty = pd.array_create : () -> !pd.array<*>
  %e0 = pd.array_write %empty, %zero, %a : (!pd.array<*>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %e1 = pd.array_write %e0, %one, %b : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %y:2 = scf.while (%v = %e1, %i = %zero) : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> (!pd.array<tensor<3xf64>>, tensor<1xi64>) {
    %c = pd.less_than %i, %bound : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : !pd.array<tensor<3xf64>>, tensor<1xi64>
  } do {
  ^bb0(%v: !pd.array<tensor<3xf64>>, %i: tensor<1xi64>):
    %n = pd.array_length %v : (!pd.array<tensor<3xf64>>) -> tensor<1xi64>
    %tail = pd.array_slice %v, %last, %n : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<1xi64>) -> !pd.array<tensor<3xf64>>
    %h = pd.array_read %tail, %zero : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %s = pd.sin %h : (tensor<3xf64>) -> tensor<3xf64>
    %w = pd.array_write %v, %n, %s : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %w, %j : !pd.array<tensor<3xf64>>, tensor<1xi64>
  }
  %two = pd.constant dense<2> : tensor<1xi64>
  %four = pd.constant dense<4> : tensor<1xi64>
  %part = pd.array_slice %y#0, %one, %four : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<1xi64>) -> !pd.array<tensor<3xf64>>
  %t, %sizes = pd.array_to_tensor %part {axis = 0 : i64} : (!pd.array<tensor<3xf64>>) -> (tensor<?xf64>, tensor<?xi32>)
  %f = pd.reshape %t {shape = array<i64: 9>} : (tensor<?xf64>) -> tensor<9xf64>
  return %f : tensor<9xf64>
}

// A loop of which its gradient keeps two states; one part of a state is an array that grows, another array is read.
func.func @array_in_kept_states(%a: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<7x3xf64>, tensor<3xf64>) attributes {test.batch_first, test.twice} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c1 = arith.constant 1 : index
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %two = pd.constant dense<2> : tensor<1xi64>
  %empty = pd.array_create : () -> !pd.array<*>
  %e0 = pd.array_write %empty, %zero, %a : (!pd.array<*>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %e1 = pd.array_write %e0, %one, %b : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
  %y:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%v = %e1, %s = %a) -> (!pd.array<tensor<3xf64>>, tensor<3xf64>) {
    %n = arith.index_cast %i : index to i64
    %k = tensor.from_elements %n : tensor<1xi64>
    %m = pd.add %k, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %h = pd.array_read %v, %k : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %g = pd.array_read %e1, %one : (!pd.array<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %p = pd.multiply %h, %g : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %q = pd.add %p, %s : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %t = pd.sin %q : (tensor<3xf64>) -> tensor<3xf64>
    %w = pd.array_write %v, %m, %t : (!pd.array<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !pd.array<tensor<3xf64>>
    %o = pd.multiply %t, %h : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %w, %o : !pd.array<tensor<3xf64>>, tensor<3xf64>
  } {pd.snapshots = 2 : i64}
  %r, %sizes = pd.array_to_tensor %y#0 {axis = 0 : i64, use_stack = true} : (!pd.array<tensor<3xf64>>) -> (tensor<?x3xf64>, tensor<?xi32>)
  %f = pd.reshape %r {shape = array<i64: 7, 3>} : (tensor<?x3xf64>) -> tensor<7x3xf64>
  return %f, %y#1 : tensor<7x3xf64>, tensor<3xf64>
}

// How often a loop runs that keeps few states is fed.
func.func @for_unknown(%a: tensor<3xf64>, %n: tensor<i64> {test.values = [6.0]}, %b: tensor<3xf64>) -> (tensor<3xf64>) attributes {test.twice, test.batch_first} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %end = arith.index_cast %e : i64 to index
  %y = scf.for %i = %c0 to %end step %c1 iter_args(%s = %a) -> (tensor<3xf64>) {
    %k = arith.index_cast %i : index to i64
    %t = tensor.from_elements %k : tensor<i64>
    %f = pd.cast %t {dtype = f64} : (tensor<i64>) -> tensor<f64>
    %p = pd.multiply %s, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %q = pd.add %p, %f : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
    %r = pd.sin %q : (tensor<3xf64>) -> tensor<3xf64>
    scf.yield %r : tensor<3xf64>
  } {pd.snapshots = 2 : i64}
  return %y : tensor<3xf64>
}

func.func @for_unknown_never(%a: tensor<3xf64>, %n: tensor<i64> {test.values = [0.0]}, %b: tensor<3xf64>) -> (tensor<3xf64>) attributes {test.batch_first} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %e = tensor.extract %n[] : tensor<i64>
  %end = arith.index_cast %e : i64 to index
  %y = scf.for %i = %c2 to %end step %c2 iter_args(%s = %a) -> (tensor<3xf64>) {
    %p = pd.multiply %s, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %p : tensor<3xf64>
  } {pd.snapshots = 3 : i64}
  %z = pd.multiply %y, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %z : tensor<3xf64>
}
