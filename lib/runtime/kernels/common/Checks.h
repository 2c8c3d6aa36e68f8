/// Helpers of the factories in this folder: checks of attributes and operands, and kernels that are one
/// function.
#pragma once

#include "lib/runtime/plan/AttributeReader.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace proa::runtime {

/// Collects the errors of a request. Ask `ok` or `diagnostics` at the end.
class Checks {
public:
  explicit Checks(const KernelRequest &request) : request(request) {}

  /// Adds an error unless `condition`.
  void expect(bool condition, std::string message) {
    if (!condition)
      list.add("", std::move(message));
  }
  /// The step must have at least `inputs` inputs and `outputs` outputs, all of these present.
  void expectOperands(size_t inputs, size_t outputs);
  /// Input i, where present, must have one of these dtypes: fewer than the op's record accepts.
  void expectDType(size_t input, std::initializer_list<DType> allowed);
  /// The attribute must have one of these values: fewer than the op's record accepts.
  template <class Enum> void expectOneOf(const char *name, Enum value, std::initializer_list<Enum> allowed) {
    if (std::ranges::find(allowed, value) != allowed.end())
      return;
    std::string names;
    for (Enum keyword : allowed)
      names += (names.empty() ? "" : ", ") + std::string(keywordOf(keyword));
    list.add("", fmt::format("attribute '{}' is {}; expected one of {}", name, keywordOf(value), names));
  }

  bool ok() const { return list.empty(); }
  const Diagnostics &diagnostics() const { return list; }

private:
  const KernelRequest &request;
  Diagnostics list;
};

/// The axis counted from the front. Error: it is outside of [-rank, rank).
Result<size_t> normalizeAxis(int64_t axis, size_t rank);

/// "index 7 at [1, 3] is outside of [-5, 5)": element number `position` of a tensor of indices of `dims`,
/// which is not an index of a dimension of `size`. Without an index: one that is not known. Negative ones
/// count from the end if they wrap.
std::string wrongIndexText(std::optional<int64_t> index, int64_t position, std::span<const int64_t> dims,
                           int64_t size, bool wraps);

/// "size -1 at [2] is negative" or "the sizes up to [2] sum to 20, which is more than 16": the size of group
/// `group` is wrong, because of `number`, which is the size or the sum. Without a number it is not known.
std::string wrongSizeText(std::optional<int64_t> size, int64_t group, int64_t most);

/// The integers of a small tensor of dtype int32 or int64 (shapes, axes, k).
Result<std::vector<int64_t>> integersOf(const View &view);

/// A kernel whose run is one function; for families without state.
template <class Run> std::unique_ptr<LibraryKernel> makeKernel(Run run) {
  class FunctionKernel final : public LibraryKernel {
  public:
    explicit FunctionKernel(Run run) : body(std::move(run)) {}
    Result<void> run(Call &call) const override { return body(call); }

  private:
    Run body;
  };
  return std::make_unique<FunctionKernel>(std::move(run));
}

} // namespace proa::runtime
