#include "tools/proa-checkpoint/ModelLayout.h"

#include "lib/compiler/api/CheckpointLayout.h"
#include "tools/proa-run/Feeds.h"
#include "translator/params/ModelMeta.h"

#include <filesystem>

namespace proa::tools {

namespace fs = std::filesystem;

CLI::Option *declareModelLayout(CommandLine &line, ModelLayoutOptions &options) {
  CLI::Option *strategy =
      line.add_option(
              "--strategy", options.strategy,
              "convert: the layout that proa-run with this strategy, such as dp2,mp2,zero1, saves for "
              "the program of --model; nothing is compiled or run")
          ->type_name("STRATEGY");
  CLI::Option *model = line.add_option("--model", options.model, "convert: the program of --strategy")
                           ->check(checkName)
                           ->type_name("PATH")
                           ->needs(strategy);
  strategy->needs(model);
  line.add_option("--mesh", options.mesh,
                  "convert: axes of the mesh, such as dp=2,mp=4; default: from the strategy")
      ->type_name("AXES")
      ->needs(strategy);
  line.add_option("--dims", options.dims,
                  "convert: dims of feeds, on which the distribution may depend; default: the dims of "
                  "inputs.safetensors in the model's folder")
      ->check(checkFeedDims)
      ->allow_extra_args(false)
      ->type_name("NAME=1x3x224x224,...")
      ->needs(strategy);
  line.takeMoreValues("--dims", isFeedDims);
  return strategy;
}

Result<std::unique_ptr<checkpoints::Layout>> layoutOfModel(const ModelLayoutOptions &options) {
  ModelOptions given;
  given.mesh =
      MeshOptions{.axes = options.mesh, .shardings = {}, .strategy = options.strategy, .simulate = true};
  Diagnostics diagnostics;
  given.feedDims = parseFeedDims(options.dims, diagnostics);
  if (!diagnostics.empty())
    return diagnostics;
  fs::path path(options.model);
  fs::path folder = fs::is_directory(path) ? path : path.parent_path();
  bool isIr = options.model.ends_with(".mlir") || options.model.ends_with(".mlirbc");
  FeedOptions feedOptions{.dims = options.dims};
  if (!isIr && options.dims.empty())
    feedOptions.defaultFile = (folder / "inputs.safetensors").string();
  Result<params::ModelMeta> meta = params::ModelMeta();
  if (fs::path file = folder / "meta.json"; !isIr && fs::exists(file))
    meta = params::readModelMeta(file.string());
  if (!meta)
    return meta.diagnostics();
  given.feeds = meta->feeds;
  given.fetches = meta->fetches;
  feedOptions.ignored = meta->stateInputs;
  Result<Model> model = Model::open(options.model, given);
  if (!model)
    return model.diagnostics();
  auto feeds = makeFeedsOfSteps(model->feeds(), feedOptions);
  if (!feeds)
    return feeds.diagnostics();
  giveDeclaredLods(feeds->front(), *meta);
  return checkpointLayout(*model, feeds->front());
}

} // namespace proa::tools
