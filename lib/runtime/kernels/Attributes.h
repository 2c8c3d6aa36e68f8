/// Reads the attributes of a library kernel, and collects what is wrong with them.
#pragma once

#include "lib/runtime/Library.h"

#include <initializer_list>
#include <optional>

namespace proa::runtime {

/// Takes attributes by name. An attribute that is absent has the default; one of the wrong type is a problem.
/// Shapes of the request are checked with `expect`. Ask `problems` at the end.
class Attributes {
public:
  explicit Attributes(const KernelRequest &request) : request(request) {}

  bool has(const char *name) const { return request.attributes.contains(name); }
  bool boolean(const char *name, bool otherwise);
  int64_t integer(const char *name, int64_t otherwise);
  double real(const char *name, double otherwise);
  std::string text(const char *name, const std::string &otherwise);
  std::vector<int64_t> integers(const char *name, std::vector<int64_t> otherwise = {});
  std::vector<double> reals(const char *name, std::vector<double> otherwise = {});
  /// The dtype of that name ("int64").
  DType dtype(const char *name, DType otherwise);
  /// One of `allowed`, the first of which is the default.
  std::string choice(const char *name, std::initializer_list<const char *> allowed);

  /// Adds a problem unless `condition`.
  void expect(bool condition, std::string message) {
    if (!condition)
      list.add("", std::move(message));
  }
  /// The step must have at least so many inputs and outputs, all of these present.
  void expectOperands(size_t inputs, size_t outputs);
  /// Input i, where present, must have one of these dtypes.
  void expectDType(size_t input, std::initializer_list<DType> allowed);

  bool ok() const { return list.empty(); }
  const Problems &problems() const { return list; }

private:
  const nlohmann::json *find(const char *name) const;
  void wrong(const char *name, const char *expected, const nlohmann::json &found);

  const KernelRequest &request;
  Problems list;
};

/// The axis counted from the front, or a problem where it is outside of [-rank, rank).
Result<size_t> normalizeAxis(int64_t axis, size_t rank);

/// The integers of a small tensor of any integer dtype (shapes, axes, k).
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
