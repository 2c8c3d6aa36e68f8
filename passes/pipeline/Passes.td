#ifndef PROA_PASSES_PIPELINE_PASSES
#define PROA_PASSES_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def PipelineStages : Pass<"dist-pipeline", "::mlir::ModuleOp"> {
  let summary = "Run the micro-batches of a training step on the stages of a pipeline, in the order of a schedule";
  let description = [{
    The program is in sharded form (`dist-propagate`) on a mesh with the axis `axis`, over which no value is split. Its
    `main` has one loop over micro-batches (`pd-accumulate`), in which cotangents of losses follow a
    `pd.optimization_barrier` with the number of seeds (dialects/pd/autodiff/Seeds.h).

    Each index of the axis becomes a mesh, and each op runs on the mesh of its stage:
    - The forward ops are cut in program order into stages of balanced time, at values of few bytes. Ops on feeds and
      constants alone run on each stage that uses them. An op whose location has a stage (`dist.stage` of the imported
      program, or cuts of a plan) is in this stage.
    - A backward op runs on the last stage that has the forward values and parameters that it reads, but
      not on a later one than its cotangents. The ops that a stage before needs are job B, the others job W.
    - Sums over micro-batches are on the stage of their addends. If these are on several stages (a parameter that
      several stages read), each stage has a sum, and the sums are added once after the jobs.
    - Other ops run where the fewest bytes move. Optimizers are on the stage of their parameter.

    The loop becomes the jobs of all micro-batches in the order of the schedule: the `dist.schedule` of the module, or
    the published one with the name `schedule`, or with `auto` the best one of a search with the costs of the stages.
    The size of the program is proportional to the number of micro-batches. Values move between stages by
    `dist.reshard` after the job that computes them; barriers of seeds are removed.

    Errors: no such axis or loop; a `memory` that holds no micro-batch; a schedule for other numbers of ranks or
    micro-batches; fewer forward ops than stages; an op that needs the result of an op that is given a later stage;
    values between stages that are no tensors of static dims.

    ```mlir
    // before: schedule=fthenb, @m = <["pp"=2]>, two micro-batches
    %0:2 = scf.while (%i = %zero, %sum = %init) : ... {
      ...
    } do {
    ^bb0(%i: tensor<1xi64>, %sum: tensor<f32>):
      %x = pd.gather %xs, %i ...
      %h = pd.matmul %x, %w ...
      %y = pd.matmul %h, %v ...
      ...
    // after
    dist.mesh @m_stage0 = <[]>
    dist.mesh @m_stage1 = <[], devices = [1]>
    ...
    %x0 = pd.gather %xs, %c0 ...
    %h0 = pd.matmul %x0, %w {dist.shardings = [#dist.sharding<@m_stage0, [{}, {} ]>]} ...
    %1 = dist.reshard %h0 from <@m_stage0, [{}, {} ]> to <@m_stage1, [{}, {} ]> ...
    %x1 = pd.gather %xs, %c1 ...
    %h1 = pd.matmul %x1, %w ...
    %y0 = pd.matmul %1, %v {dist.shardings = [#dist.sharding<@m_stage1, [{}, {} ]>]} ...
    ```
  }];
  let options = [
    Option<"schedule", "schedule", "::proa::ScheduleChoice", "::proa::ScheduleChoice::OfProgram",
           "A schedule: of-program, fthenb, 1f1b, eager1f1b, interleaved, zbh1, zbh2, zbv, vhalf, vmin, auto",
           [{::proa::scheduleValues()}]>,
    Option<"chunks", "chunks", "int64_t", "0",
           "Chunks of each rank; 0: as many as the schedule has by default, of auto one or two">,
    Option<"memory", "memory", "int64_t", "0",
           "Bytes of a device, which the search of auto keeps: arguments, gradients and activations; 0: no limit">,
    Option<"axis", "axis", "std::string", "\"pp\"", "The axis of the mesh whose indices are the ranks">
  ];
  let dependentDialects = ["::proa::dist::DistDialect", "::proa::pd::PdDialect"];
}

#endif
