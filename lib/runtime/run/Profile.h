/// Times of the steps of runs.
#pragma once

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/plan/Plan.h"
#include "lib/runtime/run/Device.h"
#include "proa/Profile.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace proa::runtime {

/// The types of operands and results of a step, "float32[2, 3] -> float32[2]". `dimsOf` gives the dims of a
/// value.
std::string typesOf(const Plan &plan, const Step &step,
                    const std::function<std::span<const int64_t>(ValueId)> &dimsOf);

/// The times of one session's steps. Session::setProfile starts and ends the collection.
class Profile {
public:
  /// Copies names and places of the steps, so it may outlive the plan. `peaks` are the peaks of the plan's
  /// device.
  explicit Profile(const Plan &plan, const DevicePeaks &peaks = {});

  /// Nanoseconds of a clock that never jumps.
  static int64_t now();
  /// The time of a step on the host. `bytes`: of its operands and results.
  void add(size_t step, int64_t begin, int64_t end, double bytes) {
    spans.push_back({step, begin, end, bytes, /*isOnDevice=*/false});
  }
  /// The time of a step on a device, which began `begin` nanoseconds after the first one of the run there.
  /// `bytes`: of its operands and results.
  void addOnDevice(size_t step, int64_t begin, int64_t length, double bytes);
  void beginRun();
  /// Whether the types of a step follow from a run; then setTypes() sets them.
  bool hasDynamicTypes(size_t step) const { return names[step].hasDynamicTypes; }
  void setTypes(size_t step, std::string types) { names[step].types = std::move(types); }
  /// A library step runs on the host, because the library of the device refused it.
  void noteRefusal(size_t step) { names[step].kernel = "(host)"; }
  /// Collects the ranges of parallel steps on each thread.
  ThreadTimes &threadTimes() { return ranges; }

  /// Nanoseconds of a step, summed over the runs. Steps are numbered as forEachStep visits them; control-flow
  /// steps have no time of their own.
  int64_t total(size_t step) const;

  /// Two tables. The first has a row for each step, in program order: microseconds of a run, share, bytes/s,
  /// FLOP/s, share of the roofline, kernel, ops, variable, location, types. The second has a row for all
  /// steps of one kernel and label, the most expensive first.
  std::string table() const;
  /// Calls and milliseconds of each step of a run, in the order of the program, without steps that did not
  /// run.
  std::vector<StepTime> steps() const;
  /// The Trace Event format that Chrome and Perfetto read: one complete event a step, one for each range of a
  /// parallel step on a track for its thread, and `phases` (names and milliseconds) before them. This profile
  /// is a process of the trace; so are the profiles of `otherRanks`, on the same clock.
  std::string chromeTrace(std::span<const std::pair<std::string, double>> phases = {},
                          std::span<const std::unique_ptr<Profile>> otherRanks = {}) const;

private:
  struct Name {
    std::string symbol, label, location, variable, types;
    std::string kernel;   ///< of the table: a library kernel, "(compiled)", "(device)", a copy
    const char *category; ///< of the trace
    double flops;
    bool isHalf; ///< its operands are 16-bit floats, which tensor cores multiply
    bool hasDynamicTypes;
    const std::string &title() const { return label.empty() ? symbol : label; }
  };
  struct Span {
    size_t step;
    int64_t begin, end;
    double bytes;
    bool isOnDevice;
  };
  /// Work and time.
  struct Load {
    int64_t calls = 0;
    double nanoseconds = 0, bytes = 0, flops = 0, tensorFlops = 0;
    bool isOnDevice = false;
  };
  void addTo(Load &load, const Span &span) const;
  double rooflineOf(const Load &load) const;
  std::string loadText(const Load &load) const;
  std::string stepTable() const;
  std::string groupTable() const;
  int64_t runCount() const { return runs > 0 ? runs : 1; }
  friend class TraceWriter;
  /// The title of the step that ran at a time, or "range".
  std::string titleAt(const std::map<int64_t, const Span *> &byBegin, int64_t time) const;

  std::vector<Name> names;
  std::vector<Span> spans;
  ThreadTimes ranges;
  DevicePeaks peaks;
  int64_t runs = 0, runStart = 0;
  int threadCount = 1; ///< of the last run
};

} // namespace proa::runtime
