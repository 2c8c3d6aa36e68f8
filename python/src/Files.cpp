#include "Files.h"

#include "Errors.h"
#include "Tensors.h"

#include "translator/params/Safetensors.h"

#include <nanobind/stl/string.h>

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

void addFiles(nb::module_ &module) {
  module.def("read_safetensors", &readTensors, nb::arg("path"),
             nb::sig("def read_safetensors(path: str) -> dict[str, Tensor]"),
             "The tensors of a .safetensors file.");
  module.def("write_safetensors", &writeTensors, nb::arg("path"), nb::arg("tensors"),
             nb::sig("def write_safetensors(path: str, tensors: dict[str, Tensor]) -> None"),
             "Writes a .safetensors file.");
}

} // namespace proa::python
