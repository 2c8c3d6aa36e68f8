/// Runs of a model: Model::session.
#pragma once

#include "proa/Memory.h"
#include "proa/Profile.h"
#include "proa/Result.h"
#include "proa/Tensor.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace proa {

class Model;

/// A tensor and its name in the program.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Options of Model::session.
struct SessionOptions {
  /// Seed of random ops that have no seed attribute; empty: ModelOptions::seed. Sessions with equal seeds
  /// give equal results.
  std::optional<uint64_t> seed;
  /// Provides arena, values with dynamic dims and results; null: the allocator of the process. Not on a mesh.
  std::shared_ptr<Allocator> allocator;
};

/// Options of one run.
struct RunOptions {
  /// Ends the run between two steps, also in loops, with an error of code "stopped". Another thread may
  /// request it. States keep their values.
  std::stop_token stop;
  /// Ends the run in the same way when it returns true. The thread of the run calls it between two steps, 20
  /// ms or more after the last call; on a mesh, the threads of all ranks. For callers that must ask for
  /// events themselves, as Python does.
  std::function<bool()> poll;
  /// Ends the run in the same way, with code "time-limit", when it takes longer. Compilation does not count.
  std::optional<std::chrono::nanoseconds> timeLimit;
  /// Memory for fetches, by name; others get memory of their own. The run writes there without a copy if the
  /// memory is dense and its elements are aligned. Error: an unknown fetch, a sequence, memory of another
  /// dtype or other dims than the result; memory that is too small for static dims is found before the run.
  std::map<std::string, StridedView> outputs;
};

/// Options of Session::saveCheckpoint.
struct CheckpointOptions {
  /// The number of completed steps, which loadCheckpoint() returns.
  int64_t step = 0;
  /// The files are written while the caller continues: Session::finishCheckpoint.
  bool inBackground = false;
};

/// Times of the last prepare() and of the last run, in milliseconds.
struct SessionTimes {
  double compile = 0;     ///< compiling IR to object code; 0 if nothing was compiled
  double load = 0;        ///< loading object code and packing weights; 0 if nothing was loaded
  double lastRun = 0;     ///< the last run alone
  bool fromCache = false; ///< the last program that was loaded came from the cache on disk
};

/// The memory of one user of a model: state variables, arena, random numbers, profile. Program, weights and
/// code belong to the model, which the session keeps alive.
///
/// One thread at a time may use a session; sessions of one model may run in several threads at once. A call
/// while another thread is in a call of the same session is an error and changes nothing.
///
/// States begin with the values of the model's weights and stay in the session. Parameters set by
/// setParameter() hold for this session only.
class Session {
public:
  Session(Session &&) noexcept;
  Session &operator=(Session &&) noexcept;
  ~Session();

  /// The model that this is a session of.
  const Model &model() const;

  /// Sets a parameter or a state variable before the next run, for example the learning rate. A session with
  /// parameters of its own has its own packed weights. Error: no variable of this name, or a value of another
  /// dtype or other dims.
  Result<void> setParameter(const std::string &name, Tensor value);
  /// The current value of a parameter or state variable, on a mesh the whole of it. Error: no variable of
  /// this name, or it has no value.
  Result<Tensor> parameter(const std::string &name) const;
  /// Writes the current values of all parameters and state variables: to a `.safetensors` file by name, or to
  /// a `.pdiparams` file as Paddle does (persistable variables in alphabetical order). A file is written
  /// completely or not at all; on a mesh of processes rank 0 writes it. Error: another suffix; a file that
  /// cannot be written; for `.pdiparams`, variables without a value.
  Result<void> saveParameters(const std::string &path) const;

  /// Writes all parameters, state variables and the state of random numbers as a checkpoint into a folder
  /// (docs/checkpoints.md). It replaces the previous checkpoint there when it is complete; a process that is
  /// killed leaves the previous one whole. On a mesh each rank writes what it holds, and all processes must
  /// call it; the folder is shared. Error: the folder or a file cannot be written.
  Result<void> saveCheckpoint(const std::string &folder, const CheckpointOptions &options = {});
  /// Waits for the files of a checkpoint that are written in the background. The checkpoint is complete then;
  /// without processes of a mesh it may be so before. The next call of saveCheckpoint() or loadCheckpoint()
  /// does so too. Error: as saveCheckpoint().
  Result<void> finishCheckpoint();
  /// Sets all values from a checkpoint, which another mesh, strategy or number of processes may have
  /// written. On a mesh, after prepare(), each rank reads only its shards of states. Returns the number of
  /// completed steps. Error: no checkpoint; a file that is missing or was changed; variables without a value
  /// and tensors without a variable; other types. The values are undefined then.
  Result<int64_t> loadCheckpoint(const std::string &folder);

  /// Copies all values and the state of random numbers of another session of a program with the same
  /// variables, as a checkpoint does, but without files. The sessions may have other meshes and strategies: a
  /// rank receives only the elements of states that it lacks. With processes of a mesh, all call it. Error:
  /// as loadCheckpoint().
  Result<void> copyValues(Session &other);

  /// Compiles for the dims of these feeds, if no session of the model did so yet, and allocates the arena;
  /// run() does so too. Error: missing or unknown feeds, feeds of other dtypes or dims than declared, or a
  /// program that cannot be compiled for them.
  Result<void> prepare(const std::map<std::string, Tensor> &feeds);
  /// Waits until nothing is compiled in the background for the session: specializations, and the optimization
  /// of code. Call it before runs are measured.
  void finishCompilation();
  /// Runs the program once and updates its state. Returns the fetches in the order of Model::fetches(), in
  /// memory of their own or of RunOptions::outputs. Feeds and fetches of variables with a LoD carry it. A
  /// fetch that is a sequence of tensors gives the number of its elements (one int64) under its name, and
  /// then the elements: "y", "y[0]", "y[1]", ... Error: as prepare(), or an op that fails.
  Result<std::vector<NamedTensor>> run(const std::map<std::string, Tensor> &feeds,
                                       const RunOptions &options = {});
  /// Runs the program once and returns the time of the run alone, in milliseconds. State and random numbers
  /// do not change, and the op `print` prints nothing.
  Result<double> measure(const std::map<std::string, Tensor> &feeds);

  const SessionTimes &times() const;
  /// Number of threads of a run; on a mesh, of each rank.
  int threads() const;
  /// Arena size of the last run, in bytes; on a mesh, the largest of the ranks of this process. The arena
  /// does not hold feeds, parameters, values with dynamic dims, and values carried by loops.
  int64_t arenaBytes() const;

  /// Turns on or off the collection of step times in the following runs.
  void enableProfile(bool on);
  /// The profile of the last profiled run as two tables: a row for each step in program order, and a row for
  /// all steps of one kernel and ops, the slowest first.
  std::string profileTable() const;
  /// The profile as JSON for Chrome and Perfetto: phases of reading and compilation, steps, and the ranges of
  /// parallel steps on each thread.
  std::string profileTrace() const;
  /// The profile as a list, in program order.
  std::vector<StepTime> profileSteps() const;

private:
  friend class Model;
  struct Implementation;
  explicit Session(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

} // namespace proa
