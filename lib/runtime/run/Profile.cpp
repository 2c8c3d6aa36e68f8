#include "lib/runtime/run/Profile.h"

#include "lib/base/support/Clock.h"
#include "lib/base/support/CountText.h"
#include "lib/runtime/host/HostPeaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace proa::runtime {

/// Whether all floats among the operands and results have 16 bits.
static bool isHalf(const Plan &plan, const Step &step) {
  bool hasHalf = false, hasWide = false;
  for (const auto *ids : {&step.inputs, &step.outputs})
    for (ValueId id : *ids) {
      DType dtype = id == none ? DType::Int32 : plan.values[static_cast<size_t>(id)].dtype;
      hasHalf |= dtype == DType::Float16 || dtype == DType::BFloat16;
      hasWide |= dtype == DType::Float32 || dtype == DType::Float64;
    }
  return hasHalf && !hasWide;
}

static const Value *valueOf(const Plan &plan, ValueId id) {
  return id == none ? nullptr : &plan.values[static_cast<size_t>(id)];
}

static std::string variableOf(const Plan &plan, const Step &step) {
  for (ValueId id : step.outputs)
    if (const Value *value = valueOf(plan, id); value && !value->name.empty())
      return value->name;
  return "";
}

std::string typesOf(const Plan &plan, const Step &step,
                    const std::function<std::span<const int64_t>(ValueId)> &dimsOf) {
  auto textOf = [&](const std::vector<ValueId> &ids) {
    std::string text;
    for (ValueId id : ids)
      if (const Value *value = valueOf(plan, id)) {
        bool isArray = value->storage == Storage::Array;
        text += (text.empty() ? "" : ", ") + std::string(isArray ? "array of " : "") +
                proa::describe(value->dtype, isArray ? std::span<const int64_t>(value->dims) : dimsOf(id));
      }
    return text;
  };
  return textOf(step.inputs) + " -> " + textOf(step.outputs);
}

static bool areTypesDynamic(const Plan &plan, const Step &step) {
  auto isDynamic = [&](ValueId id) {
    const Value *value = valueOf(plan, id);
    return value && !elementCount(value->dims);
  };
  return std::ranges::any_of(step.inputs, isDynamic) || std::ranges::any_of(step.outputs, isDynamic);
}

Profile::Profile(const Plan &plan, const DevicePeaks &peaks) : peaks(peaks) {
  auto declaredDims = [&](ValueId id) { return std::span<const int64_t>(valueOf(plan, id)->dims); };
  forEachStep(plan.steps, [&](const Step &step) {
    bool isCompiled = step.kind == StepKind::Kernel;
    const char *category = step.isOnDevice()                ? "device"
                           : isCompiled                     ? "compiled"
                           : step.kind == StepKind::Library ? "library"
                           : step.kind == StepKind::Copy    ? "copy"
                           : step.kind == StepKind::Wait    ? "wait"
                                                            : "control flow";
    names.push_back({.symbol = step.symbol,
                     .label = step.label,
                     .location = step.location,
                     .variable = variableOf(plan, step),
                     .types = typesOf(plan, step, declaredDims),
                     .kernel = step.isOnDevice() && !isCompiled ? "(" + step.launch.library + ")"
                               : step.isOnDevice()              ? "(device)"
                               : isCompiled                     ? "(compiled)"
                                                                : step.symbol,
                     .category = category,
                     .flops = step.flops,
                     .isHalf = isHalf(plan, step),
                     .hasDynamicTypes = areTypesDynamic(plan, step)});
  });
}

int64_t Profile::now() { return steadyNanoseconds(); }

int64_t Profile::total(size_t step) const {
  int64_t sum = 0;
  for (const Span &span : spans)
    sum += span.step == step ? span.end - span.begin : 0;
  return sum;
}

void Profile::beginRun() {
  ++runs;
  runStart = now();
  threadCount = threads();
}

void Profile::addOnDevice(size_t step, int64_t begin, int64_t length, double bytes) {
  spans.push_back({step, runStart + begin, runStart + begin + length, bytes, /*isOnDevice=*/true});
}

void Profile::addTo(Load &load, const Span &span) const {
  const Name &name = names[span.step];
  ++load.calls;
  load.nanoseconds += static_cast<double>(span.end - span.begin);
  load.bytes += span.bytes;
  load.isOnDevice |= span.isOnDevice;
  (name.isHalf ? load.tensorFlops : load.flops) += name.flops;
}

/// The time that the device or the CPU needs at least, as a share of the time that it took.
double Profile::rooflineOf(const Load &load) const {
  if (load.nanoseconds <= 0 || load.bytes <= 0)
    return 0;
  const DevicePeaks &most = load.isOnDevice ? peaks : hostPeaks(threadCount);
  if (most.bytesPerSecond <= 0)
    return 0;
  double memory = load.bytes / most.bytesPerSecond, arithmetic = 0;
  double tensor = most.tensorPerSecond > 0 ? most.tensorPerSecond : most.flopsPerSecond;
  if (most.flopsPerSecond > 0)
    arithmetic = load.flops / most.flopsPerSecond + load.tensorFlops / tensor;
  return std::max(memory, arithmetic) / (1e-9 * load.nanoseconds);
}

/// Bytes/s, FLOP/s and the share of the roofline, as far as they are known.
std::string Profile::loadText(const Load &load) const {
  if (load.bytes <= 0 || load.nanoseconds <= 0)
    return fmt::format("{:>9} {:>9} {:>8}  ", "", "", "");
  double flops = (load.flops + load.tensorFlops) / load.nanoseconds, share = rooflineOf(load);
  return fmt::format("{:>9.1f} {:>9} {:>8}  ", load.bytes / load.nanoseconds,
                     flops > 0 ? fmt::format("{:.1f}", flops) : "",
                     share > 0 ? fmt::format("{:.1f}%", 100 * share) : "");
}

static std::string shortened(const std::string &text) {
  constexpr size_t most = 40;
  return text.size() > most ? text.substr(0, most - 3) + "..." : text;
}

std::string Profile::stepTable() const {
  std::vector<Load> loads(names.size());
  double all = 0;
  for (const Span &span : spans) {
    addTo(loads[span.step], span);
    all += static_cast<double>(span.end - span.begin);
  }
  struct Row {
    std::string rates;
    std::array<std::string, 5> texts;
  };
  std::vector<Row> rows{
      {fmt::format("{:>10} {:>6} {:>9} {:>9} {:>8}  ", "us/run", "share", "GB/s", "GFLOP/s", "roofline"),
       {"kernel", "variable", "line", "ops", "types"}}};
  for (size_t i = 0; i < names.size(); ++i) {
    const Name &name = names[i];
    if (loads[i].calls == 0)
      continue;
    rows.push_back(
        {fmt::format("{:>10.1f} {:>5.1f}% {}", 1e-3 * loads[i].nanoseconds / static_cast<double>(runCount()),
                     all > 0 ? 100 * loads[i].nanoseconds / all : 0, loadText(loads[i])),
         {name.kernel, shortened(name.variable), name.location, shortened(name.title()), name.types}});
  }
  std::array<size_t, 5> widths{};
  for (const Row &row : rows)
    for (size_t column = 0; column + 1 < widths.size(); ++column)
      widths[column] = std::max(widths[column], row.texts[column].size());
  std::string out;
  for (const Row &row : rows) {
    out += row.rates;
    for (size_t column = 0; column < widths.size(); ++column)
      out += fmt::format("{}{:<{}}", column == 0 ? "" : "  ", row.texts[column], widths[column]);
    out += '\n';
  }
  return out;
}

std::string Profile::table() const { return stepTable() + "\n" + groupTable(); }

std::string Profile::groupTable() const {
  struct Row {
    int64_t nanoseconds = 0, calls = 0;
    Load load;
    std::string location;
    bool severalLocations = false;
  };
  std::map<std::pair<std::string, std::string>, Row> rows;
  int64_t all = 0;
  for (const Span &span : spans) {
    const Name &name = names[span.step];
    Row &row = rows[{name.kernel, name.title()}];
    row.nanoseconds += span.end - span.begin;
    addTo(row.load, span);
    all += span.end - span.begin;
    row.severalLocations |= row.calls > 0 && row.location != name.location;
    row.location = name.location;
    ++row.calls;
  }
  std::vector<std::pair<std::pair<std::string, std::string>, Row>> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return std::pair(-a.second.nanoseconds, a.first) < std::pair(-b.second.nanoseconds, b.first);
  });
  double perRun = 1e-3 / static_cast<double>(runCount());
  std::string out = fmt::format("{}, {:.1f} us in the steps of a run\n", countText(runs, "run"),
                                static_cast<double>(all) * perRun);
  out += fmt::format("{:>10} {:>6} {:>6}  {:>9} {:>9} {:>8}  {:<14} {}\n", "us/run", "share", "calls", "GB/s",
                     "GFLOP/s", "roofline", "kernel", "ops");
  for (const auto &[key, row] : sorted) {
    double share = all == 0 ? 0 : 100 * static_cast<double>(row.nanoseconds) / static_cast<double>(all);
    out +=
        fmt::format("{:>10.1f} {:>5.1f}% {:>6}  {}{:<14} {}", static_cast<double>(row.nanoseconds) * perRun,
                    share, row.calls / runCount(), loadText(row.load), key.first, key.second);
    if (!row.location.empty())
      out += fmt::format("  ({}{})", row.location, row.severalLocations ? " and others" : "");
    out += '\n';
  }
  return out;
}

std::vector<StepTime> Profile::steps() const {
  std::vector<StepTime> times(names.size());
  std::vector<Load> loads(names.size());
  for (const Span &span : spans) {
    times[span.step].milliseconds += 1e-6 * static_cast<double>(span.end - span.begin);
    ++times[span.step].calls;
    addTo(loads[span.step], span);
  }
  std::vector<StepTime> ran;
  int64_t divisor = std::max<int64_t>(1, runs);
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i].calls == 0)
      continue;
    const Name &name = names[i];
    ran.push_back({.kernel = name.kernel,
                   .ops = name.label.empty() ? name.symbol : name.label,
                   .variable = name.variable,
                   .types = name.types,
                   .location = name.location,
                   .calls = std::max<int64_t>(1, times[i].calls / divisor),
                   .milliseconds = times[i].milliseconds / static_cast<double>(divisor),
                   .bytes = loads[i].bytes / static_cast<double>(divisor),
                   .flops = (loads[i].flops + loads[i].tensorFlops) / static_cast<double>(divisor),
                   .roofline = rooflineOf(loads[i])});
  }
  return ran;
}

std::string Profile::titleAt(const std::map<int64_t, const Span *> &byBegin, int64_t time) const {
  auto after = byBegin.upper_bound(time);
  bool isInside = after != byBegin.begin() && time <= std::prev(after)->second->end;
  return isInside ? names[std::prev(after)->second->step].title() : "range";
}

/// Events of the trace.
class TraceWriter {
public:
  /// `origin` is the time 0 of the trace.
  explicit TraceWriter(int64_t origin) : origin(origin) {}

  /// Adds a process with the steps of a rank and the ranges of its threads.
  void addRank(const Profile &profile, int64_t process) {
    this->process = process;
    std::map<int64_t, const Profile::Span *> byBegin;
    for (const Profile::Span &span : profile.spans) {
      byBegin[span.begin] = &span;
      addStep(profile.names[span.step], span);
    }
    addName("thread_name", stepTrack, "steps");
    for (size_t thread = 0; thread < profile.ranges.byThread.size(); ++thread) {
      int64_t track = firstThread + static_cast<int64_t>(thread);
      for (const ThreadTimes::Range &range : profile.ranges.byThread[thread])
        addEvent(profile.titleAt(byBegin, range.begin), "thread", static_cast<double>(range.begin - origin),
                 static_cast<double>(range.end - range.begin), track);
      addName("thread_name", track, "thread " + std::to_string(thread));
    }
  }

  void nameRank(int64_t rank) { addName("process_name", stepTrack, "rank " + std::to_string(rank)); }

  /// Adds phases to the last process, before its steps.
  void addPhases(std::span<const std::pair<std::string, double>> phases) {
    double begin = 0;
    for (const auto &[name, milliseconds] : phases)
      begin -= 1e6 * milliseconds;
    for (const auto &[name, milliseconds] : phases) {
      addEvent(name, "compilation", begin, 1e6 * milliseconds, phaseTrack);
      begin += 1e6 * milliseconds;
    }
    if (!phases.empty())
      addName("thread_name", phaseTrack, "compilation");
  }

  std::string finish() && {
    std::ranges::move(names, std::back_inserter(events));
    return nlohmann::json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

private:
  static constexpr int64_t phaseTrack = 0, stepTrack = 1, firstThread = 2;

  void addStep(const Profile::Name &name, const Profile::Span &span) {
    addEvent(name.title(), name.category, static_cast<double>(span.begin - origin),
             static_cast<double>(span.end - span.begin), stepTrack);
    events.back()["args"] = {{"step", span.step},
                             {"symbol", name.symbol},
                             {"location", name.location},
                             {"variable", name.variable},
                             {"types", name.types}};
  }

  /// Times are nanoseconds.
  void addEvent(const std::string &name, const char *category, double begin, double length, int64_t track) {
    events.push_back({{"name", name},
                      {"cat", category},
                      {"ph", "X"},
                      {"ts", begin * 1e-3},
                      {"dur", length * 1e-3},
                      {"pid", process},
                      {"tid", track}});
  }

  /// The name of a track, or of the process.
  void addName(const char *kind, int64_t track, const std::string &name) {
    names.push_back(
        {{"name", kind}, {"ph", "M"}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}});
  }

  nlohmann::json events = nlohmann::json::array();
  std::vector<nlohmann::json> names; ///< of processes and tracks, after all events
  int64_t origin;
  int64_t process = 0;
};

std::string Profile::chromeTrace(std::span<const std::pair<std::string, double>> phases,
                                 std::span<const std::unique_ptr<Profile>> otherRanks) const {
  int64_t origin = spans.empty() ? 0 : spans.front().begin;
  for (const std::unique_ptr<Profile> &other : otherRanks)
    if (!other->spans.empty())
      origin = std::min(origin, other->spans.front().begin);
  TraceWriter writer(origin);
  writer.addRank(*this, /*process=*/1);
  writer.addPhases(phases);
  if (!otherRanks.empty())
    writer.nameRank(0);
  for (size_t i = 0; i < otherRanks.size(); ++i) {
    int64_t rank = static_cast<int64_t>(i) + 1;
    writer.addRank(*otherRanks[i], /*process=*/rank + 1);
    writer.nameRank(rank);
  }
  return std::move(writer).finish();
}

} // namespace proa::runtime
