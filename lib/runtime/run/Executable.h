/// A compiled program, ready to run.
#pragma once

#include "lib/runtime/memory/RunMemory.h"
#include "lib/runtime/memory/WeightStore.h"
#include "lib/runtime/plan/Plan.h"
#include "lib/runtime/run/Frame.h"
#include "lib/runtime/run/Profile.h"
#include "proa/Result.h"
#include "proa/Tensor.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proa::runtime {

/// The address of a symbol of the object file, or null where it has none. Error: why it cannot be linked.
using KernelResolver = std::function<Result<void *>(const std::string &symbol)>;

using NamedTensors = std::map<std::string, Tensor>;

/// A plan whose symbols are resolved, with its library kernels and its parameters. Many sessions may share
/// one; they must not run while parameters are bound.
class Executable {
public:
  /// `name` begins the messages. `code` keeps the object file loaded. `device` runs the steps on a device.
  /// Error: the plan is not valid, a symbol is missing, a library kernel does not exist or refuses its
  /// attributes or operands, a step needs a device; all of them at once.
  static Result<std::shared_ptr<Executable>> create(Plan plan, const std::string &name,
                                                    const KernelResolver &resolve,
                                                    std::shared_ptr<const void> code = nullptr,
                                                    std::shared_ptr<Device> device = nullptr);
  /// The same with a plan that several executables share.
  static Result<std::shared_ptr<Executable>> create(std::shared_ptr<const Plan> plan, const std::string &name,
                                                    const KernelResolver &resolve,
                                                    std::shared_ptr<const void> code = nullptr,
                                                    std::shared_ptr<Device> device = nullptr);

  /// Gives the parameters and runs Plan::prepare. The first session of a plan without parameters calls it.
  /// May be called again with other tensors. Names that the program does not use are ignored. Error: every
  /// parameter that is missing or has another dtype or other dims.
  Result<void> bindParameters(const NamedTensors &parameters);

  /// Makes preparations and runs fail at the first step that makes a NaN or an Inf. `diagnosis` finds the op
  /// in a kernel; it may be empty. Error: a step of Plan::prepare makes one from the bound parameters.
  Result<void> checkFinite(KernelDiagnosis diagnosis = {});

  /// Lets executables of one model share tensors and packed forms of equal weights. Set it before
  /// bindParameters. Only the first binding shares: later ones may have other bytes at the addresses of
  /// earlier ones.
  void sharePacked(std::shared_ptr<WeightStore> shared) { packed = std::move(shared); }

  /// Replaces the code of the kernels of Plan::steps by the code of the same kernels elsewhere, which `code`
  /// keeps loaded. Sessions may run; one thread at a time calls it. Error: a symbol cannot be linked; nothing
  /// is replaced then.
  Result<void> replaceKernels(const KernelResolver &resolve, std::shared_ptr<const void> code);

  /// Makes the calls of all compiled kernels, as the emulated GPU does: all addresses are then multiples of
  /// addressAlignment. Set it before bindParameters and before sessions are created.
  void setKernelInvoker(KernelInvoker invoker) { kernelInvoker = std::move(invoker); }

  /// The communicator of Plan::prepare, when it has collectives. Set it before bindParameters.
  void setCommunicator(std::shared_ptr<Communicator> shared) { communicator = std::move(shared); }

  /// Which steps are recorded as graphs of the device, and why others are not: remarks at the places of the
  /// steps. Empty for a plan without steps on a device.
  Diagnostics describeGraphs() const;
  /// The peaks of the device; zeros for a plan that uses none.
  DevicePeaks devicePeaks() const { return device ? device->peaks() : DevicePeaks(); }

  const Plan &plan() const { return program; }
  /// Plan::cpu; null: the program has the known facts.
  const CpuFacts *cpuFacts() const { return program.cpu ? &*program.cpu : nullptr; }
  const std::string &name() const { return title; }
  /// "float32[-1, 3, 224, 224]" of a value.
  std::string describe(ValueId id) const;
  /// Errors of its steps, with its name before their places.
  Diagnostics inProgram(const Diagnostics &diagnostics) const;

private:
  friend class Session;
  Executable(std::shared_ptr<const Plan> plan, std::string name);

  Result<void> bindSteps(const std::vector<Step> &steps, std::vector<BoundStep> &bound,
                         const std::string &list, const KernelResolver &resolve, size_t &count);
  Result<void> bindControlFlow(BoundStep &bound, const std::string &where, const KernelResolver &resolve,
                               size_t &count);
  /// A compiled kernel may get the bytes of this value.
  void markReadByKernel(ValueId id);
  /// Whether kernels may access memory of the caller at this address.
  bool mayAccess(DType dtype, const void *address) const;
  Result<void> bindKernel(BoundStep &bound, const KernelResolver &resolve);
  Result<void> bindFunction(BoundStep &bound, const KernelResolver &resolve);
  Result<void> bindLibrary(BoundStep &bound);
  OperandType operandType(ValueId id) const;
  bool isConstant(ValueId id) const;
  bool isHostConstant(ValueId id) const;
  const char *whyNotRecorded(const BoundStep &bound) const;
  void formGraphs();
  bool preparesInDeviceArena() const;
  void beginPacking();
  Result<void> allocatePrepared(Frame &frame);
  Result<void> runPrepare();
  Result<void> bindConstants(std::vector<BoundStep> &steps, const Frame &frame, size_t first, size_t count);
  void placeConstants(Frame &frame) const;

  std::shared_ptr<const Plan> sharedPlan;
  const Plan &program;
  std::string title;
  std::shared_ptr<const void> code;
  std::vector<std::shared_ptr<const void>> replacements; ///< of `code`, which stays as well
  std::shared_ptr<Device> device;                        ///< null for a plan that uses none
  Layout layout;
  std::vector<BoundStep> prepare, steps;
  std::vector<GraphRange> graphs; ///< of `steps`, in order
  size_t stateCount = 0;          ///< of `steps` with all that is in them
  size_t checkCount = 0;          ///< index checks of kernels that are bound
  std::vector<bool> readByKernel; ///< by value: a compiled kernel reads it, so its elements must be aligned
  AlignedMemory constants;        ///< Plan::constants at an aligned address
  /// By value: of Parameter and Prepared values. Those on the device have addresses of the device as data.
  std::vector<Tensor> constantTensors;
  std::shared_ptr<WeightStore> packed = std::make_shared<WeightStore>();
  std::map<size_t, std::shared_ptr<void>>
      preparedMemory;    ///< by value: of host values, while they are prepared
  bool isPacked = false; ///< `packed` has forms of earlier parameters
  bool ready = false;
  bool checksFinite = false;
  KernelDiagnosis kernelDiagnosis;
  KernelInvoker kernelInvoker;
  std::shared_ptr<Communicator> communicator;
};

/// The memory of one caller. Run it from one thread at a time; several sessions may run at once.
class Session {
public:
  /// Error: no memory, or parameters are not bound.
  ///
  /// `memory` is for runs on the host; sessions that share it must not run at once. Null: memory of its
  /// own.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<Executable> executable,
                                                 std::shared_ptr<RunMemory> memory = nullptr);

  /// Runs the program once. The results are in the order of Plan::fetches and belong to the caller; once all
  /// copies of a result are gone, a later run writes its own there. Error: every feed that is missing, not
  /// known, or has another dtype or other dims; or the step that failed.
  Result<std::vector<Tensor>> run(const NamedTensors &feeds);
  /// The same with feeds in the order of Plan::feeds.
  Result<std::vector<Tensor>> run(std::span<const Tensor> feeds);

  /// Whether the states of the plan (Plan::states) stay on the device after a run. Such a state needs no feed
  /// in the next run, and its result is an empty tensor; with a feed it gets that value. Runs that are
  /// silent, or fail, leave the states as they were.
  void keepStates(bool on) { keepsStates = on; }
  /// Whether a result of the last run stayed on the device.
  bool stayed(size_t fetch) const { return fetched[fetch].stays; }
  /// The entry of a state that is on the device; null if there is none with this name.
  const Value *residentValue(const std::string &name) const;
  /// The value of a state that is on the device.
  Result<Tensor> residentState(const std::string &name) const;

  /// Collects times until it is called with null.
  void setProfile(Profile *collector) { profile = collector; }

  /// When the following runs end early; null: never. It must outlive them.
  void setLimits(const RunLimits *limits) { frame.setLimits(limits); }
  /// Memory of the caller where the next run may write the result `fetch`, if it has `bytes` bytes there. The
  /// run uses it if it can; the address of the result says so.
  void offerMemory(size_t fetch, void *memory, size_t bytes) {
    fetched[fetch].offered = {static_cast<std::byte *>(memory), bytes};
  }

  /// Runs the program once to measure it: the results are dropped, the op print shows nothing, and the next
  /// run draws the random numbers that it would have drawn.
  Result<void> runSilently(const NamedTensors &feeds);
  Result<void> runSilently(std::span<const Tensor> feeds);

  /// Lets several sessions draw from one sequence of random numbers; they must not run at once.
  void setGenerator(std::shared_ptr<RandomGenerator> generator) { frame.setGenerator(std::move(generator)); }

  /// Makes the session one rank of a distributed run: collectives of the program use it. All ranks run the
  /// same program as often; the first run compares the collectives of the ranks. An error of a run ends the
  /// run of all ranks. Several sessions of a rank may share it; they must not run at once.
  void setCommunicator(std::shared_ptr<Communicator> communicator);

  /// Where the program's offloaded state variables are.
  void setOffload(std::shared_ptr<OffloadQueue> queue) { frame.setOffload(std::move(queue)); }

private:
  Session(std::shared_ptr<const Executable> executable, std::shared_ptr<RunMemory> memory);
  template <class Feeds> Result<std::vector<Tensor>> runWith(const Feeds &feeds);
  template <class Feeds> Result<void> runSilentlyWith(const Feeds &feeds);
  template <class Feeds> Result<std::vector<Tensor>> runSteps(const Feeds &feeds);
  Result<void> compareCollectives();
  Result<void> execute();
  Result<void> bindFeeds(const NamedTensors &feeds);
  Result<void> bindFeeds(std::span<const Tensor> feeds);
  void placeFeed(size_t index, const Tensor &tensor);
  bool isResident(ValueId feed) const;
  const ResidentState *stateNamed(const std::string &name) const;
  void placeStates();
  Result<void> advanceStates();
  void placeFetched();
  std::vector<Tensor> fetch();

  struct Fetched {
    ValueId root = none;   ///< the value whose bytes it has
    bool isPlaced = false; ///< a run writes `root` to `current`
    bool stays = false;    ///< it is a state that stays on the device
    std::shared_ptr<void> current;
    std::span<std::byte> offered;   ///< memory of the caller for the next run
    ResultMemory *memory = nullptr; ///< of Frame::runMemory
  };
  /// Memory for a result: what the caller offered, or new memory.
  std::shared_ptr<void> acquire(Fetched &result, const View &view);

  std::shared_ptr<const Executable> executable;
  Frame frame;
  std::vector<std::unique_ptr<KernelState>> states;
  std::vector<RecordedGraph> graphs; ///< for each of Executable::graphs
  std::vector<Tensor> boundFeeds;    ///< keeps the feeds, or their aligned copies, during a run
  std::vector<Fetched> fetched;      ///< in the order of Plan::fetches
  bool keepsStates = false, isSilent = false;
  std::map<ValueId, size_t> stateOf; ///< by feed: into Plan::states
  std::vector<uint8_t> areResident;  ///< by Plan::states: the value is on the device
  std::vector<uint8_t> areFed;       ///< by value: the run has this feed
  Profile *profile = nullptr;
  bool comparesCollectives = false; ///< before the next run
};

} // namespace proa::runtime
