#include "lib/compiler/numerics/ReferenceProgram.h"

#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Sequences.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/program/SpecializeFeeds.h"
#include "passes/decompose/Passes.h"
#include "passes/normalize/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace proa::numerics {
namespace {

using Tensors = std::map<std::string, Tensor>;
using Transform = std::function<Result<void>(ModuleOp)>;

/// Decomposes only gradients, so that all other ops are evaluated directly.
Result<void> decomposeGradients(ModuleOp module) {
  DiagnosticCollector errors(module.getContext());
  PassManager pm(module.getContext());
  pm.addPass(createRefineShapes());
  DecomposeOptions gradients;
  gradients.only = {"pd.vjp"};
  pm.addPass(createDecompose(gradients));
  pm.addPass(createRefineShapes());
  if (succeeded(pm.run(module)))
    return {};
  Diagnostics named;
  for (Diagnostic error : errors.take("a gradient cannot be decomposed")) {
    error.code = noGradientCode;
    named.add(std::move(error));
  }
  return named;
}

FeedFacts factsOf(ProgramSource &source, MLIRContext &context, const Tensors &feeds,
                  const Tensors &parameters) {
  FeedFacts facts;
  if (!source.dependsOnFeeds())
    return facts;
  for (const auto &[name, tensor] : feeds)
    if (auto count = static_cast<int>(tensor.lod().size()); count != source.lodLevelOf(name).value_or(0))
      facts.lodLevels[name] = count;
  facts.sequences = elementDims(feeds);
  if (source.legacyProgram())
    facts.parameters = import::specializingParameters(parameters);
  else if (auto interface = source.declaredInterface(context)) // sequences without elements
    for (const std::string &name : interface->sequences)
      facts.sequences.try_emplace(name);
  return facts;
}

Result<ReferenceProgram> importWith(ProgramSource &source, MLIRContext &context, const FeedFacts &facts,
                                    const Tensors &feeds, const Transform &transform) {
  auto imported = source.import(context, facts);
  if (!imported)
    return imported.diagnostics();
  ReferenceProgram program;
  program.specialized = std::move(*imported);
  if (hasFormedKernels(*program.specialized))
    return errorAt("", "its kernels are formed already, expected a program of pd ops");
  if (Result<void> done = transform ? transform(*program.specialized) : Result<void>(); !done)
    return done.diagnostics();
  std::map<std::string, std::vector<int64_t>> dims;
  for (const auto &[name, tensor] : import::withLods(feeds))
    dims[name] = tensor.dims();
  if (Result<void> done = specializeFeeds(*program.specialized, dims); !done)
    return done.diagnostics();
  program.module = OwningOpRef<ModuleOp>(cast<ModuleOp>(program.specialized.get()->clone()));
  if (Result<void> done = decomposeGradients(*program.module); !done)
    return done.diagnostics();
  return program;
}

} // namespace

Result<ReferenceProgram> importReference(ProgramSource &source, MLIRContext &context, const Tensors &feeds,
                                         const Tensors &parameters) {
  FeedFacts facts = factsOf(source, context, feeds, parameters);
  auto program = importWith(source, context, facts, feeds, {});
  if (program || !source.dependsOnFeeds())
    return program;
  for (const auto &[name, tensor] : import::withLods(feeds))
    facts.dims[name] = tensor.dims();
  facts.values = import::specializingFeeds(feeds);
  facts.deferAll = true;
  return importWith(source, context, facts, feeds, {});
}

Result<ReferenceProgram> importReference(ProgramSource &source, MLIRContext &context, const Tensors &feeds,
                                         const Tensors &parameters, const Transform &transform) {
  return importWith(source, context, factsOf(source, context, feeds, parameters), feeds, transform);
}

} // namespace proa::numerics
