//! Reads strategies.
#include "lib/base/spmd/Strategy.h"

#include "lib/base/support/Bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <set>

namespace proa::spmd {
namespace {

constexpr std::string_view expected =
    "expected components among ppN, the name of a schedule (1f1b, zbh1, ...), "
    "dpN, cpN, epN, mpN, sp, zero1, zero2, "
    "zero3, amp, amp2, recompute, accN, memBYTES, cutN, ring and noring";
constexpr int64_t mostDevices = 1 << 24;

using Size = int64_t Strategy::*;
constexpr std::array<std::pair<std::string_view, Size>, 5> axisSizes{{{"pp", &Strategy::pipeline},
                                                                      {"dp", &Strategy::data},
                                                                      {"cp", &Strategy::context},
                                                                      {"ep", &Strategy::expert},
                                                                      {"mp", &Strategy::model}}};

Size memberOf(std::string_view axis) {
  for (auto [name, member] : axisSizes)
    if (name == axis)
      return member;
  return nullptr;
}

void report(Diagnostics &diagnostics, std::string message) {
  diagnostics.add("--strategy", std::move(message));
}

void checkCuts(const Strategy &strategy, Diagnostics &diagnostics) {
  if (strategy.cuts.empty())
    return;
  pipeline::ScheduleKind schedule = strategy.schedule.value_or(pipeline::ScheduleKind::OneFOneB);
  bool isAnyNumber = schedule == pipeline::ScheduleKind::Automatic && strategy.chunks == 0;
  int64_t chunks = strategy.chunks > 0 ? strategy.chunks
                   : isAnyNumber       ? std::ssize(strategy.cuts) / strategy.pipeline + 1
                                       : pipeline::defaultChunks(schedule);
  auto expected = static_cast<size_t>(strategy.pipeline * chunks - 1);
  if (strategy.pipeline == 1)
    report(diagnostics, "cuts divide a program into stages: expected a component ppN of at least 2");
  else if (strategy.cuts.size() != expected)
    report(diagnostics, fmt::format("found {} cuts, expected {}: one for each stage after the first",
                                    strategy.cuts.size(), expected));
  if (std::ranges::adjacent_find(strategy.cuts, std::greater_equal()) != strategy.cuts.end())
    report(diagnostics, "the numbers of cuts do not ascend, expected the first ops of the stages in order");
}

/// Components that need another one.
void checkComponents(const Strategy &strategy, Diagnostics &diagnostics) {
  if (strategy.sequence && strategy.model == 1)
    report(diagnostics, "sp splits over the axis mp: expected a component mpN of at least 2");
  if (strategy.zero != ZeroStage::None && strategy.data == 1)
    report(diagnostics, "zero splits over the axis dp: expected a component dpN of at least 2");
  if (strategy.schedule && strategy.pipeline == 1)
    report(diagnostics,
           fmt::format("'{}' is a schedule of a pipeline: expected a component ppN of at least 2",
                       pipeline::nameOf(*strategy.schedule)));
  if (strategy.memory && strategy.schedule != pipeline::ScheduleKind::Automatic)
    report(diagnostics, "mem limits the search for a schedule: expected a component auto");
  checkCuts(strategy, diagnostics);
}

std::string textOf(const Mesh &mesh) {
  std::string text;
  for (const MeshAxis &axis : mesh.axes)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis.name, axis.size);
  return text;
}

class StrategyReader {
public:
  Result<Strategy> read(std::string_view text) {
    for (size_t begin = 0; begin <= text.size();) {
      size_t end = std::min(text.find(',', begin), text.size());
      readComponent(text.substr(begin, end - begin));
      begin = end + 1;
    }
    if (!diagnostics.empty())
      return diagnostics;
    strategy.impliesData = strategy.zero != ZeroStage::None && !seen.contains("dp");
    strategy.impliesModel = strategy.sequence && !seen.contains("mp");
    if (strategy.impliesData)
      strategy.data = 0;
    if (strategy.impliesModel)
      strategy.model = 0;
    return strategy;
  }

private:
  void readComponent(std::string_view component) {
    if (readSchedule(component) || readMemory(component))
      return;
    size_t digits = component.find_first_of("0123456789");
    std::string_view name = component.substr(0, digits);
    std::optional<int64_t> value;
    if (digits != std::string_view::npos) {
      int64_t parsed = 0;
      auto [end, error] =
          std::from_chars(component.data() + digits, component.data() + component.size(), parsed);
      if (error != std::errc() || end != component.data() + component.size())
        return report(fmt::format("unknown component '{}' of a strategy: {}", component, expected));
      value = parsed;
    }
    if (name == "tp")
      name = "mp";
    if (name == "cut")
      return readCut(component, value);
    if (!seen.insert(std::string(name)).second)
      return report(fmt::format("'{}' is given twice", name));
    if (!readSize(component, name, value) && !readFlag(name, value))
      report(fmt::format("unknown component '{}' of a strategy: {}", component, expected));
  }

  void readCut(std::string_view component, std::optional<int64_t> value) {
    if (value && *value >= 1)
      strategy.cuts.push_back(*value);
    else
      report(fmt::format("expected the number of an op from 1 after 'cut', found '{}'", component));
  }

  bool readMemory(std::string_view component) {
    constexpr std::string_view name = "mem";
    if (!component.starts_with(name))
      return false;
    std::optional<double> bytes = parseBytes(component.substr(name.size()));
    if (!bytes || *bytes < 1)
      report(
          fmt::format("expected the bytes of a device after 'mem', such as mem80GB, found '{}'", component));
    if (strategy.memory)
      report("'mem' is given twice");
    strategy.memory = bytes;
    return true;
  }

  /// The name of a schedule; after "interleaved" and "auto" the count of its chunks.
  bool readSchedule(std::string_view component) {
    std::string_view name = component;
    int64_t leastChunks = 2;
    for (auto [numbered, least] : {std::pair(pipeline::ScheduleKind::Interleaved, int64_t{2}),
                                   {pipeline::ScheduleKind::Automatic, int64_t{1}}})
      if (std::string_view known = pipeline::nameOf(numbered); component.starts_with(known))
        name = known, leastChunks = least;
    std::optional<pipeline::ScheduleKind> kind = pipeline::parseScheduleKind(name);
    if (!kind)
      return false;
    std::string_view count = component.substr(name.size());
    constexpr int64_t mostChunks = 1024;
    auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), strategy.chunks);
    bool isCount = error == std::errc() && end == count.data() + count.size() &&
                   strategy.chunks >= leastChunks && strategy.chunks <= mostChunks;
    if (!count.empty() && !isCount)
      report(fmt::format("expected a number of chunks from {} to {} after '{}', found '{}'", leastChunks,
                         mostChunks, name, component));
    if (strategy.schedule)
      report(fmt::format("'{}' and '{}' are two schedules; expected one",
                         pipeline::nameOf(*strategy.schedule), component));
    strategy.schedule = *kind;
    return true;
  }

  /// Components with a size or a count. False if the component is not one of them.
  bool readSize(std::string_view component, std::string_view name, std::optional<int64_t> value) {
    Size axis = memberOf(name);
    if (!axis && name != "acc")
      return false;
    bool isValid = value ? *value >= 1 && *value <= mostDevices : axis != nullptr;
    if (isValid && axis)
      strategy.*axis = value.value_or(0);
    else if (isValid)
      strategy.microBatches = *value;
    else
      report(
          fmt::format("expected a number from 1 to {} after '{}', found '{}'", mostDevices, name, component));
    return true;
  }

  bool readFlag(std::string_view name, std::optional<int64_t> value) {
    if (name == "sp" && !value)
      strategy.sequence = true;
    else if (name == "recompute" && !value)
      strategy.recompute = true;
    else if ((name == "ring" || name == "noring") && !value)
      setRings(name == "ring" ? RingUse::Always : RingUse::Never);
    else if (name == "amp" && (!value || *value == 1 || *value == 2))
      strategy.ampLevel = static_cast<int>(value.value_or(1));
    else if (name == "zero" && value && *value >= 1 && *value <= 3)
      strategy.zero = static_cast<ZeroStage>(*value);
    else
      return false;
    return true;
  }

  void setRings(RingUse use) {
    if (strategy.rings != RingUse::ByCost && strategy.rings != use)
      report("'ring' and 'noring' contradict each other");
    strategy.rings = use;
  }

  void report(std::string message) { spmd::report(diagnostics, std::move(message)); }

  Strategy strategy;
  Diagnostics diagnostics;
  std::set<std::string> seen;
};

} // namespace

int64_t Strategy::sizeOf(std::string_view axis) const {
  Size member = memberOf(axis);
  return member ? this->*member : 1;
}

Mesh Strategy::mesh() const {
  Mesh mesh;
  for (auto [name, member] : axisSizes)
    if (this->*member > 1)
      mesh.axes.push_back({std::string(name), this->*member});
  return mesh;
}

Result<Strategy> parseStrategy(std::string_view text) { return StrategyReader().read(text); }

Result<Strategy> strategyOnMesh(const Strategy &strategy, const Mesh *mesh) {
  Strategy complete = strategy;
  Diagnostics diagnostics;
  for (auto [name, member] : axisSizes) {
    int64_t size = strategy.*member;
    std::optional<unsigned> axis = mesh ? mesh->indexOf(name) : std::nullopt;
    bool isImplied = (name == "dp" && strategy.impliesData) || (name == "mp" && strategy.impliesModel);
    if (isImplied && !axis)
      complete.*member = 1;
    else if (size == 0 && !mesh)
      report(diagnostics, fmt::format("'{0}' has no size and there is no mesh: expected {0}N, or a mesh with "
                                      "an axis '{0}'",
                                      name));
    else if (mesh && size != 1 && !axis)
      report(diagnostics, fmt::format("'{0}{1}' splits over the axis '{0}', which the mesh '{2}' lacks", name,
                                      size == 0 ? "" : std::to_string(size), textOf(*mesh)));
    else if (size != 0 && axis && mesh->axes[*axis].size != size && size != 1)
      report(diagnostics,
             fmt::format("'{0}{1}' and the mesh '{2}' disagree: expected {0}{3}, or a mesh with {0}={1}",
                         name, size, textOf(*mesh), mesh->axes[*axis].size));
    else if (size == 0)
      complete.*member = mesh->axes[*axis].size;
  }
  checkComponents(complete, diagnostics);
  if (!diagnostics.empty())
    return diagnostics;
  return complete;
}

} // namespace proa::spmd
