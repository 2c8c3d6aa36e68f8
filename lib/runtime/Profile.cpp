#include "lib/runtime/Profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace proa::runtime {

Profile::Profile(const Plan &plan) {
  forEachStep(plan.steps, [&](const Step &step) {
    bool isCompiled = step.kind == StepKind::Kernel;
    const char *category = step.isOnDevice()                ? "device"
                           : isCompiled                     ? "compiled"
                           : step.kind == StepKind::Library ? "library"
                           : step.kind == StepKind::Copy    ? "copy"
                           : step.kind == StepKind::Wait    ? "wait"
                                                            : "control flow";
    names.push_back({step.symbol, step.label, step.location,
                     step.isOnDevice() ? "(device)"
                     : isCompiled      ? "(compiled)"
                                       : step.symbol,
                     category});
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

std::string Profile::table() const {
  struct Row {
    int64_t nanoseconds = 0, calls = 0;
    std::string location;
    bool severalLocations = false;
  };
  std::map<std::pair<std::string, std::string>, Row> rows;
  int64_t all = 0;
  for (const Span &span : spans) {
    const Name &name = names[span.step];
    Row &row = rows[{name.kernel, name.label.empty() ? name.symbol : name.label}];
    row.nanoseconds += span.end - span.begin;
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
  std::string out =
      fmt::format("{} runs, {:.1f} us in the steps of a run\n", runs, static_cast<double>(all) * perRun);
  out += fmt::format("{:>10} {:>6} {:>6}  {:<14} {}\n", "us/run", "share", "calls", "kernel", "ops");
  for (const auto &[key, row] : sorted) {
    double share = all == 0 ? 0 : 100 * static_cast<double>(row.nanoseconds) / static_cast<double>(all);
    out += fmt::format("{:>10.1f} {:>5.1f}% {:>6}  {:<14} {}", static_cast<double>(row.nanoseconds) * perRun,
                       share, row.calls / std::max<int64_t>(1, runs), key.first, key.second);
    if (!row.location.empty())
      out += fmt::format("  ({}{})", row.location, row.severalLocations ? " and others" : "");
    out += '\n';
  }
  return out;
}

std::vector<StepTime> Profile::steps() const {
  std::vector<StepTime> times(names.size());
  for (const Span &span : spans) {
    times[span.step].milliseconds += 1e-6 * static_cast<double>(span.end - span.begin);
    ++times[span.step].calls;
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
                   .milliseconds = times[i].milliseconds / static_cast<double>(divisor)});
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
