/// The class Function of the extension, and its transforms.
#pragma once

#include <nanobind/nanobind.h>

namespace proa::python {

void addFunctions(nanobind::module_ &module);

} // namespace proa::python
