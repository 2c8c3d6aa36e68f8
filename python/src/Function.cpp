#include "Function.h"

#include "Errors.h"
#include "Options.h"
#include "Shared.h"
#include "Tensors.h"

#include "proa/Autodiff.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

namespace nb = nanobind;

namespace proa::python {
namespace {

using Indices = std::vector<int64_t>;

/// A function that several threads may use.
class SharedFunction : public Shared<Function> {
public:
  using Shared<Function>::Shared;

  /// A function that `transform` derives from this one.
  template <class Transform> std::unique_ptr<SharedFunction> derive(Transform transform) {
    return with(
        [&](Function &function) { return std::make_unique<SharedFunction>(check(transform(function))); });
  }
};

using Owned = std::unique_ptr<SharedFunction>;

/// A function that `open` makes without Python's lock.
template <class Open> Owned make(Open open) {
  nb::gil_scoped_release release;
  return std::make_unique<SharedFunction>(check(open()));
}

nb::list run(SharedFunction &self, const std::vector<Tensor> &arguments) {
  std::vector<Tensor> results = self.with([&](Function &function) { return check(function.run(arguments)); });
  nb::list list;
  for (Tensor &result : results)
    list.append(nb::cast(std::move(result)));
  return list;
}

void addClass(nb::module_ &module) {
  nb::class_<SharedFunction>(module, "Function", "A pure function of tensors.")
      .def_static(
          "parse",
          [](const std::string &text, const std::string &name) {
            return make([&] { return Function::parse(text, name); });
          },
          nb::arg("text"), nb::arg("name") = "", "Parses MLIR text with functions of pd ops.")
      .def_static(
          "open", [](const std::string &path) { return make([&] { return Function::open(path); }); },
          nb::arg("path"), "Opens a program.")
      .def_prop_ro(
          "arguments", [](SharedFunction &self) { return self.with([](auto &f) { return f.arguments(); }); },
          "Names, dtypes and dims of the arguments.")
      .def_prop_ro(
          "results", [](SharedFunction &self) { return self.with([](auto &f) { return f.results(); }); },
          "Names, dtypes and dims of the results.")
      .def_prop_ro(
          "text", [](SharedFunction &self) { return self.with([](auto &f) { return f.text(); }); },
          "The function as MLIR text.")
      .def(
          "with_dims",
          [](SharedFunction &self, const std::vector<Indices> &dims) {
            return self.derive([&](Function &f) { return f.withDims(dims); });
          },
          nb::arg("dims"), "The function for static dims of each argument.")
      .def(
          "with_results",
          [](SharedFunction &self, const Indices &results) {
            return self.derive([&](Function &f) { return f.withResults(results); });
          },
          nb::arg("results"), "The function with only these results.")
      .def(
          "set_optimize",
          [](SharedFunction &self, bool on) { self.with([&](Function &f) { f.setOptimizesCode(on); }); },
          nb::arg("on"), "Whether LLVM optimizes the code.")
      .def("run", &run, nb::arg("arguments"),
           nb::sig("def run(self, arguments: collections.abc.Sequence[Tensor]) -> list[Tensor]"),
           "Computes the results.")
      .def(
          "arena_bytes",
          [](SharedFunction &self, const std::vector<Tensor> &arguments) {
            return self.with([&](Function &f) { return check(f.arenaBytes(arguments)); });
          },
          nb::arg("arguments"), "Arena size of a run with these arguments, in bytes.");
}

} // namespace

void addFunctions(nb::module_ &module) {
  addClass(module);
  module.def(
      "grad",
      [](SharedFunction &self, const Indices &arguments, int64_t result, bool withValue,
         int64_t loopSnapshots, int64_t microBatches, const Indices &batches) {
        GradOptions options{arguments, result, withValue, loopSnapshots, microBatches, batches};
        return self.derive([&](Function &f) { return grad(f, options); });
      },
      nb::arg("function"), nb::arg("arguments"), nb::arg("result"), nb::arg("with_value"),
      nb::arg("loop_snapshots"), nb::arg("micro_batches"), nb::arg("batches"), "The gradient.");
  module.def(
      "vjp",
      [](SharedFunction &self, const Indices &arguments, int64_t loopSnapshots) {
        return self.derive([&](Function &f) { return vjp(f, arguments, loopSnapshots); });
      },
      nb::arg("function"), nb::arg("arguments"), nb::arg("loop_snapshots"), "Reverse mode.");
  module.def(
      "jvp",
      [](SharedFunction &self, const Indices &arguments) {
        return self.derive([&](Function &f) { return jvp(f, arguments); });
      },
      nb::arg("function"), nb::arg("arguments"), "Forward mode.");
  module.def(
      "vmap",
      [](SharedFunction &self, const Indices &mapped, int64_t size) {
        return self.derive([&](Function &f) { return vmap(f, mapped, size); });
      },
      nb::arg("function"), nb::arg("mapped"), nb::arg("size"), "Batching.");
  module.def(
      "hessian",
      [](SharedFunction &self, int64_t argument, int64_t result) {
        return self.derive([&](Function &f) { return hessian(f, argument, result); });
      },
      nb::arg("function"), nb::arg("argument"), nb::arg("result"), "Second derivatives.");
  module.def(
      "checkpoint",
      [](SharedFunction &self, const std::vector<std::string> &names) {
        return self.derive([&](Function &f) { return checkpoint(f, names); });
      },
      nb::arg("function"), nb::arg("names"), "The function whose gradient recomputes values.");
  module.def(
      "rematerialize",
      [](SharedFunction &self, int64_t memoryBudget) {
        return self.derive([&](Function &f) { return rematerialize(f, memoryBudget); });
      },
      nb::arg("function"), nb::arg("memory_budget"), "The function with values recomputed to save memory.");
  module.def(
      "mix_precision",
      [](SharedFunction &self, const nb::object &amp) {
        AmpOptions options = ampOptionsOf(amp);
        return self.derive([&](Function &f) { return mixPrecision(f, options); });
      },
      nb::arg("function"), nb::arg("amp"), "The function in mixed precision.");
}

} // namespace proa::python
