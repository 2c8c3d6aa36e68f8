/// The embedded library: opens a program with its weights. A session (proa/Session.h) runs it.
///
/// \code
///   auto model = proa::Model::open("resnet50");
///   if (!model) { std::cerr << model.diagnostics().text(); return 1; }
///   auto session = model->session();
///   auto outputs = session->run({{"image", image}});  // compiles for these shapes on the first call
/// \endcode
#pragma once

#include "proa/Amp.h"
#include "proa/Diagnostic.h"
#include "proa/Mesh.h"
#include "proa/Offload.h"
#include "proa/Result.h"
#include "proa/Session.h"
#include "proa/Tensor.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proa {

/// Name, dtype and dims of a feed, fetch or parameter; a dim of -1 is dynamic.
struct TensorInfo {
  std::string name;
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;
  /// For a feed: the number of LoD levels that the program declares.
  int lodLevel = 0;
  /// For a feed whose dims have names ("N"): one for each dim, empty where it has none. Dims of one name have
  /// one size in a run. Empty: no dim has a name.
  std::vector<std::string> dimNames = {};
  /// A feed that is a sequence of tensors of any dims, or an optional tensor, which is a sequence of no
  /// element or one. Its elements are fed as the tensors "NAME[0]", "NAME[1]", ...; without them it is empty.
  /// `dims` is empty.
  bool isSequence = false;
};

/// When a program with dynamic dims is compiled for the dims of its feeds.
enum class Specialization {
  /// Runs use one program for all dims, which the first run compiles. Dims that come back get a program of
  /// their own, compiled in a thread of low priority; until it is ready, runs use the first one. Sums of
  /// floats may then differ by rounding between runs. Training programs, meshes and GPUs: as Always.
  Background,
  /// Each run uses a program compiled for its dims; new dims are compiled by the run that brings them.
  Always,
  /// Runs use the program for all dims only.
  Never,
};

/// When LLVM optimizes the machine code of kernels.
enum class CodeOptimization {
  /// Kernels with little work are compiled without optimization, which takes a third of the time, and
  /// optimized in a thread of low priority; runs use the new code as soon as it is ready, and their results
  /// may differ by rounding. Training programs, meshes and GPUs: as Always.
  Background,
  /// Before the first run.
  Always,
  /// Not at all, which suits one run on small tensors.
  Never,
};

/// Options of Model::open.
struct ModelOptions {
  /// Number of threads of a run, at most 1024; 0: one for each core that the process may use (its affinity
  /// and the CPU quota of its control group).
  int threads = 0;
  /// Runs tasks of kernels instead of the threads of the process; `threads` is the number of tasks. Kernels
  /// of oneDNN then use one thread. Null: none. Not on a mesh.
  std::shared_ptr<ThreadPool> threadPool;
  /// Seed of random ops that have no seed attribute. Equal seeds give equal results, with any number of
  /// threads.
  uint64_t seed = 0;
  /// Weights file (.pdiparams or .safetensors); empty: the one in the folder of the program.
  std::string parameters;
  /// Folder of the cache of compiled programs. Empty: $PROA_CACHE_DIR, else ~/.cache/proa. "off": no cache.
  /// Error: a given folder that cannot be created.
  std::string cacheDirectory;
  /// Fed and fetched variables; empty: the program's own. Others select a part of the program: any variable
  /// may be fetched, and a fed variable is not computed. Ops that no fetch needs are left out, also ops
  /// that update persistable variables, and so are feeds that no fetch needs and that are not listed here.
  /// For an IR file: a subset of its feeds and results. Of a new-IR program `%12` is the value with that id.
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  /// Also fetches all other tensors that ops outside of control flow compute, by the names of their
  /// variables, in program order. Ops whose results are fetched are not fused with their users.
  bool fetchesAll = false;
  /// Dims of feeds of a Paddle program that replace declared ones, such as another batch: the program is
  /// imported for them. Dims that agree with the declared ones have no effect. Error: an op that does not
  /// allow them.
  std::map<std::string, std::vector<int64_t>> feedDims;
  /// For an IR file: the function to run. Empty: `main`, else the only public function.
  std::string function;
  /// For tests: decomposes every composite op, also those with a kernel.
  bool decompose = false;
  /// For tests, in training programs: maps parameters to the variables of their gradients. proa then derives
  /// these gradients from the forward region instead of running the program's gradient ops. Empty: none.
  std::map<std::string, std::string> derivedGradients;
  /// Rematerializes values until peak memory is at most this many bytes (best effort). -1: rematerializes
  /// only values that are nearly free. Empty: none. For training programs.
  std::optional<int64_t> memoryBudget;
  /// Number of micro-batches for which a training program computes its gradients, one after the
  /// other; the update uses their mean.
  int64_t microBatches = 1;
  /// Stops a run with an error at the first op that makes a NaN from inputs without NaN, or an Inf from
  /// finite inputs. The error names the op, the user's line, the output and the first index. Runs are slower.
  bool checkFinite = false;
  /// Mixed precision; empty: none. Dynamic loss scaling adds its state to the parameters.
  std::optional<AmpOptions> amp;
  /// The mesh to run on; empty: one device, with a warning if an IR file has meshes of several devices.
  std::optional<MeshOptions> mesh;
  /// Whether an IR file that has meshes runs on them as with MeshOptions(), each rank a process that mpirun
  /// started, if `mesh` is empty.
  bool usesMeshOfProgram = false;
  /// Keeps states outside of memory between their uses; empty: all are in memory. For training programs.
  std::optional<OffloadOptions> offload;
  /// Called during long work, with the current activity and the fraction done in [0, 1]. This and
  /// `onDiagnostic` are called by one thread at a time.
  std::function<void(const std::string &what, double fraction)> progress;
  /// Called with each warning about the program, and with remarks (Diagnostic::severity, Diagnostic::code
  /// tell the kind): from open(), and from prepare() and run() of sessions. Each warning is reported once,
  /// even if the program is imported again for other feeds. On a mesh of processes rank 0 calls this and
  /// `progress`.
  std::function<void(const Diagnostic &diagnostic)> onDiagnostic;
  /// Passes whose remarks are reported to onDiagnostic when a program is compiled: what they did with an op,
  /// or why they left it unchanged. A regular expression that matches the whole name of a pass, such as
  /// "pd-fuse-.*"; empty: none. Cached programs are then not used. Error: no pass matches.
  std::string remarks;
  /// Passes that run when a program is compiled: a textual pipeline of MLIR for a module, such as
  /// "builtin.module(func.func(cse),my-pass)". They see the program as imported, with the types that follow
  /// from the feeds, before mixed precision, gradients and fusion. Empty: none. Error: a malformed pipeline,
  /// or a pass that is not registered (proa-run and proa-compile load plugins).
  std::string passes;
  /// Files of patterns in PDLL (*.pdll), or in MLIR's dialect pdl (*.mlir), that are applied after `passes`;
  /// docs/writing-a-pass.md tells how to write one. Remarks of "pd-apply-patterns" say what each pattern did.
  /// Error: a file that cannot be read or compiled.
  std::vector<std::string> patterns;
  /// The CPU that kernels are compiled for, by its LLVM name ("x86-64-v3", "znver4"); empty: this machine's
  /// CPU. Error: a CPU with instructions that this machine lacks.
  std::string cpu;
  CodeOptimization codeOptimization = CodeOptimization::Background; ///< of the machine code of kernels
  /// The device that kernels are compiled for: "cpu", "cuda" (the first CUDA device, or among the processes
  /// of mpirun one for each), "cuda:N" (device number N; several models may use several devices), or
  /// "cuda-emulated", which compiles kernels for a GPU and runs them on the CPU, one fiber for each thread. A
  /// list ("cuda,cpu") chooses the first that this machine can run. Empty: "cpu". Error: an unknown name, or
  /// no target of the list can run here.
  std::string target;
  /// JSON file of facts about the machine that programs are compiled for, which replace the known ones
  /// (docs/target.md); empty: none. Error: an unknown fact, or a value that a fact cannot have.
  std::string targetFacts;
  /// On a GPU, matmuls and convolutions of float32 may round their operands to TF32 (10 bits of mantissa, the
  /// exponents of float32), which tensor cores multiply several times as fast. Sums are float32. Without
  /// effect on a CPU and on other types.
  bool allowsTf32 = false;
  /// On a GPU, sums of scattered elements (pd.scatter_nd with add, gradients of gathers) may be atomic
  /// additions, whose order depends on the run, where slices are small. Without effect on a CPU.
  bool allowsAtomicSums = false;
  /// Folder for the IR of each stage, one file per stage; empty: none is written.
  std::string dumpDirectory;
  /// For programs with dynamic dims. A program whose result ranks depend on its dims, or that needs values of
  /// its feeds, is compiled for them in any case.
  Specialization specialization = Specialization::Background;
  /// The number of sets of feed dims, at least 1, for which programs are kept in memory. Beyond it, the sets
  /// whose last use is the longest ago are dropped.
  size_t keptSpecializations = 16;
};

class Variants;

/// A program and its weights in memory.
struct ModelSource {
  /// The name that a file of the program would have; its suffix tells the form: "model.pdmodel",
  /// "program.json", "net.onnx", "net.mlir". Begins the messages.
  std::string name;
  /// The content of the file, needed during the call only.
  std::span<const std::byte> program;
  /// The content of a `.safetensors` or `.pdiparams` file, or nothing. The model shares the memory.
  std::span<const std::byte> weights;
  /// Weights by name, which the model shares; they override `weights`.
  std::map<std::string, Tensor> tensors;
  /// Keeps the memory of `weights`; null: it must outlive the model and its sessions.
  std::shared_ptr<const void> owner;
};

/// Times of opening, in milliseconds.
struct ModelTimes {
  double read = 0;   ///< reading program and weights
  double import = 0; ///< importing the program into IR
};

/// An opened program: weights, options, and what was compiled for the feeds of its sessions. It is immutable,
/// and any number of threads may use it. Copies are the same model, which lives as long as a copy or a
/// session of it.
class Model {
public:
  /// Opens a program: a folder with program.json or *.pdmodel and its weights, a program file, or an IR file
  /// (*.mlir, *.mlirbc). Error: all errors of the program in one list (unknown ops and attributes, missing
  /// inputs and weights, wrong shapes).
  ///
  /// Arguments of the function of an IR file are feeds (`pd.feed = "name"`) or parameters (`pd.param =
  /// "name"`); results are fetches (`pd.fetch`) or new values of state (`pd.state`). Without such an
  /// attribute they are the feeds "argument0", ... and the fetches "result0", ..., by position.
  static Result<Model> open(const std::string &path, ModelOptions options = {});

  /// Opens a program in memory. Error: as above; options that name a file of weights.
  static Result<Model> open(const ModelSource &source, ModelOptions options = {});

  /// A session, which runs the program. Error: on a mesh of processes, or with a store of the caller
  /// (OffloadOptions::store), the model has a session already.
  Result<Session> session(SessionOptions options = {}) const;

  /// Feeds, fetches and parameters (with state variables) in the order of the program.
  const std::vector<TensorInfo> &feeds() const;
  const std::vector<std::string> &fetches() const;
  const std::vector<TensorInfo> &parameters() const;
  /// Dtypes and dims of the fetches, in their order. A program that can be imported only for dims or elements
  /// of feeds has entries for the fetches whose types it declares.
  const std::vector<TensorInfo> &fetchInfos() const;
  /// The value that a parameter or state variable has in a new session. Error: no variable of this name, or
  /// it has no value.
  Result<Tensor> parameter(const std::string &name) const;

  /// Whether a run changes state variables, as a training step does.
  bool isTraining() const;

  /// The rank of this process, and the number of ranks. Without a mesh of processes they are 0 and 1.
  ///
  /// Each process of a mesh opens the model and calls the same functions with equal arguments. Feeds and
  /// fetches are whole on each of them. If one process gets an error, all do.
  int64_t rank() const;
  int64_t rankCount() const;
  const ModelTimes &times() const;

private:
  friend class Session;
  friend class Variants;
  struct Implementation;
  explicit Model(std::shared_ptr<Implementation> implementation);
  std::shared_ptr<Implementation> implementation;
};

/// Version of the library, "0.1.0".
std::string version();

} // namespace proa
