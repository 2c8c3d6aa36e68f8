//! Reads strategies.
#include "lib/spmd/Strategy.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace proa::spmd {
namespace {

constexpr std::string_view expected =
    "expected parts among dpN, cpN, epN, mpN, sp, zero1, zero2, zero3, amp, amp2, recompute and accN";
constexpr int64_t mostDevices = 1 << 24;

class StrategyReader {
public:
  Result<Strategy> read(std::string_view text) {
    for (size_t begin = 0; begin <= text.size();) {
      size_t end = std::min(text.find(',', begin), text.size());
      readPart(text.substr(begin, end - begin));
      begin = end + 1;
    }
    if (strategy.sequence && strategy.model == 1)
      report("sp splits over the axis mp: expected a part mpN of at least 2");
    if (strategy.zero != ZeroStage::None && strategy.data == 1)
      report("zero splits over the axis dp: expected a part dpN of at least 2");
    if (!problems.empty())
      return problems;
    return strategy;
  }

private:
  void readPart(std::string_view part) {
    size_t digits = part.find_first_of("0123456789");
    std::string_view name = part.substr(0, digits);
    std::optional<int64_t> number;
    if (digits != std::string_view::npos) {
      int64_t value = 0;
      auto [end, error] = std::from_chars(part.data() + digits, part.data() + part.size(), value);
      if (error != std::errc() || end != part.data() + part.size())
        return report(fmt::format("unknown part '{}' of a strategy: {}", part, expected));
      number = value;
    }
    if (name == "tp")
      name = "mp";
    if (!seen.insert(std::string(name)).second)
      return report(fmt::format("'{}' is given twice", name));
    if (!readSize(part, name, number) && !readFlag(name, number))
      report(fmt::format("unknown part '{}' of a strategy: {}", part, expected));
  }

  /// Parts that need a number. False if the part is not one of them.
  bool readSize(std::string_view part, std::string_view name, std::optional<int64_t> number) {
    int64_t *target = name == "dp"    ? &strategy.data
                      : name == "cp"  ? &strategy.context
                      : name == "ep"  ? &strategy.expert
                      : name == "mp"  ? &strategy.model
                      : name == "acc" ? &strategy.microBatches
                                      : nullptr;
    if (!target)
      return false;
    if (number && *number >= 1 && *number <= mostDevices)
      *target = *number;
    else
      report(fmt::format("expected a number from 1 to {} after '{}', found '{}'", mostDevices, name, part));
    return true;
  }

  bool readFlag(std::string_view name, std::optional<int64_t> number) {
    if (name == "sp" && !number)
      strategy.sequence = true;
    else if (name == "recompute" && !number)
      strategy.recompute = true;
    else if (name == "amp" && (!number || *number == 1 || *number == 2))
      strategy.ampLevel = static_cast<int>(number.value_or(1));
    else if (name == "zero" && number && *number >= 1 && *number <= 3)
      strategy.zero = static_cast<ZeroStage>(*number);
    else
      return false;
    return true;
  }

  void report(std::string message) { problems.add("--strategy", std::move(message)); }

  Strategy strategy;
  Problems problems;
  std::set<std::string> seen;
};

} // namespace

Mesh Strategy::mesh() const {
  Mesh mesh;
  for (auto [name, size] : {std::pair("dp", data), {"cp", context}, {"ep", expert}, {"mp", model}})
    if (size > 1)
      mesh.axes.push_back({name, size});
  return mesh;
}

Result<Strategy> parseStrategy(std::string_view text) { return StrategyReader().read(text); }

} // namespace proa::spmd
