/// The library kernel "print" (x, LoD levels...): shows a tensor on stderr in Paddle's words.
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/run/Silence.h"

#include "dialects/pd/ops/control/Check.kernels.inc"

#include <algorithm>
#include <cstdio>

namespace proa::runtime {
namespace {

/// How often a step has run.
struct RunCount final : KernelState {
  int64_t count = 0;
};

std::string joined(std::span<const int64_t> values) { return fmt::format("{}", fmt::join(values, ", ")); }

std::string elementsOf(const View &x, int64_t summarize) {
  int64_t count = summarize < 0 ? x.size() : std::min(summarize, x.size());
  std::string text;
  bool known = dispatchAll(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i) {
      T value = x.as<T>()[i];
      text += i == 0 ? "" : " ";
      if constexpr (std::is_same_v<T, bool> || std::is_integral_v<T>)
        text += fmt::format("{}", static_cast<int64_t>(value));
      else if constexpr (requires { value.real(); })
        text += fmt::format("({:g},{:g})", value.real(), value.imag());
      else if constexpr (std::is_same_v<T, double>)
        text += fmt::format("{:g}", value);
      else
        text += fmt::format("{:g}", static_cast<float>(value));
    }
  });
  return known ? text : "unprintable type: " + std::string(nameOf(x.dtype));
}

Result<std::string> levelsOf(Call &call) {
  std::string text;
  for (size_t i = 1; i < call.inputCount(); ++i) {
    Result<std::vector<int64_t>> level = integersOf(call.input(i));
    if (!level)
      return level.diagnostics();
    text += "{" + joined(*level) + "}";
  }
  return "{" + text + "}";
}

Result<void> print(Call &call, const PrintAttributes &attributes) {
  if (!call.state())
    call.state() = std::make_unique<RunCount>();
  auto &runs = static_cast<RunCount &>(*call.state());
  if (Silence::isOn())
    return {};
  if (attributes.firstN > 0 && runs.count >= attributes.firstN)
    return {};
  ++runs.count;
  const View &x = call.input(0);
  std::string text;
  if (!attributes.name.empty())
    text += "Variable: " + attributes.name + "\n";
  if (!attributes.message.empty())
    text += "  - message: " + attributes.message + "\n";
  if (attributes.printTensorLod) {
    Result<std::string> levels = levelsOf(call);
    if (!levels)
      return levels.diagnostics();
    text += "  - lod: " + *levels + "\n";
  }
  text += "  - place: Place(cpu)\n";
  if (attributes.printTensorShape)
    text += "  - shape: [" + joined(x.dims) + "]\n";
  if (attributes.printTensorLayout)
    text += "  - layout: NCHW\n";
  if (attributes.printTensorType)
    text += fmt::format("  - dtype: {}\n", nameOf(x.dtype));
  text += "  - data: [" + elementsOf(x, attributes.summarize) + "]\n";
  std::fputs(text.c_str(), stderr);
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makePrint(const PrintAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([op](Call &call) { return print(call, op); });
}

} // namespace proa::runtime
