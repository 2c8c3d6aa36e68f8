#include "lib/runtime/plan/Library.h"

#include "lib/runtime/plan/AttributeReader.h"

#include "dialects/pd/AllKernels.inc"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace proa::runtime {
namespace {

template <class Attributes, auto Make>
Result<std::unique_ptr<LibraryKernel>> create(const nlohmann::json &stored, const KernelRequest &request) {
  Result<Attributes> attributes = readStored<Attributes>(stored);
  if (!attributes)
    return attributes.diagnostics();
  return Make(*attributes, request);
}

// A table, not self-registering objects: those vanish when a static library is linked.
const std::map<std::string, KernelEntry> &kernels() {
#define PROA_KERNEL_TABLE
  static const std::map<std::string, KernelEntry> table{
#include "dialects/pd/AllKernels.inc"
  };
#undef PROA_KERNEL_TABLE
  return table;
}

template <class Value> bool contains(const std::vector<Value> &list, const Value &value) {
  return std::ranges::find(list, value) != list.end();
}

bool allStatic(std::span<const OperandType> operands) {
  return std::ranges::all_of(
      operands, [](const OperandType &operand) { return !operand.present || operand.isStatic(); });
}

bool accepts(const KernelOperand &rule, const OperandType &operand) {
  return operand.array ? rule.takesArrays : contains(rule.dtypes, operand.dtype);
}

/// "x", or the names of those operands that may be meant: a step does not say how long each of several
/// variadic operands is.
std::string namesOf(std::span<const KernelOperand> rules) {
  std::vector<const char *> names;
  for (const KernelOperand &rule : rules)
    names.push_back(rule.name);
  return fmt::format("'{}'", fmt::join(names, "' or '"));
}

std::string typesOf(std::span<const KernelOperand> rules) {
  std::vector<std::string> types;
  auto add = [&](std::string type) {
    if (!contains(types, type))
      types.push_back(std::move(type));
  };
  for (const KernelOperand &rule : rules) {
    for (DType dtype : rule.dtypes)
      add(std::string(nameOf(dtype)));
    if (rule.takesArrays)
      add("a tensor array");
  }
  return fmt::format("{}", fmt::join(types, ", "));
}

/// The rules that may hold for position `i`: one, or from the first variadic operand on that and all after
/// it.
std::span<const KernelOperand> rulesFor(std::span<const KernelOperand> rules, size_t i) {
  auto variadic = std::ranges::find(rules, Arity::Variadic, &KernelOperand::arity);
  auto first = static_cast<size_t>(variadic - rules.begin());
  if (i < first)
    return rules.subspan(i, i < rules.size() ? 1 : 0);
  return rules.subspan(first);
}

/// An absent output is one that nobody reads.
void check(std::span<const KernelOperand> rules, std::span<const OperandType> operands, const char *what,
           bool mayBeAbsent, const std::string &kernel, Diagnostics &diagnostics) {
  for (size_t i = 0; i < std::max(rules.size(), operands.size()); ++i) {
    std::span<const KernelOperand> candidates = rulesFor(rules, i);
    bool isPresent = i < operands.size() && operands[i].present;
    if (candidates.empty()) {
      diagnostics.add("", fmt::format("library kernel '{}' has {} {}s, expected at most {}", kernel,
                                      operands.size(), what, rules.size()));
      return;
    }
    const KernelOperand &rule = candidates.front();
    bool isRequired = candidates.size() == 1 && rule.arity == Arity::Required && !mayBeAbsent;
    if (!isPresent && isRequired)
      diagnostics.add("", fmt::format("{} '{}' of library kernel '{}' is missing", what, rule.name, kernel));
    if (isPresent && std::ranges::none_of(candidates, [&](const KernelOperand &candidate) {
          return accepts(candidate, operands[i]);
        }))
      diagnostics.add("", fmt::format("{} {} of library kernel '{}' is {}, expected {}", what,
                                      namesOf(candidates), kernel,
                                      operands[i].array ? "a tensor array" : nameOf(operands[i].dtype),
                                      typesOf(candidates)));
  }
}

} // namespace

bool OperandType::isStatic() const { return !contains(dims, dynamicDim); }

bool KernelRequest::isStatic() const { return allStatic(inputs) && allStatic(outputs); }

Diagnostics KernelEntry::checkOperands(const std::string &kernel, const KernelRequest &request) const {
  Diagnostics diagnostics;
  check(inputs, request.inputs, "operand", false, kernel, diagnostics);
  check(outputs, request.outputs, "result", true, kernel, diagnostics);
  return diagnostics;
}

const KernelEntry *findLibraryKernel(const std::string &name) {
  auto found = kernels().find(name);
  return found == kernels().end() ? nullptr : &found->second;
}

std::vector<std::string> libraryKernelNames() {
  std::vector<std::string> names;
  for (const auto &[name, entry] : kernels())
    names.push_back(name);
  return names;
}

} // namespace proa::runtime
