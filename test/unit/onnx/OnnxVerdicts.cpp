/// Prints for each model file "ok FILE", or "refused FILE" and the errors; for check_against_onnx.py.
#include "translator/onnx/Inline.h"
#include "translator/onnx/ReadModel.h"
#include "translator/onnx/Schema.h"
#include "translator/onnx/WriteModel.h"

#include <cstdio>
#include <cstring>

using namespace proa;

namespace {

/// The errors of a model; writes it to `copy` after inlining if that is not empty.
Diagnostics errorsOf(const std::string &path, const std::string &copy) {
  Result<onnx::Model> model = onnx::readModel(path);
  if (!model)
    return model.diagnostics();
  if (Result<void> checked = onnx::checkSchemas(*model, path); !checked)
    return checked.diagnostics();
  if (copy.empty())
    return {};
  Result<onnx::Model> inlined = onnx::inlineFunctions(*model, path);
  if (!inlined)
    return inlined.diagnostics();
  return onnx::writeModel(*inlined, copy, {.externalFrom = 64}).diagnostics();
}

} // namespace

int main(int count, char **arguments) {
  bool mayCopy = count > 1 && std::strcmp(arguments[1], "--copy") == 0;
  for (int i = mayCopy ? 2 : 1; i < count; ++i) {
    Diagnostics errors = errorsOf(arguments[i], mayCopy ? std::string(arguments[i]) + ".copy" : "");
    std::printf("%s %s\n%s", errors.empty() ? "ok" : "refused", arguments[i], errors.text().c_str());
  }
}
