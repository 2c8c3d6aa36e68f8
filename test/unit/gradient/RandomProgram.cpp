#include "test/unit/gradient/RandomProgram.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace proa::test {
namespace {

/// NumPy's rule; empty and false where the shapes don't broadcast.
bool broadcast(const std::vector<int64_t> &x, const std::vector<int64_t> &y, std::vector<int64_t> &out) {
  size_t rank = std::max(x.size(), y.size());
  out.assign(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    int64_t a = i < x.size() ? x[x.size() - 1 - i] : 1, b = i < y.size() ? y[y.size() - 1 - i] : 1;
    if (a != b && a != 1 && b != 1)
      return false;
    out[rank - 1 - i] = std::max(a, b);
  }
  return true;
}

} // namespace

std::string RandomProgram::typeOf(const Shape &shape, const char *element) {
  std::string text = "tensor<";
  for (int64_t dim : shape)
    text += std::to_string(dim) + "x";
  return text + element + ">";
}

std::string RandomProgram::ints(const Shape &list) {
  return list.empty() ? "array<i64>" : fmt::format("array<i64: {}>", fmt::join(list, ", "));
}

RandomProgram::Value RandomProgram::emit(const std::string &op, const std::vector<Value> &operands,
                                         const std::string &attributes, Shape shape) {
  Value out{fmt::format("%v{}", count++), std::move(shape)};
  std::vector<std::string> names, types;
  for (const Value &operand : operands) {
    names.push_back(operand.name);
    types.push_back(typeOf(operand.shape));
  }
  body += fmt::format("  {} = pd.{} {} {{{}}} : ({}) -> {}\n", out.name, op, fmt::join(names, ", "),
                      attributes, fmt::join(types, ", "), typeOf(out.shape));
  values.push_back(out);
  return out;
}

std::string RandomProgram::draw() {
  values.clear();
  body.clear();
  count = 0;
  std::vector<std::string> arguments;
  for (size_t i = 0, number = 1 + below(3); i < number; ++i) {
    Shape shape(below(4));
    for (int64_t &dim : shape)
      dim = sizes[below(sizes.size())];
    values.push_back({fmt::format("%a{}", i), shape});
    arguments.push_back(values.back().name + ": " + typeOf(shape));
  }
  for (size_t i = 0, number = 3 + below(8); i < number; ++i)
    drawOp();
  Value last = values.back();
  // Uses some more of the values.
  Value other = any(), sum = emit("sum", {other}, "", {});
  Value bounded = emit("sin", {sum}, "", {});
  Value result = emit("add", {last, bounded}, "", last.shape);
  return fmt::format("func.func @f({}) -> {} {{\n{}  return {} : {}\n}}\n", fmt::join(arguments, ", "),
                     typeOf(result.shape), body, result.name, typeOf(result.shape));
}

void RandomProgram::drawOp() {
  void (RandomProgram::*const kinds[])() = {
      &RandomProgram::unary,       &RandomProgram::unary,     &RandomProgram::binary,
      &RandomProgram::binary,      &RandomProgram::product,   &RandomProgram::reduction,
      &RandomProgram::movement,    &RandomProgram::movement,  &RandomProgram::normalization,
      &RandomProgram::selection,   &RandomProgram::branch,    &RandomProgram::loop,
      &RandomProgram::quotient,    &RandomProgram::indexed,   &RandomProgram::complexNumbers,
      &RandomProgram::countedLoop, &RandomProgram::arrayLoop, &RandomProgram::layer,
      &RandomProgram::layer,       &RandomProgram::dataLoop,  &RandomProgram::sharedArms};
  (this->*kinds[below(std::size(kinds))])();
}

void RandomProgram::unary() {
  const char *const ops[] = {"tanh", "sin",  "cos",  "sigmoid", "erf",  "softplus",
                             "gelu", "silu", "atan", "square",  "asinh"};
  Value x = any();
  std::string op = ops[below(std::size(ops))];
  Value out = emit(op, {x}, "", x.shape);
  if (op == "square" || op == "softplus")
    emit("sin", {out}, "", out.shape);
}

void RandomProgram::binary() {
  const char *const ops[] = {"add", "subtract", "multiply", "maximum", "minimum"};
  for (int attempt = 0; attempt < 5; ++attempt) {
    Value x = any(), y = any();
    Shape shape;
    if (!broadcast(x.shape, y.shape, shape) || shape.size() > 4)
      continue;
    emit(ops[below(std::size(ops))], {x, y}, "", shape);
    return;
  }
}

void RandomProgram::product() {
  for (int attempt = 0; attempt < 8; ++attempt) {
    Value x = any(), y = any();
    size_t rx = x.shape.size(), ry = y.shape.size();
    if (rx == 0 || ry == 0 || rx > 3 || ry > 3)
      continue;
    bool transposeX = rx > 1 && below(2), transposeY = ry > 1 && below(2);
    Shape a = x.shape, b = y.shape, batch, shape;
    if (rx == 1)
      a.insert(a.begin(), 1);
    if (ry == 1)
      b.push_back(1);
    if (transposeX)
      std::swap(a[a.size() - 1], a[a.size() - 2]);
    if (transposeY)
      std::swap(b[b.size() - 1], b[b.size() - 2]);
    if (a.back() != b[b.size() - 2] ||
        !broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2), batch))
      continue;
    shape = batch;
    if (rx > 1)
      shape.push_back(a[a.size() - 2]);
    if (ry > 1)
      shape.push_back(b.back());
    Value out = emit("matmul", {x, y},
                     fmt::format("transpose_x = {}, transpose_y = {}", transposeX, transposeY), shape);
    emit("tanh", {out}, "", shape);
    return;
  }
}

/// x with something added to each element: a maximum of equal elements has no derivative.
RandomProgram::Value RandomProgram::apart(const Value &x) {
  int id = count++, next = 0;
  std::function<std::string(size_t)> listFrom = [&](size_t axis) -> std::string {
    if (axis == x.shape.size())
      return fmt::format("{:.3f}", 0.017 * ++next);
    std::vector<std::string> parts;
    for (int64_t i = 0; i < x.shape[axis]; ++i)
      parts.push_back(listFrom(axis + 1));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  };
  body += fmt::format("  %d{} = pd.constant dense<{}> : {}\n", id, listFrom(0), typeOf(x.shape));
  return emit("add", {x, {fmt::format("%d{}", id), x.shape}}, "", x.shape);
}

void RandomProgram::reduction() {
  const char *const ops[] = {"sum", "mean", "max", "min", "logsumexp", "amax", "prod"};
  Value x = any();
  Shape axes, shape;
  bool keep = below(2);
  for (size_t d = 0; d < x.shape.size(); ++d)
    if (below(2))
      axes.push_back(static_cast<int64_t>(d));
  for (size_t d = 0; d < x.shape.size(); ++d) {
    bool reduced = axes.empty() || std::count(axes.begin(), axes.end(), static_cast<int64_t>(d));
    if (!reduced || keep)
      shape.push_back(reduced ? 1 : x.shape[d]);
  }
  std::string op = ops[below(std::size(ops))];
  // The product of many numbers above one is too steep for differences.
  if (op == "prod")
    x = emit("tanh", {x}, "", x.shape);
  if (op == "max" || op == "min" || op == "amax")
    x = apart(x);
  Value out = emit(op, {x}, fmt::format("axis = {}, keepdim = {}", ints(axes), keep), shape);
  emit("sin", {out}, "", shape);
}

void RandomProgram::movement() {
  Value x = any();
  auto rank = static_cast<int64_t>(x.shape.size());
  if (rank == 0)
    return;
  auto axis = static_cast<int64_t>(below(x.shape.size()));
  int64_t dim = x.shape[axis], given = below(2) ? axis : axis - rank;
  Shape shape = x.shape;
  switch (below(7)) {
  case 0: {
    Shape perm(rank);
    for (int64_t d = 0; d < rank; ++d)
      perm[d] = d;
    std::shuffle(perm.begin(), perm.end(), random);
    for (int64_t d = 0; d < rank; ++d)
      shape[d] = x.shape[perm[d]];
    emit("transpose", {x}, "perm = " + ints(perm), shape);
    return;
  }
  case 1: {
    int64_t size = 1;
    for (int64_t dim : shape)
      size *= dim;
    emit("reshape", {x}, "shape = " + ints({size, 1}), {size, 1});
    return;
  }
  case 2: {
    auto start = static_cast<int64_t>(below(dim));
    shape[axis] = dim - start;
    emit("slice", {x},
         fmt::format("axes = {}, starts = {}, ends = {}", ints({given}), ints({start}), ints({dim})), shape);
    return;
  }
  case 3: {
    // Not with itself: a maximum of equal elements has no derivative.
    Value other = emit("cos", {x}, "", x.shape);
    shape[axis] = 2 * dim;
    emit("concat", {x, other}, fmt::format("axis = {} : i64", given), shape);
    return;
  }
  case 4: {
    Shape paddings(2 * rank, 0);
    paddings[2 * axis] = static_cast<int64_t>(below(2));
    paddings[2 * axis + 1] = static_cast<int64_t>(below(3));
    shape[axis] += paddings[2 * axis] + paddings[2 * axis + 1];
    emit("pad", {x}, fmt::format("paddings = {}, pad_value = 0.5", ints(paddings)), shape);
    return;
  }
  case 5:
    emit("flip", {x}, "axis = " + ints({given}), shape);
    return;
  default:
    emit("cumsum", {x}, fmt::format("axis = {} : i64, reverse = {}", given, static_cast<bool>(below(2))),
         shape);
    return;
  }
}

void RandomProgram::normalization() {
  Value x = any();
  if (x.shape.empty())
    return;
  auto axis = static_cast<int64_t>(below(x.shape.size()));
  emit(below(2) ? "softmax" : "log_softmax", {x}, fmt::format("axis = {} : i64", axis), x.shape);
}

void RandomProgram::selection() {
  Value x = any(), y = any();
  Shape shape;
  if (!broadcast(x.shape, y.shape, shape) || shape.size() > 4)
    return;
  std::string condition = fmt::format("%c{}", count);
  body += fmt::format("  {} = pd.less_than {}, {} : ({}, {}) -> {}\n", condition, x.name, y.name,
                      typeOf(x.shape), typeOf(y.shape), typeOf(shape, "i1"));
  Value out{fmt::format("%v{}", count++), shape};
  Value other = emit("sin", {x}, "", x.shape);
  body += fmt::format("  {} = pd.where {}, {}, {} : ({}, {}, {}) -> {}\n", out.name, condition, y.name,
                      other.name, typeOf(shape, "i1"), typeOf(y.shape), typeOf(x.shape), typeOf(shape));
  values.push_back(out);
}

/// The condition is the sign of a sum.
void RandomProgram::branch() {
  Value x = any();
  Value sum = emit("sum", {x}, "", {});
  int id = count++;
  body += fmt::format("  %z{0} = pd.constant dense<0.1> : tensor<f64>\n"
                      "  %c{0} = pd.less_than {1}, %z{0} : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
                      "  %b{0} = tensor.extract %c{0}[] : tensor<i1>\n"
                      "  %v{0} = scf.if %b{0} -> ({2}) {{\n"
                      "    %t{0} = pd.sin {3} : ({2}) -> {2}\n"
                      "    scf.yield %t{0} : {2}\n"
                      "  }} else {{\n"
                      "    %e{0} = pd.multiply {3}, {3} : ({2}, {2}) -> {2}\n"
                      "    %g{0} = pd.tanh %e{0} : ({2}) -> {2}\n"
                      "    scf.yield %g{0} : {2}\n"
                      "  }}\n",
                      id, sum.name, typeOf(x.shape), x.name);
  values.push_back({fmt::format("%v{}", id), x.shape});
}

/// A fixed number of iterations, equal for all examples of a batch.
void RandomProgram::loop() {
  Value x = any(), y = any();
  Shape shape;
  if (!broadcast(x.shape, y.shape, shape) || shape != x.shape)
    return;
  int id = count++;
  body +=
      fmt::format("  %n{0} = pd.constant dense<{1}> : tensor<1xi64>\n"
                  "  %z{0} = pd.constant dense<0> : tensor<1xi64>\n"
                  "  %o{0} = pd.constant dense<1> : tensor<1xi64>\n"
                  "  %v{0}, %i{0} = scf.while (%x{0} = {2}, %j{0} = %z{0}) : ({3}, tensor<1xi64>) -> ({3}, "
                  "tensor<1xi64>) {{\n"
                  "    %c{0} = pd.less_than %j{0}, %n{0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>\n"
                  "    %r{0} = pd.reshape %c{0} {{shape = array<i64>}} : (tensor<1xi1>) -> tensor<i1>\n"
                  "    %b{0} = tensor.extract %r{0}[] : tensor<i1>\n"
                  "    scf.condition(%b{0}) %x{0}, %j{0} : {3}, tensor<1xi64>\n"
                  "  }} do {{\n"
                  "  ^bb0(%p{0}: {3}, %q{0}: tensor<1xi64>):\n"
                  "    %m{0} = pd.multiply %p{0}, {4} : ({3}, {5}) -> {3}\n"
                  "    %s{0} = pd.cos %m{0} : ({3}) -> {3}\n"
                  "    %k{0} = pd.add %q{0}, %o{0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>\n"
                  "    scf.yield %s{0}, %k{0} : {3}, tensor<1xi64>\n"
                  "  }}\n",
                  id, below(4), x.name, typeOf(x.shape), y.name, typeOf(y.shape));
  values.push_back({fmt::format("%v{}", id), x.shape});
}

/// The number of iterations depends on data, so that the examples of a batch finish at different times.
void RandomProgram::dataLoop() {
  Value x = any(), y = any();
  Shape shape;
  if (!broadcast(x.shape, y.shape, shape) || shape != x.shape)
    return;
  Value bounded = emit("tanh", {x}, "", x.shape);
  int id = count++;
  body += fmt::format("  %n{0} = pd.constant dense<{1}> : tensor<i64>\n"
                      "  %z{0} = pd.constant dense<0> : tensor<i64>\n"
                      "  %o{0} = pd.constant dense<1> : tensor<i64>\n"
                      "  %h{0} = pd.constant dense<0.4> : tensor<f64>\n"
                      "  %u{0} = pd.constant dense<1.1> : tensor<f64>\n"
                      "  %v{0}, %i{0} = scf.while (%x{0} = {2}, %j{0} = %z{0}) : ({3}, tensor<i64>) -> ({3}, "
                      "tensor<i64>) {{\n"
                      "    %s{0} = pd.sum %x{0} : ({3}) -> tensor<f64>\n"
                      "    %l{0} = pd.less_than %s{0}, %u{0} : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
                      "    %m{0} = pd.less_than %j{0}, %n{0} : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
                      "    %c{0} = pd.logical_and %l{0}, %m{0} : (tensor<i1>, tensor<i1>) -> tensor<i1>\n"
                      "    %b{0} = tensor.extract %c{0}[] : tensor<i1>\n"
                      "    scf.condition(%b{0}) %x{0}, %j{0} : {3}, tensor<i64>\n"
                      "  }} do {{\n"
                      "  ^bb0(%p{0}: {3}, %q{0}: tensor<i64>):\n"
                      "    %t{0} = pd.multiply %p{0}, {4} : ({3}, {5}) -> {3}\n"
                      "    %w{0} = pd.sin %t{0} : ({3}) -> {3}\n"
                      "    %f{0} = pd.add %p{0}, %h{0} : ({3}, tensor<f64>) -> {3}\n"
                      "    %g{0} = pd.multiply %f{0}, %w{0} : ({3}, {3}) -> {3}\n"
                      "    %e{0} = pd.add %g{0}, %f{0} : ({3}, {3}) -> {3}\n"
                      "    %k{0} = pd.add %q{0}, %o{0} : (tensor<i64>, tensor<i64>) -> tensor<i64>\n"
                      "    scf.yield %e{0}, %k{0} : {3}, tensor<i64>\n"
                      "  }}\n",
                      id, 1 + below(4), bounded.name, typeOf(x.shape), y.name, typeOf(y.shape));
  emit("tanh", {{fmt::format("%v{}", id), x.shape}}, "", x.shape);
}

/// Both branches read the same values and give two results, one of which may be unused.
void RandomProgram::sharedArms() {
  Value x = any(), y = any();
  Shape shape;
  if (!broadcast(x.shape, y.shape, shape) || shape.size() > 4)
    return;
  Value distinct = apart(x), greatest = emit("max", {distinct}, "", {});
  int id = count++;
  body += fmt::format("  %h{0} = pd.constant dense<0.2> : tensor<f64>\n"
                      "  %c{0} = pd.greater_than {1}, %h{0} : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
                      "  %b{0} = tensor.extract %c{0}[] : tensor<i1>\n"
                      "  %v{0}, %w{0} = scf.if %b{0} -> ({4}, {5}) {{\n"
                      "    %m{0} = pd.multiply {2}, {3} : ({5}, {6}) -> {4}\n"
                      "    %s{0} = pd.sin %m{0} : ({4}) -> {4}\n"
                      "    scf.yield %s{0}, {2} : {4}, {5}\n"
                      "  }} else {{\n"
                      "    %q{0} = pd.tanh {2} : ({5}) -> {5}\n"
                      "    %r{0} = pd.subtract {3}, %q{0} : ({6}, {5}) -> {4}\n"
                      "    %t{0} = pd.multiply %q{0}, %q{0} : ({5}, {5}) -> {5}\n"
                      "    scf.yield %r{0}, %t{0} : {4}, {5}\n"
                      "  }}\n",
                      id, greatest.name, x.name, y.name, typeOf(shape), typeOf(x.shape), typeOf(y.shape));
  values.push_back({fmt::format("%v{}", id), shape});
  if (below(2))
    values.push_back({fmt::format("%w{}", id), x.shape});
}

/// A positive divisor, root or logarithm.
void RandomProgram::quotient() {
  Value x = any();
  std::string one = fmt::format("%one{}", count++);
  body += fmt::format("  {} = pd.constant dense<1.5> : tensor<f64>\n", one);
  Value square = emit("square", {x}, "", x.shape), positive = emit("add", {square, {one, {}}}, "", x.shape);
  const char *const ops[] = {"rsqrt", "sqrt", "log", "reciprocal"};
  if (size_t kind = below(5); kind < 4)
    emit(ops[kind], {positive}, "", x.shape);
  else
    emit("divide", {x, positive}, "", x.shape);
}

/// Elements at constant indices, some of them repeated.
void RandomProgram::indexed() {
  Value x = any();
  if (x.shape.empty())
    return;
  auto axis = static_cast<int64_t>(below(x.shape.size()));
  Shape numbers(1 + below(4)), shape = x.shape;
  for (int64_t &index : numbers)
    index = static_cast<int64_t>(below(x.shape[axis]));
  int id = count++;
  shape[axis] = static_cast<int64_t>(numbers.size());
  Shape positions{shape[axis]};
  body += fmt::format("  %n{0} = pd.constant dense<[{1}]> : {2}\n"
                      "  %v{0} = pd.gather {3}, %n{0} {{axis = {4} : i64}} : ({5}, {2}) -> {6}\n",
                      id, fmt::join(numbers, ", "), typeOf(positions, "i64"), x.name, axis, typeOf(x.shape),
                      typeOf(shape));
  // Distinct values, because a maximum of equal elements has no derivative.
  Value taken{fmt::format("%v{}", id), shape};
  std::string ramp = fmt::format("%ramp{}", id);
  std::vector<std::string> steps;
  for (size_t i = 0; i < numbers.size(); ++i)
    steps.push_back(fmt::format("{:.1f}", 0.3 * static_cast<double>(i + 1)));
  Shape along(x.shape.size() - static_cast<size_t>(axis), 1);
  along[0] = shape[axis];
  body += fmt::format("  {0}_flat = pd.constant dense<[{1}]> : {2}\n"
                      "  {0} = pd.reshape {0}_flat {{shape = {3}}} : ({2}) -> {4}\n",
                      ramp, fmt::join(steps, ", "), typeOf(positions), ints(along), typeOf(along));
  emit("add", {taken, {ramp, along}}, "", shape);
}

/// Through complex numbers and back.
void RandomProgram::complexNumbers() {
  // Small values: exp of others is too steep for differences.
  Value given = any(), x = emit("tanh", {given}, "", given.shape);
  Value y = emit("cos", {x}, "", x.shape);
  int id = count++;
  const char *const ops[] = {"exp", "sin", "tanh", "square"};
  const char *const parts[] = {"real", "imag"};
  body += fmt::format("  %w{0} = pd.complex {1}, {2} : ({3}, {3}) -> {4}\n"
                      "  %u{0} = pd.{5} %w{0} : ({4}) -> {4}\n"
                      "  %p{0} = pd.multiply %u{0}, %w{0} : ({4}, {4}) -> {4}\n"
                      "  %v{0} = pd.{6} %p{0} : ({4}) -> {3}\n",
                      id, x.name, y.name, typeOf(x.shape), typeOf(x.shape, "complex<f64>"), ops[below(4)],
                      parts[below(2)]);
  emit("sin", {{fmt::format("%v{}", id), x.shape}}, "", x.shape);
}

/// scf.for, sometimes with few kept states.
void RandomProgram::countedLoop() {
  Value x = any(), y = any();
  Shape shape;
  if (!hasCountedLoops || !broadcast(x.shape, y.shape, shape) || shape != x.shape)
    return;
  int id = count++;
  body +=
      fmt::format("  %l{0} = arith.constant 1 : index\n"
                  "  %h{0} = arith.constant {1} : index\n"
                  "  %v{0} = scf.for %i{0} = %l{0} to %h{0} step %l{0} iter_args(%x{0} = {2}) -> ({3}) {{\n"
                  "    %k{0} = arith.index_cast %i{0} : index to i64\n"
                  "    %t{0} = tensor.from_elements %k{0} : tensor<i64>\n"
                  "    %r{0} = pd.cast %t{0} {{dtype = f64}} : (tensor<i64>) -> tensor<f64>\n"
                  "    %m{0} = pd.multiply %x{0}, {4} : ({3}, {5}) -> {3}\n"
                  "    %y{0} = pd.add %m{0}, %r{0} : ({3}, tensor<f64>) -> {3}\n"
                  "    %s{0} = pd.sin %y{0} : ({3}) -> {3}\n"
                  "    scf.yield %s{0} : {3}\n"
                  "  }}{6}\n",
                  id, 1 + below(6), x.name, typeOf(x.shape), y.name, typeOf(y.shape),
                  below(2) ? fmt::format(" {{pd.snapshots = {} : i64}}", 1 + below(3)) : "");
  values.push_back({fmt::format("%v{}", id), x.shape});
}

/// Writes values to a tensor array and reads earlier ones.
void RandomProgram::arrayLoop() {
  Value x = any();
  int id = count++;
  body += fmt::format(
      "  %n{0} = pd.constant dense<{1}> : tensor<1xi64>\n"
      "  %z{0} = pd.constant dense<0> : tensor<1xi64>\n"
      "  %o{0} = pd.constant dense<1> : tensor<1xi64>\n"
      "  %e{0} = pd.array_create : () -> !pd.array<*>\n"
      "  %f{0} = pd.array_write %e{0}, %z{0}, {2} : (!pd.array<*>, tensor<1xi64>, {3}) -> !pd.array<{3}>\n"
      "  %g{0}, %i{0} = scf.while (%x{0} = %f{0}, %j{0} = %z{0}) : (!pd.array<{3}>, tensor<1xi64>) -> "
      "(!pd.array<{3}>, tensor<1xi64>) {{\n"
      "    %c{0} = pd.less_than %j{0}, %n{0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>\n"
      "    %r{0} = pd.reshape %c{0} {{shape = array<i64>}} : (tensor<1xi1>) -> tensor<i1>\n"
      "    %b{0} = tensor.extract %r{0}[] : tensor<i1>\n"
      "    scf.condition(%b{0}) %x{0}, %j{0} : !pd.array<{3}>, tensor<1xi64>\n"
      "  }} do {{\n"
      "  ^bb0(%p{0}: !pd.array<{3}>, %q{0}: tensor<1xi64>):\n"
      "    %d{0} = pd.array_read %p{0}, %q{0} : (!pd.array<{3}>, tensor<1xi64>) -> {3}\n"
      "    %m{0} = pd.multiply %d{0}, {2} : ({3}, {3}) -> {3}\n"
      "    %s{0} = pd.cos %m{0} : ({3}) -> {3}\n"
      "    %k{0} = pd.add %q{0}, %o{0} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>\n"
      "    %w{0} = pd.array_write %p{0}, %k{0}, %s{0} : (!pd.array<{3}>, tensor<1xi64>, {3}) -> "
      "!pd.array<{3}>\n"
      "    scf.yield %w{0}, %k{0} : !pd.array<{3}>, tensor<1xi64>\n"
      "  }}\n"
      "  %v{0} = pd.array_read %g{0}, %n{0} : (!pd.array<{3}>, tensor<1xi64>) -> {3}\n",
      id, below(4), x.name, typeOf(x.shape));
  values.push_back({fmt::format("%v{}", id), x.shape});
}

} // namespace proa::test
