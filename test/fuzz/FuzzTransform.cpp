#include "lib/checkpoint/transform/Apply.h"
#include "test/fuzz/Fuzzing.h"

using namespace proa;
using namespace proa::transform;

namespace {

TensorInfos inputs() {
  TensorInfos infos;
  for (const char *name :
       {"q", "k", "v", "l.0.w", "l.1.w", "l.1.e.0", "l.1.e.1", "w.moment1_0", "w.w_0", "w"})
    infos[name] = {DType::Float32, {4, 8}};
  infos["h"] = {DType::BFloat16, {8}};
  infos["s"] = {DType::Int64, {}};
  infos["z"] = {DType::Float32, {0, 2}};
  return infos;
}

/// Reads all elements of small results.
void compute(const Mapping &mapping, const TensorInfos &infos) {
  for (const Target &target : mapping.targets)
    if (elementCount(target.dims()).value_or(INT64_MAX) < 4096)
      (void)computeTarget(mapping, target, [&](const std::string &name, const Box &) -> Result<BoxTensor> {
        Tensor tensor(infos.at(name).dtype, infos.at(name).dims);
        std::fill_n(tensor.as<std::byte>(), tensor.bytes(), std::byte(0));
        return BoxTensor{tensor};
      });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<std::vector<Statement>> statements =
      parseStatements({reinterpret_cast<const char *>(data), size}, "fuzz", {{"H", "4"}});
  fuzz::check(statements);
  if (!statements)
    return 0;
  static const TensorInfos infos = inputs();
  for (bool isInverse : {false, true})
    for (const TensorInfos *targets : {static_cast<const TensorInfos *>(nullptr), &infos}) {
      Result<Mapping> mapping = mapTensors(*statements, infos, {targets, isInverse});
      fuzz::check(mapping);
      if (mapping)
        compute(*mapping, infos);
    }
  return 0;
}
