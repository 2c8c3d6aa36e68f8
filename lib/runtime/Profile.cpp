#include "lib/runtime/Profile.h"

#include "lib/support/CountText.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

Profile::Profile(const Plan &plan, const DevicePeaks &peaks) : peaks(peaks) {
  forEachStep(plan.steps, [&](const Step &step) {
    bool isCompiled = step.kind == StepKind::Kernel;
    const char *category = step.isOnDevice()                ? "device"
                           : isCompiled                     ? "compiled"
                           : step.kind == StepKind::Library ? "library"
                           : step.kind == StepKind::Copy    ? "copy"
                           : step.kind == StepKind::Wait    ? "wait"
                                                            : "control flow";
    names.push_back({step.symbol, step.label, step.location,
                     step.isOnDevice() && !isCompiled ? "(" + step.launch.library + ")"
                     : step.isOnDevice()              ? "(device)"
                     : isCompiled                     ? "(compiled)"
                                                      : step.symbol,
                     category, step.flops, isHalf(plan, step)});
  });
}

int64_t Profile::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t Profile::total(size_t step) const {
  int64_t sum = 0;
  for (const Span &span : spans)
    sum += span.step == step ? span.end - span.begin : 0;
  return sum;
}

void Profile::beginRun() {
  ++runs;
  runStart = now();
}

void Profile::addOnDevice(size_t step, int64_t begin, int64_t length, double bytes) {
  spans.push_back({step, runStart + begin, runStart + begin + length, bytes});
}

void Profile::addTo(Load &load, const Span &span) const {
  const Name &name = names[span.step];
  load.nanoseconds += static_cast<double>(span.end - span.begin);
  load.bytes += span.bytes;
  (name.isHalf ? load.tensorFlops : load.flops) += name.flops;
}

/// The time that the device needs at least, as a share of the time that it took.
double Profile::rooflineOf(const Load &load) const {
  if (load.nanoseconds <= 0 || load.bytes <= 0 || peaks.bytesPerSecond <= 0)
    return 0;
  double memory = load.bytes / peaks.bytesPerSecond, arithmetic = 0;
  double tensor = peaks.tensorPerSecond > 0 ? peaks.tensorPerSecond : peaks.flopsPerSecond;
  if (peaks.flopsPerSecond > 0)
    arithmetic = load.flops / peaks.flopsPerSecond + load.tensorFlops / tensor;
  return std::max(memory, arithmetic) / (1e-9 * load.nanoseconds);
}

/// Columns of the table for the device: a step of the host has none.
std::string Profile::loadText(const Load &load) const {
  if (load.bytes <= 0 || load.nanoseconds <= 0)
    return fmt::format("{:>9} {:>9} {:>8}  ", "", "", "");
  double flops = (load.flops + load.tensorFlops) / load.nanoseconds, share = rooflineOf(load);
  return fmt::format("{:>9.1f} {:>9} {:>8}  ", load.bytes / load.nanoseconds,
                     flops > 0 ? fmt::format("{:.1f}", flops) : "",
                     share > 0 ? fmt::format("{:.1f}%", 100 * share) : "");
}

std::string Profile::table() const {
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
    Row &row = rows[{name.kernel, name.label.empty() ? name.symbol : name.label}];
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
  double perRun = 1e-3 / static_cast<double>(std::max<int64_t>(1, runs));
  std::string out = fmt::format("{}, {:.1f} us in the steps of a run\n", countText(runs, "run"),
                                static_cast<double>(all) * perRun);
  bool hasDevice = std::ranges::any_of(spans, [](const Span &span) { return span.bytes > 0; });
  std::string deviceHead = hasDevice ? fmt::format("{:>9} {:>9} {:>8}  ", "GB/s", "GFLOP/s", "roofline") : "";
  out += fmt::format("{:>10} {:>6} {:>6}  {}{:<14} {}\n", "us/run", "share", "calls", deviceHead, "kernel",
                     "ops");
  for (const auto &[key, row] : sorted) {
    double share = all == 0 ? 0 : 100 * static_cast<double>(row.nanoseconds) / static_cast<double>(all);
    out += fmt::format(
        "{:>10.1f} {:>5.1f}% {:>6}  {}{:<14} {}", static_cast<double>(row.nanoseconds) * perRun, share,
        row.calls / std::max<int64_t>(1, runs), hasDevice ? loadText(row.load) : "", key.first, key.second);
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
                   .location = name.location,
                   .calls = std::max<int64_t>(1, times[i].calls / divisor),
                   .milliseconds = times[i].milliseconds / static_cast<double>(divisor),
                   .bytes = loads[i].bytes / static_cast<double>(divisor),
                   .flops = (loads[i].flops + loads[i].tensorFlops) / static_cast<double>(divisor),
                   .roofline = rooflineOf(loads[i])});
  }
  return ran;
}

std::string Profile::chromeTrace() const {
  nlohmann::json events = nlohmann::json::array();
  int64_t origin = spans.empty() ? 0 : spans.front().begin;
  for (const Span &span : spans) {
    const Name &name = names[span.step];
    events.push_back({{"name", name.label.empty() ? name.symbol : name.label},
                      {"cat", name.category},
                      {"ph", "X"},
                      {"ts", static_cast<double>(span.begin - origin) * 1e-3},
                      {"dur", static_cast<double>(span.end - span.begin) * 1e-3},
                      {"pid", 1},
                      {"tid", 1},
                      {"args", {{"step", span.step}, {"symbol", name.symbol}, {"location", name.location}}}});
  }
  return nlohmann::json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}}.dump();
}

} // namespace proa::runtime
