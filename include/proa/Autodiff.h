/// Derivatives of programs as programs.
///
/// \code
///   auto f = proa::Function::parse(text);  // or Function::open("model"), a legacy program
///   auto g = proa::grad(*f);               // its gradient
///   auto along = proa::jvp(*g);            // that along a vector: Hessian times vector
///   auto each = proa::vmap(*g, {0, -1});   // gradients of the examples of a batch, one by one
///   auto outputs = each->run({images, weights}); // compiles for these shapes on the first call
/// \endcode
///
/// What they return is a Function like any other: they may be applied in any order. All of them fail, with
/// the location of the op and the ops between it and the result, where an op has no derivative.
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
  /// MLIR text with functions of pd ops; `name` may be left out where there is only one.
  static Result<Function> parse(const std::string &text, const std::string &name = "");
  /// A legacy program, found as Model::open finds it. The arguments are its feeds and then its parameters,
  /// whose values Model::parameter gives; the results are its fetches. State that it changes is not among
  /// them.
  static Result<Function> open(const std::string &path);
  Function(const Function &);
  Function(Function &&) noexcept;
  Function &operator=(Function &&) noexcept;
  ~Function();

  /// Names, dtypes and dims; -1 for a dim that is known only at run time.
  const std::vector<TensorInfo> &arguments() const;
  const std::vector<TensorInfo> &results() const;
  /// As MLIR.
  std::string text() const;
  /// The same function with its arguments' dims fixed. Derivatives made before are right for any dims, but
  /// larger.
  Result<Function> withDims(const std::vector<std::vector<int64_t>> &dims) const;
  /// The same function with these of its results only: what the others need is not computed.
  Result<Function> withResults(const std::vector<int64_t> &numbers) const;
  /// Computes the results for one tensor for each argument.
  Result<std::vector<Tensor>> run(const std::vector<Tensor> &arguments);
  /// Bytes of the place that the values of such a run share (Model::arenaBytes).
  Result<int64_t> arenaBytes(const std::vector<Tensor> &arguments);

  struct Implementation;

private:
  explicit Function(std::unique_ptr<Implementation> implementation);
  friend struct FunctionTransforms;
  std::unique_ptr<Implementation> implementation;
};

struct GradOptions {
  /// Numbers of the arguments to differentiate by; empty: all of floats and complex numbers.
  std::vector<int64_t> arguments;
  /// The result, which must have one element.
  int64_t result = 0;
  /// Returns the result before the gradients.
  bool withValue = false;
  /// Of each scf.for no more than so many states are kept at a time, others are computed again (binomial
  /// checkpointing); 0: all.
  int64_t loopSnapshots = 0;
  /// Above 1: the result is a mean over the first dimension of the arguments numbered in `batches` (empty: of
  /// all that are fed), and is computed with its gradients for so many equal parts of them, one after the
  /// other: in less memory.
  int64_t microBatches = 1;
  std::vector<int64_t> batches;
};

/// (arguments) -> gradients.
Result<Function> grad(const Function &function, const GradOptions &options = {});
/// (arguments, a cotangent for each float or complex result) -> (results, gradients).
Result<Function> vjp(const Function &function, const std::vector<int64_t> &arguments = {},
                     int64_t loopSnapshots = 0);
/// (arguments, a tangent for each differentiated argument) -> (results, a tangent for each float or complex
/// result).
Result<Function> jvp(const Function &function, const std::vector<int64_t> &arguments = {});
/// The function for a batch of `size` examples (-1: any number). `mapped` says for each argument at which
/// place it gets a dimension for the examples, or -1 where it is the same for all; empty: all at place 0. All
/// results get it at place 0.
Result<Function> vmap(const Function &function, const std::vector<int64_t> &mapped = {}, int64_t size = -1);
/// (arguments) -> the second derivatives of a result of one element by an argument, with its dimensions
/// twice.
Result<Function> hessian(const Function &function, int64_t argument = 0, int64_t result = 0);

/// The same function, of which a gradient keeps only some values and computes the others once more: those
/// from which on the names in `places` are values' (of a legacy program: variables'), as Paddle's
/// RecomputeOptimizer takes them. What follows the last of them is kept. Empty: nothing but the arguments is
/// kept.
Result<Function> checkpoint(const Function &function, const std::vector<std::string> &places = {});
/// A function that holds a gradient, with values computed once more instead of kept, until no more than
/// `memoryBudget` bytes are alive at once, as far as that goes; -1: what costs next to no time.
Result<Function> rematerialize(const Function &function, int64_t memoryBudget = -1);
/// The function computed in 16 bits where that is safe. Loss scaling is for training programs
/// (ModelOptions::amp).
Result<Function> mixPrecision(const Function &function, const AmpOptions &options = {});

} // namespace proa
