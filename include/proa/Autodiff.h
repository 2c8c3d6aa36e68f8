/// Derivatives and batches of functions, as functions.
///
/// \code
///   auto f = proa::Function::parse(text);  // or Function::open("model"), a legacy program
///   auto g = proa::grad(*f);               // its gradient
///   auto along = proa::jvp(*g);            // Hessian-vector product
///   auto each = proa::vmap(*g, {0, -1});   // per-example gradients
///   auto outputs = each->run({images, weights}); // compiles for these shapes on the first call
/// \endcode
///
/// Each transform returns a new Function, so that transforms compose in any order. Below, x are the arguments
/// that are differentiated by and y the results; J is the Jacobian, J[i, j] = dy_i / dx_j over all elements.
/// Integer and bool arguments and results have no derivative. Each transform fails if an op between x and y
/// has no derivative; the error names the op and the ops between it and the result.
#pragma once

#include "proa/Amp.h"
#include "proa/Model.h"

#include <memory>
#include <string>
#include <vector>

namespace proa {

/// A pure function of tensors.
class Function {
public:
  /// Parses MLIR text with functions of pd ops. `name` selects the function; it may be empty if there is only
  /// one. Error: text that does not parse or verify, or no such function.
  static Result<Function> parse(const std::string &text, const std::string &name = "");
  /// Opens a legacy program, found as by Model::open. The arguments are its feeds, then its parameters, whose
  /// values Model::parameter returns. The results are its fetches; updated state is not a result. Error: the
  /// errors of the program.
  static Result<Function> open(const std::string &path);
  Function(const Function &);
  Function(Function &&) noexcept;
  Function &operator=(Function &&) noexcept;
  ~Function();

  /// Names, dtypes and dims; -1 is a dynamic dim.
  const std::vector<TensorInfo> &arguments() const;
  const std::vector<TensorInfo> &results() const;
  /// The function as MLIR text.
  std::string text() const;
  /// The function specialized to static argument dims, one list for each argument. Error: dims that do not
  /// match the arguments' ranks and static dims. A derivative of a specialized function is smaller than one
  /// with dynamic dims.
  Result<Function> withDims(const std::vector<std::vector<int64_t>> &dims) const;
  /// The function with only the results of these indices. Error: an index out of range.
  Result<Function> withResults(const std::vector<int64_t> &indices) const;
  /// Whether LLVM optimizes the code, as it does by default. Otherwise the function compiles in about half
  /// the time and runs slower, which suits one run on small tensors. Functions derived from this one inherit
  /// the setting.
  void setOptimizesCode(bool optimizes);
  /// Computes the results from one tensor for each argument. Compiles for new dims. Error: tensors that do
  /// not match the arguments, an op that fails at run time.
  Result<std::vector<Tensor>> run(const std::vector<Tensor> &arguments);
  /// Arena size of a run with these arguments, in bytes (see Session::arenaBytes).
  Result<int64_t> arenaBytes(const std::vector<Tensor> &arguments);

  struct Implementation;

private:
  explicit Function(std::unique_ptr<Implementation> implementation);
  friend struct FunctionTransforms;
  std::unique_ptr<Implementation> implementation;
};

/// Options of grad().
struct GradOptions {
  /// Indices of the arguments to differentiate by; empty: all float and complex arguments.
  std::vector<int64_t> arguments;
  /// Index of the result to differentiate, which must have one element.
  int64_t result = 0;
  /// The new function returns the result before the gradients.
  bool withValue = false;
  /// Maximum number of states of each scf.for that are kept at a time; the others are recomputed (binomial
  /// checkpointing). 0: all states are kept.
  int64_t loopSnapshots = 0;
  /// Number of micro-batches that are computed one after the other, to save memory. Above 1 the
  /// result must be a mean over the first dimension of the arguments in `batches`.
  int64_t microBatches = 1;
  /// Indices of the arguments whose first dimension is the batch; empty: all feeds.
  std::vector<int64_t> batches;
};

/// The gradient: (arguments) -> dy / dx_j for each differentiated argument, with its dtype and dims. y has
/// one element. A complex gradient is the direction of steepest ascent, conj(dy / dx_j) for a holomorphic
/// function, as in Paddle. Error: an index out of range or given twice; a result that is not float, or has
/// several elements; an argument that is neither float nor complex; micro-batches that would change the
/// result.
Result<Function> grad(const Function &function, const GradOptions &options = {});
/// Reverse mode: (arguments, a cotangent v for each float or complex result) -> (results, gradients J^H v). A
/// cotangent has the dtype and dims of its result, a gradient the dtype and dims of its argument. `arguments`
/// are the indices to differentiate by; empty: all float and complex arguments. `loopSnapshots` as in
/// GradOptions. Error: an index out of range or given twice; an argument that is neither float nor complex.
Result<Function> vjp(const Function &function, const std::vector<int64_t> &arguments = {},
                     int64_t loopSnapshots = 0);
/// Forward mode: (arguments, a tangent t for each differentiated argument) -> (results, a tangent J t for
/// each float or complex result), with dtypes and dims of the arguments and results. `arguments` and errors
/// as in vjp().
Result<Function> jvp(const Function &function, const std::vector<int64_t> &arguments = {});
/// The function for a batch of `size` examples; -1: a dynamic number. `mapped` has one entry for each
/// argument: the index of its batch dimension, or -1 if the argument is the same for all examples. Empty: it
/// is dimension 0 of all arguments. It is dimension 0 of all results. Error: a `size` of 0 or below -1;
/// another number of entries than arguments; an index above the rank of an argument; no argument with a
/// batch; an op that has no form for a batch (results whose dims depend on data).
Result<Function> vmap(const Function &function, const std::vector<int64_t> &mapped = {}, int64_t size = -1);
/// Second derivatives of the result `result`, which has one element, by the argument `argument`: (arguments)
/// -> one tensor H with the argument's dims twice, H[i, j] = d^2 y / (dx_i dx_j). Error: an index out of
/// range; an argument of dynamic dims.
Result<Function> hessian(const Function &function, int64_t argument = 0, int64_t result = 0);

/// The same function, whose gradient recomputes values instead of keeping them. `names` are the checkpoints,
/// as for Paddle's RecomputeOptimizer: names of values, or of variables of a legacy program. Between
/// checkpoints values are recomputed; values after the last one are kept. Empty: only the arguments are kept.
/// Error: an unknown name.
Result<Function> checkpoint(const Function &function, const std::vector<std::string> &names = {});
/// A function with a forward and a backward region that recomputes values until peak memory is at most
/// `memoryBudget` bytes (best effort). -1: recomputes only values that are nearly free. Error: a budget below
/// -1.
Result<Function> rematerialize(const Function &function, int64_t memoryBudget = -1);
/// The function in mixed precision; arguments and results keep their dtypes. Error: loss scaling, which is
/// for training programs (ModelOptions::amp).
Result<Function> mixPrecision(const Function &function, const AmpOptions &options = {});

} // namespace proa
