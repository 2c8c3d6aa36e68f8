/// The embedded library: open a program with its weights, run it.
///
///   auto model = proa::Model::open("resnet50");                 // a folder, program.json, model.pdmodel,
///   x.mlir if (!model) { std::cerr << model.problems().text(); return 1; } auto outputs =
///   model->run({{"image", image}});              // compiles for these shapes on the first call
///
/// A Model is not thread-safe; several Models in several threads are fine.
#pragma once

#include "proa/Amp.h"
#include "proa/Diagnostic.h"
#include "proa/Profile.h"
#include "proa/Result.h"
#include "proa/Tensor.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proa {

/// A tensor and its name in the program.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Name, dtype and dims of a feed, fetch or parameter; a dimension of -1 is known only at run time.
struct TensorInfo {
  std::string name;
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;
  /// For a feed, how many LoD levels the program declares.
  int lodLevel = 0;
};

struct ModelOptions {
  /// Threads of a run; 0: as many as there are cores.
  int threads = 0;
  /// Random ops without a seed of their own draw from it: equal seeds give equal runs, on any number of
  /// threads.
  uint64_t seed = 0;
  /// Weights file; empty: found beside the program.
  std::string parameters;
  /// Where compiled programs are kept; empty: $PROA_CACHE_DIR, or ~/.cache/proa. "off": nowhere. It is an
  /// error where a folder that is given here cannot be made.
  std::string cacheDirectory;
  /// Fed and fetched variables; empty: what the program says. Other variables than those that the program
  /// itself feeds and fetches select a part of it: any variable may be fetched; one that is fed is not
  /// computed; ops that no fetch needs are left out, also those that update persistable variables, and so are
  /// feeds that no fetch needs and that are not listed here. Of an IR file: some of its feeds and results.
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  /// Of an IR file: the function to run. Empty: `main`, else the only public function.
  std::string function;
  /// Run every op that has a definition by simpler ops through it, also where there is a kernel: for checks.
  bool decompose = false;
  /// By parameter, the variable of its gradient, in training programs: proa's gradients of the forward part
  /// are taken in place of those of the program's gradient ops: for checks. Empty: nowhere.
  std::map<std::string, std::string> ownGradients;
  /// Values are computed once more instead of kept until the values of a run take no more than so many bytes
  /// at once, as far as that goes; -1: whatever costs next to no time. Meant for training programs. Empty:
  /// nothing is.
  std::optional<int64_t> memoryBudget;
  /// A training program computes its gradients for so many parts of the batch, one after the other, and takes
  /// their mean.
  int64_t microBatches = 1;
  /// A run ends with an error at the first op that makes a NaN from inputs without NaN, or an Inf from finite
  /// inputs. The error names the op, the user's line, the output and the first index. Runs take longer.
  bool checkFinite = false;
  /// Computes what is safe in 16 bits. Dynamic loss scaling adds its state to the parameters.
  std::optional<AmpOptions> amp;
  /// Called from time to time during work that takes long: what is being done, and the part done in [0, 1].
  std::function<void(const std::string &what, double part)> progress;
  /// Called with each warning about the program, from open(), prepare() and run(). Each is delivered once,
  /// although the program may be imported again for other feeds.
  std::function<void(const Diagnostic &diagnostic)> onDiagnostic;
  /// The CPU that kernels are compiled for, as LLVM names it ("x86-64-v3", "znver4"); empty: this machine's.
  /// Model::open refuses one that has instructions which this machine lacks.
  std::string cpu;
  /// Where each stage's IR is written, one file a stage; empty: nowhere.
  std::string dumpDirectory;
};

/// Where the time of opening, compiling and running went, in milliseconds.
struct ModelTimes {
  double read = 0;        ///< program and weights
  double import = 0;      ///< legacy program to IR
  double compile = 0;     ///< IR to object code; 0 where the cache had it
  double load = 0;        ///< object code into memory, weights packed
  double lastRun = 0;     ///< the last run alone
  bool fromCache = false; ///< the last compilation came from the cache
};

class Model {
public:
  /// Opens a folder (program.json, *.pdmodel, with the weights beside it) or a program file. All problems of
  /// the program come in one list: unknown ops and attributes, missing inputs and weights, wrong shapes.
  ///
  /// An IR file (text or bytecode: *.mlir, *.mlirbc) is opened like a program. Arguments of its function are
  /// feeds (`pd.feed = "name"`) or parameters (`pd.param = "name"`), results are fetches (`pd.fetch`) or new
  /// values of state (`pd.state`). Those without such an attribute are the feed "argument0" and the fetch
  /// "result0", by position.
  static Result<Model> open(const std::string &path, ModelOptions options = {});
  Model(Model &&) noexcept;
  Model &operator=(Model &&) noexcept;
  ~Model();

  const std::vector<TensorInfo> &feeds() const;
  const std::vector<std::string> &fetches() const;
  const std::vector<TensorInfo> &parameters() const;

  /// Gives or replaces a parameter or a state variable: the learning rate of the next step, say. It takes
  /// effect before the next run. Error: the program has none of this name, or it has another dtype or other
  /// dims.
  Result<void> setParameter(const std::string &name, Tensor value);
  /// A parameter or state variable as it is now; state as the last run left it.
  Result<Tensor> parameter(const std::string &name) const;
  /// Writes all parameters and state variables as they are now: to a `.safetensors` file by name, to a
  /// `.pdiparams` file as Paddle does, the persistable variables in the order of their names. The file is
  /// complete or not there. Error: another suffix; a file that cannot be written; for `.pdiparams`,
  /// variables without a value.
  Result<void> saveParameters(const std::string &path) const;

  /// Compiles for the dims of these feeds, if that has not been done. run() does it by itself.
  Result<void> prepare(const std::map<std::string, Tensor> &feeds);
  /// Runs the program once. The results, in the order of fetches(), are the caller's own. A feed of sequences
  /// carries its LoD, and so do the results that have one.
  Result<std::vector<NamedTensor>> run(const std::map<std::string, Tensor> &feeds);

  /// Runs the program once and returns the milliseconds that the run alone took. State, outputs and random
  /// numbers stay as they were, and the op print shows nothing.
  Result<double> measure(const std::map<std::string, Tensor> &feeds);

  const ModelTimes &times() const;
  /// How many threads a run uses.
  int threads() const;
  /// Bytes of the place that the last run's values shared. Feeds, parameters and values whose dims only the
  /// run knew, or that loops hand on, are not in it.
  int64_t arenaBytes() const;

  /// Collects the time of each step of the following runs.
  void enableProfile(bool on);
  /// A table by step, the longest first; and the Chrome trace of the last profiled run.
  std::string profileTable() const;
  std::string profileTrace() const;
  /// The same by step, in the order of the program.
  std::vector<StepTime> profileSteps() const;

private:
  struct Implementation;
  explicit Model(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

/// "0.1.0".
std::string version();

} // namespace proa
