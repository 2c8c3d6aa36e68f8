/// Arrays of Python as tensors, and tensors as arrays, without copies where possible.
#pragma once

#include "proa/Model.h"

#include <nanobind/nanobind.h>

#include <map>
#include <string>

namespace proa::python {

/// Feeds of a run, by name.
using Feeds = std::map<std::string, Tensor>;

/// The tensors of a dictionary from names to instances of Tensor.
Feeds feedsOf(const nanobind::dict &tensors);
/// A copy in memory of its own.
Tensor copyOf(const Tensor &tensor);

/// Adds the classes Tensor and TensorInfo.
void addTensors(nanobind::module_ &module);

} // namespace proa::python
