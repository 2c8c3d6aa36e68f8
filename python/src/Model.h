/// The class Model of the extension.
#pragma once

#include <nanobind/nanobind.h>

namespace proa::python {

void addModel(nanobind::module_ &module);

} // namespace proa::python
