#include "lib/runtime/cuda/DeviceSolver.h"

#include "lib/runtime/cuda/CudaQueue.h"
#include "lib/runtime/cuda/Solver.h"
#include "lib/runtime/kernels/matmul/MatrixStack.h"

#include "dialects/pd/ops/linalg/Factor.kernels.inc"
#include "dialects/pd/ops/linalg/Solve.kernels.inc"

#include <algorithm>
#include <cstring>
#include <functional>

namespace proa::cuda {
namespace {

using runtime::BroadcastStack;
using runtime::failure;
using runtime::holdsVectors;
using runtime::LinearSystem;
using runtime::MatrixStack;
using runtime::View;
using Dims = std::vector<int64_t>;
using Operation = Solver::Operation;

constexpr const char *singular = "is singular: it has no inverse";

/// Memory of one call, from the workspace of the queue: pieces are counted first and taken after allocate().
class Scratch {
public:
  /// The number of a piece.
  size_t add(size_t bytes) {
    offsets.push_back(total);
    total += (std::max<size_t>(bytes, 1) + 255) / 256 * 256;
    return offsets.size() - 1;
  }
  Result<void> allocate(CudaQueue &queue) {
    Result<DeviceAddress> memory = queue.workspace(std::max<size_t>(total, 1));
    if (!memory)
      return memory.diagnostics();
    begin = *memory;
    return {};
  }
  DeviceAddress operator[](size_t piece) const { return begin + offsets[piece]; }

private:
  std::vector<size_t> offsets;
  size_t total = 0;
  DeviceAddress begin = 0;
};

/// One call of a kernel.
class Run {
public:
  Run(const runtime::DeviceCall &call, Solver &solver)
      : call(call), queue(static_cast<CudaQueue &>(call.queue)), solver(solver), dtype(call.inputs[0].dtype),
        element(sizeOf(dtype)) {}

  const runtime::DeviceCall &call;
  CudaQueue &queue;
  Solver &solver;
  DType dtype;
  size_t element;
  Scratch scratch;

  StreamHandle stream() { return queue.use("solver"); }
  /// Matrix i of a view of matrices of `size` elements.
  DeviceAddress at(const View &view, int64_t i, int64_t size) const {
    return view ? reinterpret_cast<DeviceAddress>(view.data) +
                      static_cast<size_t>(i * size) * sizeOf(view.dtype)
                : 0;
  }
  size_t bytes(int64_t elements) const { return static_cast<size_t>(elements) * element; }
  Result<void> copy(DeviceAddress to, DeviceAddress from, int64_t elements) {
    return queue.copyOnDevice(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from),
                              bytes(elements));
  }
  /// A row-major matrix by columns, in `to`. A row or a column needs no transposition.
  Result<void> toColumns(DeviceAddress from, int64_t rows, int64_t columns, DeviceAddress to) {
    return rows == 1 || columns == 1 ? copy(to, from, rows * columns)
                                     : solver.transpose(dtype, false, {from, columns, rows}, to, stream());
  }
  /// The first `rows` rows of a matrix by columns as a row-major one.
  Result<void> toRows(const DeviceMatrix &from, DeviceAddress to, bool conjugate = false) {
    return solver.transpose(dtype, conjugate, from, to, stream());
  }
  Result<size_t> addWork(Operation operation, const DeviceMatrix &a, bool job = false) {
    Result<size_t> bytes = solver.workspaceBytes(operation, dtype, a, job);
    return bytes ? Result<size_t>(scratch.add(*bytes)) : bytes;
  }
  Result<void> expectZeros(size_t infos, int64_t count, const char *what) {
    return queue.expectZeros(scratch[infos], static_cast<size_t>(count),
                             [what](size_t i, int32_t) { return fmt::format("matrix {} {}", i, what); });
  }
  DeviceAddress infoAt(size_t infos, int64_t i) const {
    return scratch[infos] + static_cast<size_t>(i) * sizeof(int32_t);
  }
};

/// Calls `body(i)` for the matrices of a stack until one fails.
template <class Body> Result<void> forEachMatrix(int64_t count, Body body) {
  for (int64_t i = 0; i < count; ++i)
    if (Result<void> done = body(i); !done)
      return done;
  return {};
}

/// Requests in order, until one fails.
Result<void> inOrder(std::initializer_list<std::function<Result<void>()>> requests) {
  for (const auto &request : requests)
    if (Result<void> done = request(); !done)
      return done;
  return {};
}

/// Row-major memory is the transpose to the library, whose other triangle holds the transpose of the factor.
Result<void> cholesky(Run &run, bool upper) {
  const View &x = run.call.inputs[0], &out = run.call.outputs[0];
  MatrixStack stack(x.dims);
  int64_t n = stack.rows;
  Result<size_t> work = run.addWork(Operation::Potrf, {0, n, n}, !upper);
  if (!work)
    return work.diagnostics();
  size_t infos = run.scratch.add(static_cast<size_t>(stack.count) * sizeof(int32_t)),
         triangle = run.scratch.add(run.bytes(n * n));
  return inOrder({[&] { return run.scratch.allocate(run.queue); },
                  [&] { return run.copy(run.at(out, 0, 0), run.at(x, 0, 0), x.size()); },
                  [&] {
                    return forEachMatrix(stack.count, [&](int64_t i) {
                      DeviceMatrix a{run.at(out, i, n * n), n, n};
                      return inOrder({[&] {
                                        return run.solver.potrf(run.dtype, !upper, a, run.scratch[*work],
                                                                run.infoAt(infos, i), run.stream());
                                      },
                                      [&] {
                                        return run.solver.clearOther(run.dtype, !upper, a,
                                                                     run.scratch[triangle], run.stream());
                                      }});
                    });
                  },
                  [&] { return run.expectZeros(infos, stack.count, "is not positive definite"); }});
}

Result<void> lu(Run &run) {
  const View &x = run.call.inputs[0], &out = run.call.outputs[0], &pivots = run.call.outputs[1],
             &infos = run.call.outputs[2];
  MatrixStack stack(x.dims);
  int64_t m = stack.rows, n = stack.columns, least = std::min(m, n);
  Result<size_t> work = run.addWork(Operation::Getrf, {0, m, n});
  if (!work)
    return work.diagnostics();
  size_t a = run.scratch.add(run.bytes(m * n)),
         swaps = run.scratch.add(static_cast<size_t>(least) * sizeof(int32_t)),
         info = run.scratch.add(sizeof(int32_t));
  if (Result<void> done = run.scratch.allocate(run.queue); !done)
    return done;
  return forEachMatrix(stack.count, [&](int64_t i) {
    DeviceMatrix matrix{run.scratch[a], m, n};
    return inOrder({[&] { return run.toColumns(run.at(x, i, m * n), m, n, matrix.data); },
                    [&] {
                      return run.solver.getrf(
                          run.dtype, matrix, pivots ? run.at(pivots, i, least) : run.scratch[swaps],
                          run.scratch[*work], infos ? run.at(infos, i, 1) : run.scratch[info], run.stream());
                    },
                    [&] { return out ? run.toRows(matrix, run.at(out, i, m * n)) : Result<void>(); }});
  });
}

Result<void> qr(Run &run, runtime::QrMode mode) {
  const View &x = run.call.inputs[0], &r = run.call.outputs[1];
  const View &q = mode == runtime::QrMode::R ? View() : run.call.outputs[0];
  MatrixStack stack(x.dims);
  int64_t m = stack.rows, n = stack.columns, least = std::min(m, n);
  int64_t width = mode == runtime::QrMode::Complete ? m : least, columns = std::max(n, width);
  Result<size_t> factor = run.addWork(Operation::Geqrf, {0, m, n}),
                 expand = run.addWork(Operation::Orgqr, {0, m, width});
  if (!factor || !expand)
    return (factor ? expand : factor).diagnostics();
  size_t a = run.scratch.add(run.bytes(m * columns)), tau = run.scratch.add(run.bytes(least)),
         infos = run.scratch.add(static_cast<size_t>(stack.count) * sizeof(int32_t)),
         triangle = run.scratch.add(run.bytes(least * least));
  if (Result<void> done = run.scratch.allocate(run.queue); !done)
    return done;
  auto writeR = [&](int64_t i) -> Result<void> {
    DeviceAddress to = run.at(r, i, width * n);
    return inOrder({[&] { return run.toRows({run.scratch[a], least, n, m}, to); },
                    [&] {
                      return run.solver.clearOther(run.dtype, false, {to, least, least, n},
                                                   run.scratch[triangle], run.stream());
                    },
                    [&] {
                      return run.queue.fillZero(reinterpret_cast<void *>(to + run.bytes(least * n)),
                                                run.bytes((width - least) * n));
                    }});
  };
  Result<void> done = forEachMatrix(stack.count, [&](int64_t i) {
    DeviceMatrix matrix{run.scratch[a], m, n}, orthogonal{run.scratch[a], m, width};
    return inOrder({[&] { return run.toColumns(run.at(x, i, m * n), m, n, matrix.data); },
                    [&] {
                      return run.solver.geqrf(run.dtype, matrix, run.scratch[tau], run.scratch[*factor],
                                              run.infoAt(infos, i), run.stream());
                    },
                    [&] { return r ? writeR(i) : Result<void>(); },
                    [&] {
                      return q ? run.solver.orgqr(run.dtype, orthogonal, least, run.scratch[tau],
                                                  run.scratch[*expand], run.infoAt(infos, i), run.stream())
                               : Result<void>();
                    },
                    [&] { return q ? run.toRows(orthogonal, run.at(q, i, m * width)) : Result<void>(); }});
  });
  return done ? run.expectZeros(infos, stack.count, "cannot be factored") : done;
}

/// The library sees x^T = conj(v) s u^T: its left vectors are v^H by rows, its right ones the conjugate of u.
Result<void> svd(Run &run, bool full) {
  const View &x = run.call.inputs[0], &u = run.call.outputs[0], &s = run.call.outputs[1],
             &v = run.call.outputs[2];
  MatrixStack stack(x.dims);
  int64_t m = stack.rows, n = stack.columns, least = std::min(m, n);
  int64_t left = full ? m : least, right = full ? n : least;
  Result<size_t> work = run.addWork(Operation::Gesvdj, {0, n, m}, full);
  if (!work)
    return work.diagnostics();
  size_t a = run.scratch.add(run.bytes(m * n)), values = run.scratch.add(run.bytes(least)),
         rows = run.scratch.add(run.bytes(n * right)), columns = run.scratch.add(run.bytes(m * left)),
         infos = run.scratch.add(static_cast<size_t>(stack.count) * sizeof(int32_t));
  if (Result<void> done = run.scratch.allocate(run.queue); !done)
    return done;
  Result<void> done = forEachMatrix(stack.count, [&](int64_t i) {
    DeviceMatrix matrix{run.scratch[a], n, m}, vs{v ? run.at(v, i, right * n) : run.scratch[rows], n, right},
        us{run.scratch[columns], m, left};
    return inOrder({[&] { return run.copy(matrix.data, run.at(x, i, m * n), m * n); },
                    [&] {
                      return run.solver.gesvdj(run.dtype, full, matrix,
                                               s ? run.at(s, i, least) : run.scratch[values], vs, us,
                                               run.scratch[*work], run.infoAt(infos, i), run.stream());
                    },
                    [&] { return u ? run.toRows(us, run.at(u, i, m * left), true) : Result<void>(); }});
  });
  return done ? run.expectZeros(infos, stack.count, "has no singular values that cuSOLVER finds (NaN?)")
              : done;
}

/// The library sees the conjugate of x, which has the same eigenvalues and the conjugate eigenvectors.
Result<void> eigh(Run &run, bool upper) {
  const View &x = run.call.inputs[0], &w = run.call.outputs[0], &v = run.call.outputs[1];
  MatrixStack stack(x.dims);
  int64_t n = stack.rows;
  bool vectors = static_cast<bool>(v);
  Result<size_t> work = run.addWork(Operation::Syevd, {0, n, n}, vectors);
  if (!work)
    return work.diagnostics();
  size_t a = run.scratch.add(run.bytes(n * n)), values = run.scratch.add(run.bytes(n)),
         infos = run.scratch.add(static_cast<size_t>(stack.count) * sizeof(int32_t));
  if (Result<void> done = run.scratch.allocate(run.queue); !done)
    return done;
  Result<void> done = forEachMatrix(stack.count, [&](int64_t i) {
    DeviceMatrix matrix{run.scratch[a], n, n};
    return inOrder(
        {[&] { return run.copy(matrix.data, run.at(x, i, n * n), n * n); },
         [&] {
           return run.solver.syevd(run.dtype, vectors, !upper, matrix,
                                   w ? run.at(w, i, n) : run.scratch[values], run.scratch[*work],
                                   run.infoAt(infos, i), run.stream());
         },
         [&] { return vectors ? run.toRows(matrix, run.at(v, i, n * n), true) : Result<void>(); }});
  });
  return done ? run.expectZeros(infos, stack.count, "has no eigenvalues that cuSOLVER finds (NaN?)") : done;
}

/// The dims of y as matrices.
Dims matrixDims(std::span<const int64_t> x, std::span<const int64_t> y) {
  Dims dims(y.begin(), y.end());
  if (holdsVectors(x, y))
    dims.push_back(1);
  return dims;
}

/// Solves the systems by factors that `factor(matrix, info)` and `solve(matrix, right side, info)` compute.
template <class Factor, class Solve>
Result<void> solveSystems(Run &run, const LinearSystem &system, const View &x, const View *y, const View &out,
                          Result<size_t> work, Factor factor, Solve solve) {
  if (!work)
    return work.diagnostics();
  int64_t n = system.x.rows, k = system.y.columns;
  size_t a = run.scratch.add(run.bytes(n * n)), b = run.scratch.add(run.bytes(n * k)),
         one = run.scratch.add(run.bytes(n)), unused = run.scratch.add(sizeof(int32_t)),
         infos = run.scratch.add(static_cast<size_t>(system.count) * sizeof(int32_t));
  if (Result<void> done = run.scratch.allocate(run.queue); !done)
    return done;
  // Without y the right side is the identity, whose diagonal comes from a row of ones.
  std::vector<std::byte> ones(run.bytes(n));
  for (int64_t i = 0; i < n; ++i) {
    bool isDouble = run.dtype == DType::Float64 || run.dtype == DType::Complex128;
    double wide = 1;
    float narrow = 1;
    std::memcpy(ones.data() + run.bytes(i), isDouble ? static_cast<void *>(&wide) : &narrow,
                isDouble ? 8 : 4);
  }
  if (!y)
    if (Result<void> done =
            run.queue.copyToDevice(reinterpret_cast<void *>(run.scratch[one]), ones.data(), ones.size());
        !done)
      return done;
  BroadcastStack xAt(system.x.batch, system.batch), yAt(system.y.batch, system.batch);
  Result<void> done = forEachMatrix(system.count, [&](int64_t i) {
    DeviceMatrix matrix{run.scratch[a], n, n}, right{run.scratch[b], n, k};
    auto writeRight = [&]() -> Result<void> {
      if (y)
        return run.toColumns(run.at(*y, yAt(i), n * k), n, k, right.data);
      if (auto filled = run.queue.fillZero(reinterpret_cast<void *>(right.data), run.bytes(n * n)); !filled)
        return filled;
      RowCopy diagonal{.to = right.data,
                       .from = run.scratch[one],
                       .toPitch = run.bytes(n + 1),
                       .fromPitch = run.element,
                       .rowBytes = run.element,
                       .rows = static_cast<size_t>(n)};
      return run.queue.api().copyRowsOnDevice(diagonal, run.stream());
    };
    return inOrder({[&] { return run.toColumns(run.at(x, xAt(i), n * n), n, n, matrix.data); }, writeRight,
                    [&] { return factor(matrix, run.infoAt(infos, i)); },
                    [&] { return solve(matrix, right, run.scratch[unused]); },
                    [&] { return run.toRows(right, run.at(out, i, n * k)); }});
  });
  return done ? run.expectZeros(infos, system.count, singular) : done;
}

/// x is factored, y is replaced by the solution; without y: the inverse of x.
Result<void> solve(Run &run, const View *y) {
  const View &x = run.call.inputs[0];
  Result<LinearSystem> system =
      LinearSystem::of(x.dims, y ? matrixDims(x.dims, y->dims) : Dims(x.dims.begin(), x.dims.end()));
  if (!system)
    return system.diagnostics();
  int64_t n = system->x.rows;
  size_t pivots = run.scratch.add(static_cast<size_t>(n) * sizeof(int32_t));
  Result<size_t> work = run.addWork(Operation::Getrf, {0, n, n});
  return solveSystems(
      run, *system, x, y, run.call.outputs[0], work,
      [&](const DeviceMatrix &a, DeviceAddress info) {
        return run.solver.getrf(run.dtype, a, run.scratch[pivots], run.scratch[*work], info, run.stream());
      },
      [&](const DeviceMatrix &a, const DeviceMatrix &b, DeviceAddress info) {
        return run.solver.getrs(run.dtype, a, run.scratch[pivots], b, info, run.stream());
      });
}

Result<void> choleskySolve(Run &run, bool upper) {
  const View &y = run.call.inputs[0], &factor = run.call.inputs[1];
  Result<LinearSystem> system = LinearSystem::of(factor.dims, y.dims);
  if (!system)
    return system.diagnostics();
  return solveSystems(
      run, *system, factor, &y, run.call.outputs[0], run.scratch.add(1),
      [&](const DeviceMatrix &, DeviceAddress info) {
        return run.queue.fillZero(reinterpret_cast<void *>(info), sizeof(int32_t));
      },
      [&](const DeviceMatrix &a, const DeviceMatrix &b, DeviceAddress info) {
        return run.solver.potrs(run.dtype, upper, a, b, info, run.stream());
      });
}

/// The library sees x^T and y^T: it solves out^T op(x)^T = y^T.
Result<void> triangularSolve(Run &run, const runtime::TriangularSolveAttributes &op) {
  const View &x = run.call.inputs[0], &y = run.call.inputs[1], &out = run.call.outputs[0];
  Result<LinearSystem> system = LinearSystem::of(x.dims, y.dims);
  if (!system)
    return system.diagnostics();
  int64_t n = system->x.rows, k = system->y.columns;
  BroadcastStack xAt(system->x.batch, system->batch), yAt(system->y.batch, system->batch);
  return forEachMatrix(system->count, [&](int64_t i) {
    DeviceAddress to = run.at(out, i, n * k);
    return inOrder({[&] { return run.copy(to, run.at(y, yAt(i), n * k), n * k); },
                    [&] {
                      return run.solver.trsm(run.dtype, !op.upper, op.transpose, op.unitriangular, false,
                                             {run.at(x, xAt(i), n * n), n, n}, {to, k, n}, run.stream());
                    }});
  });
}

/// The kernel of one op: how it computes, and the dims of its results.
class DeviceSolver final : public runtime::DeviceLibraryKernel {
public:
  using Compute = std::function<Result<void>(Run &run)>;
  using Infer = std::function<Result<std::vector<Dims>>(std::span<const View> inputs)>;

  DeviceSolver(Compute compute, Infer infer, bool readsCodes)
      : compute(std::move(compute)), infer(std::move(infer)), readsCodes(readsCodes) {}

  Result<std::vector<Dims>> outputDims(std::span<const View> inputs, runtime::Communicator *) const override {
    for (const View &input : inputs)
      if (input.rank() < 1 || (&input == inputs.data() && input.rank() < 2))
        return failure("expected matrices, found a tensor of rank {}", input.rank());
    return infer(inputs);
  }
  Result<void> run(const runtime::DeviceCall &call) const override {
    if (std::ranges::any_of(call.inputs, [](const View &view) { return view.size() == 0; }))
      return failure("the device does not support matrices without elements");
    Result<std::shared_ptr<Solver>> solver = static_cast<CudaQueue &>(call.queue).libraries().solver.get();
    if (!solver)
      return solver.diagnostics();
    Run run(call, **solver);
    return compute(run);
  }
  /// Codes of the library are copied to the host.
  bool isRecordable() const override { return !readsCodes; }

private:
  Compute compute;
  Infer infer;
  bool readsCodes;
};

using Kernel = std::shared_ptr<runtime::DeviceLibraryKernel>;

Kernel make(DeviceSolver::Compute compute, DeviceSolver::Infer infer, bool readsCodes = true) {
  return std::make_shared<DeviceSolver>(std::move(compute), std::move(infer), readsCodes);
}

/// Calls `body(attributes)` with the struct of the step's attributes.
template <class Attributes, class Body> Result<Kernel> with(const runtime::Step &step, Body body) {
  auto attributes = runtime::readStored<Attributes>(step.attributes);
  return attributes ? Result<Kernel>(body(*attributes)) : Result<Kernel>(attributes.diagnostics());
}

Result<std::vector<Dims>> asFirst(std::span<const View> inputs) {
  return std::vector<Dims>{{inputs[0].dims.begin(), inputs[0].dims.end()}};
}

Result<Kernel> createFactor(const runtime::Step &step) {
  if (step.symbol == "cholesky")
    return with<runtime::CholeskyAttributes>(step, [](const auto &op) {
      return make([upper = op.upper](Run &run) { return cholesky(run, upper); }, asFirst);
    });
  if (step.symbol == "lu")
    return with<runtime::LuAttributes>(step, [](const auto &) {
      return make(
          lu,
          [](std::span<const View> inputs) -> Result<std::vector<Dims>> {
            MatrixStack stack(inputs[0].dims);
            return std::vector<Dims>{stack.dimsWith({stack.rows, stack.columns}),
                                     stack.dimsWith({std::min(stack.rows, stack.columns)}),
                                     stack.batch.empty() ? Dims{1} : stack.batch};
          },
          false);
    });
  if (step.symbol == "qr")
    return with<runtime::QrAttributes>(step, [](const auto &op) {
      return make([mode = op.mode](Run &run) { return qr(run, mode); },
                  [mode = op.mode](std::span<const View> inputs) -> Result<std::vector<Dims>> {
                    MatrixStack stack(inputs[0].dims);
                    int64_t width =
                        mode == runtime::QrMode::Complete ? stack.rows : std::min(stack.rows, stack.columns);
                    return std::vector<Dims>{mode == runtime::QrMode::R ? Dims{0}
                                                                        : stack.dimsWith({stack.rows, width}),
                                             stack.dimsWith({width, stack.columns})};
                  });
    });
  if (step.symbol == "svd")
    return with<runtime::SvdAttributes>(step, [](const auto &op) {
      return make([full = op.fullMatrices](Run &run) { return svd(run, full); },
                  [full = op.fullMatrices](std::span<const View> inputs) -> Result<std::vector<Dims>> {
                    MatrixStack stack(inputs[0].dims);
                    int64_t m = stack.rows, n = stack.columns, least = std::min(m, n);
                    return std::vector<Dims>{stack.dimsWith({m, full ? m : least}), stack.dimsWith({least}),
                                             stack.dimsWith({full ? n : least, n})};
                  });
    });
  return with<runtime::EighAttributes>(step, [](const auto &op) {
    bool upper = op.UPLO == runtime::Triangle::Upper;
    return make([upper](Run &run) { return eigh(run, upper); },
                [](std::span<const View> inputs) -> Result<std::vector<Dims>> {
                  MatrixStack stack(inputs[0].dims);
                  return std::vector<Dims>{stack.dimsWith({stack.rows}),
                                           stack.dimsWith({stack.rows, stack.rows})};
                });
  });
}

/// The dims of the solution of a system.
Result<std::vector<Dims>> solutionDims(std::span<const int64_t> x, std::span<const int64_t> y,
                                       bool mayHoldVectors) {
  bool vectors = mayHoldVectors && holdsVectors(x, y);
  Result<LinearSystem> system = LinearSystem::of(x, vectors ? matrixDims(x, y) : Dims(y.begin(), y.end()));
  if (!system)
    return system.diagnostics();
  Dims dims = system->outDims();
  if (vectors)
    dims.pop_back();
  return std::vector<Dims>{dims};
}

Result<Kernel> createSolve(const runtime::Step &step) {
  if (step.symbol == "solve")
    return make(
        [](Run &run) { return solve(run, &run.call.inputs[1]); },
        [](std::span<const View> inputs) { return solutionDims(inputs[0].dims, inputs[1].dims, true); });
  if (step.symbol == "inverse")
    return make([](Run &run) { return solve(run, nullptr); }, asFirst);
  if (step.symbol == "cholesky_solve")
    return with<runtime::CholeskySolveAttributes>(step, [](const auto &op) {
      return make(
          [upper = op.upper](Run &run) { return choleskySolve(run, upper); },
          [](std::span<const View> inputs) { return solutionDims(inputs[1].dims, inputs[0].dims, false); });
    });
  return with<runtime::TriangularSolveAttributes>(step, [](const auto &op) {
    return make(
        [op](Run &run) { return triangularSolve(run, op); },
        [](std::span<const View> inputs) { return solutionDims(inputs[0].dims, inputs[1].dims, false); },
        false);
  });
}

} // namespace

Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
createDeviceSolver(const runtime::Step &step, const runtime::KernelRequest &request) {
  DType dtype = request.inputs[0].dtype;
  if (dtype != DType::Float32 && dtype != DType::Float64 && dtype != DType::Complex64 &&
      dtype != DType::Complex128)
    return failure("cuSOLVER has no matrices of {}", nameOf(dtype));
  for (const runtime::OperandType &type : request.inputs)
    if (std::ranges::find(type.dims, 0) != type.dims.end())
      return failure("cuSOLVER has no matrices without elements");
  // The library writes int32.
  for (size_t i = 1; step.symbol == "lu" && i < request.outputs.size(); ++i)
    if (request.outputs[i].present && request.outputs[i].dtype != DType::Int32)
      return failure("cuSOLVER has no pivots of {}", nameOf(request.outputs[i].dtype));
  for (std::string_view name : {"cholesky", "lu", "qr", "svd", "eigh"})
    if (step.symbol == name)
      return createFactor(step);
  for (std::string_view name : {"solve", "inverse", "cholesky_solve", "triangular_solve"})
    if (step.symbol == name)
      return createSolve(step);
  return failure("'{}' is not an operation of cuSOLVER", step.symbol);
}

} // namespace proa::cuda
