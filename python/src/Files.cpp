#include "Files.h"

#include "Errors.h"
#include "Options.h"
#include "Tensors.h"

#include "proa/Program.h"
#include "translator/params/Safetensors.h"

#include <nanobind/stl/string.h>

#include <vector>

namespace nb = nanobind;

namespace proa::python {

static nb::dict readTensors(const std::string &path) {
  params::Tensors tensors = [&] {
    nb::gil_scoped_release release;
    return check(params::readSafetensors(path));
  }();
  nb::dict values;
  for (auto &[name, tensor] : tensors)
    values[name.c_str()] = nb::cast(tensor);
  return values;
}

static void writeTensors(const std::string &path, const nb::dict &values) {
  Feeds tensors = feedsOf(values);
  nb::gil_scoped_release release;
  check(params::writeSafetensors(path, tensors));
}

namespace {

/// Calls `work` without Python's lock, with a function that collects diagnostics; then appends these to a
/// list.
template <class Work> auto collecting(nb::list &diagnostics, Work work) {
  std::vector<Diagnostic> found;
  auto result = [&] {
    nb::gil_scoped_release release;
    return work([&](const Diagnostic &diagnostic) { found.push_back(diagnostic); });
  }();
  for (Diagnostic &diagnostic : found)
    diagnostics.append(nb::cast(std::move(diagnostic)));
  return check(std::move(result));
}

std::string importText(const std::string &path, const nb::dict &arguments, nb::list diagnostics) {
  ProgramOptions options = programOptionsOf(arguments);
  return collecting(diagnostics, [&](auto onDiagnostic) {
    options.onDiagnostic = onDiagnostic;
    return importProgram(path, options);
  });
}

void exportFile(const std::string &path, const std::string &output, const std::string &format,
                const nb::dict &arguments, nb::list diagnostics) {
  ProgramOptions options = programOptionsOf(arguments);
  collecting(diagnostics, [&](auto onDiagnostic) {
    options.onDiagnostic = onDiagnostic;
    return exportProgram(path, output, format, options);
  });
}

std::string passes(const std::string &text, const std::string &pipeline, nb::list diagnostics) {
  return collecting(diagnostics, [&](auto onDiagnostic) { return runPasses(text, pipeline, onDiagnostic); });
}

} // namespace

void addFiles(nb::module_ &module) {
  module.def("import_program", &importText, nb::arg("path"), nb::arg("options"), nb::arg("diagnostics"),
             nb::sig("def import_program(path: str, options: dict[str, object], "
                     "diagnostics: list[Diagnostic]) -> str"),
             "The program as MLIR text; warnings are appended to the list.");
  module.def("export_program", &exportFile, nb::arg("path"), nb::arg("output"), nb::arg("format"),
             nb::arg("options"), nb::arg("diagnostics"),
             nb::sig("def export_program(path: str, output: str, format: str, options: dict[str, object], "
                     "diagnostics: list[Diagnostic]) -> None"),
             "Writes a program; warnings are appended to the list.");
  module.def("run_passes", &passes, nb::arg("text"), nb::arg("pipeline"), nb::arg("diagnostics"),
             nb::sig("def run_passes(text: str, pipeline: str, diagnostics: list[Diagnostic]) -> str"),
             "Runs passes on MLIR text; warnings and remarks are appended to the list.");
  module.def("read_safetensors", &readTensors, nb::arg("path"),
             nb::sig("def read_safetensors(path: str) -> dict[str, Tensor]"),
             "The tensors of a .safetensors file.");
  module.def("write_safetensors", &writeTensors, nb::arg("path"), nb::arg("tensors"),
             nb::sig("def write_safetensors(path: str, tensors: dict[str, Tensor]) -> None"),
             "Writes a .safetensors file.");
}

} // namespace proa::python
