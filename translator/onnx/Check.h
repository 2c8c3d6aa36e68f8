/// Checks of a model that need no schemas of ops.
#pragma once

#include "lib/base/support/FileReport.h"
#include "translator/onnx/Location.h"
#include "translator/onnx/Model.h"

namespace proa::onnx {

/// Reports what ONNX's checker refuses, and a few more errors (marked +):
/// - a version of the format that is missing or unknown; opset imports that are missing, domains that are
///   imported in two versions (+), keys of metadata that are twice
/// - a graph, value, node, attribute or function without its name; inputs and outputs of the main graph
///   without type, element type or dims
/// - a name that is defined twice in a graph and the graphs around it; a node that uses a value before it is
///   defined; an output without definition; an initializer that is not an input (up to IR version 3)
/// - a node whose domain is not imported; an attribute that is there twice
/// - a reference to an attribute outside of a function, or that the function lacks (+)
/// - functions with the same domain, name and overload, with a name twice in inputs, outputs or attributes,
///   with undefined outputs (+), that call themselves by any path
/// - a sparse tensor whose indices do not match its values and dims
/// - bindings of training that are not names of initializers and outputs (+)
void check(const Model &model, FileReport &report);

/// The sparse tensor at `at`.
void checkSparseTensor(const SparseTensorValue &tensor, const Location &at, FileReport &report);

/// Functions that are there twice or call themselves, and calls deeper than 100 functions.
void checkCalls(const Model &model, FileReport &report);

} // namespace proa::onnx
