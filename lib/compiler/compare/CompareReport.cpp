#include "lib/compiler/compare/CompareReport.h"

#include "lib/base/support/CountText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace proa::comparison {
namespace {

/// "pd.relu -> relu_0.tmp_0 at net.py:42"
std::string locationOf(const ProgramValue &value) {
  return value.op + " -> " + value.name + (value.line.empty() ? "" : " at " + value.line);
}

/// A line for each decade of errors.
std::string histogramText(const ErrorHistogram &errors) {
  std::vector<std::pair<std::string, int64_t>> rows;
  if (errors.equal > 0)
    rows.emplace_back("0", errors.equal);
  for (const auto &[decade, count] : errors.decades)
    rows.emplace_back(fmt::format("1e{:+03d} to 1e{:+03d}", decade, decade + 1), count);
  if (errors.notFinite > 0)
    rows.emplace_back("NaN, Inf", errors.notFinite);
  int64_t most = 1;
  for (const auto &[range, count] : rows)
    most = std::max(most, count);
  constexpr double width = 40;
  std::string text = rows.empty() ? "" : fmt::format("  {:<16} {:>10}\n", "absolute error", "elements");
  for (const auto &[range, count] : rows)
    text += fmt::format("  {:<16} {:>10}  {}\n", range, count,
                        std::string(static_cast<size_t>(std::ceil(width * static_cast<double>(count) /
                                                                  static_cast<double>(most))),
                                    '#'));
  return text;
}

/// Whether the operands of the first value that differs agree; those that were not compared may be wrong.
std::string operandsText(const ValueComparison &comparison, const ComparedValue &first) {
  std::vector<std::string> unknown;
  for (const std::string &operand : first.value.operands) {
    auto found = std::ranges::find_if(
        comparison.values, [&](const ComparedValue &other) { return other.value.name == operand; });
    if (found != comparison.values.end() && !found->notCompared.empty())
      unknown.push_back(operand);
  }
  std::string text = fmt::format("  operands: {}\n", fmt::join(first.value.operands, ", "));
  if (!unknown.empty())
    text += fmt::format("  not compared, and so perhaps wrong already: {}\n", fmt::join(unknown, ", "));
  return text;
}

std::string firstText(const ValueComparison &comparison, const ComparedValue &first) {
  return fmt::format("first difference: op {} of {}, {}\n  {}: {}\n", first.value.position + 1,
                     comparison.opCount, locationOf(first.value), first.type, first.comparison.reason) +
         operandsText(comparison, first) + histogramText(first.errors);
}

/// A fault that fetching intermediate values hides.
std::string hiddenText(const ValueComparison &comparison) {
  std::string text;
  for (const ComparedValue &fetch : comparison.fetches)
    if (fetch.differs())
      text += fmt::format("fetch {}: {}\n", locationOf(fetch.value), fetch.comparison.reason);
  if (!text.empty())
    text += "no value differs when all are fetched, which keeps ops with fetched results from being fused: a "
            "rewrite of several ops is at fault (--bisect finds it)\n";
  return text;
}

std::string othersText(const ValueComparison &comparison, size_t most) {
  std::string text;
  size_t count = 0;
  for (const ComparedValue &value : comparison.values)
    if (value.differs() && &value != comparison.first() && count++ < most)
      text += fmt::format("  {}: {} of {} elements differ, max abs error {:.3g}, max rel error {:.3g}\n",
                          locationOf(value.value), value.comparison.mismatches, value.comparison.elements,
                          value.comparison.maxAbsolute, value.comparison.maxRelative);
  if (count > most)
    text += fmt::format("  and {} more\n", count - most);
  return text.empty() ? "" : "later differences, which may follow from the first:\n" + text;
}

/// The reasons why values are not compared, each with the number of values and the first of them.
std::string notComparedText(const ValueComparison &comparison) {
  std::map<std::string, std::pair<size_t, const ProgramValue *>> reasons;
  for (const ComparedValue &value : comparison.values)
    if (!value.notCompared.empty()) {
      auto &[count, first] = reasons[value.notCompared];
      first = count++ == 0 ? &value.value : first;
    }
  std::string text;
  for (const auto &[reason, values] : reasons)
    text += fmt::format("note: {} not compared: {} ({}{})\n",
                        countText(static_cast<int64_t>(values.first), "value is", "values are"), reason,
                        locationOf(*values.second), values.first > 1 ? ", ..." : "");
  if (!comparison.unmatched.empty())
    text += fmt::format("note: no value of the program has the name of {} ('{}'{})\n",
                        countText(static_cast<int64_t>(comparison.unmatched.size()), "expected tensor"),
                        comparison.unmatched.front(), comparison.unmatched.size() > 1 ? ", ..." : "");
  return text;
}

nlohmann::json numberOf(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

nlohmann::json valueJson(const ComparedValue &value) {
  nlohmann::json entry{{"name", value.value.name},
                       {"op", value.value.op},
                       {"line", value.value.line},
                       {"type", value.type},
                       {"passed", !value.differs()}};
  if (!value.notCompared.empty()) {
    entry["not_compared"] = value.notCompared;
    return entry;
  }
  entry["max_abs"] = numberOf(value.comparison.maxAbsolute);
  entry["max_rel"] = numberOf(value.comparison.maxRelative);
  entry["mismatches"] = value.comparison.mismatches;
  entry["elements"] = value.comparison.elements;
  if (value.differs())
    entry["reason"] = value.comparison.reason;
  return entry;
}

} // namespace

std::string reportText(const ValueComparison &comparison, size_t mostValues) {
  size_t compared = 0, differ = 0;
  for (const ComparedValue &value : comparison.values) {
    compared += value.notCompared.empty();
    differ += value.differs();
  }
  const ComparedValue *first = comparison.first();
  std::string text =
      first ? firstText(comparison, *first) + othersText(comparison, mostValues) : hiddenText(comparison);
  text += notComparedText(comparison);
  return text + fmt::format("{} compared with {}: {} of {} values agree, {} differ: {}\n", comparison.tested,
                            comparison.expected, compared - differ, comparison.values.size(), differ,
                            comparison.passed() ? "PASS" : "FAIL");
}

nlohmann::json reportJson(const ValueComparison &comparison) {
  nlohmann::json values = nlohmann::json::array();
  for (const ComparedValue &value : comparison.values)
    values.push_back(valueJson(value));
  return {{"tested", comparison.tested},
          {"expected", comparison.expected},
          {"passed", comparison.passed()},
          {"values", std::move(values)}};
}

} // namespace proa::comparison
