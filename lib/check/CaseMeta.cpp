#include "lib/check/CaseMeta.h"

#include "translator/params/MetaFields.h"

namespace proa::check {

Result<CaseMeta> readCaseMeta(const std::string &path) {
  Result<nlohmann::json> object = params::readJsonObject(path);
  if (!object)
    return object.diagnostics();
  Diagnostics diagnostics;
  params::MetaFields fields(*object, path, diagnostics);
  CaseMeta meta;
  meta.read(fields);
  fields.read("case", meta.name);
  fields.read("kind", meta.kind);
  fields.read("runnable", meta.runnable);
  fields.read("why", meta.why);
  fields.read("runs", meta.runs);
  fields.read("steps", meta.steps);
  fields.read("op_histogram", meta.opHistogram);
  fields.read("param_grad", meta.parameterGradients);
  if (meta.runs < 1)
    fields.addError(fmt::format("runs: found {}, expected at least 1", meta.runs));
  if (!diagnostics.empty())
    return diagnostics;
  return meta;
}

} // namespace proa::check
