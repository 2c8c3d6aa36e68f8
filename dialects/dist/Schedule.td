// The op that holds the schedule of a pipeline. Its header is Schedule.h.
#ifndef PROA_DIALECTS_DIST_SCHEDULE
#define PROA_DIALECTS_DIST_SCHEDULE

include "dialects/dist/Ops.td"

def Dist_ScheduleOp : Dist_Op<"schedule", [Symbol]> {
  let summary = "Names a schedule of a pipeline";
  let text = [{
    The jobs of each rank in the order in which it runs them: F is the forward of a micro-batch, B the gradient of the
    input of the stage, W the gradients of its parameters, BW both gradients. With several chunks for each rank, `F2.1`
    is the job of chunk 1. docs/pipelines.md lists the published schedules and their idle time.

    ```mlir
    dist.schedule @train microbatches = 3 {
      0: F0 F1 BW0 F2 BW1 BW2
      1: F0 BW0 F1 BW1 F2 BW2
    }
    dist.schedule @folded microbatches = 1 chunks = 2 placement = v activations = 1.0 {
      0: F0.0 F0.1 BW0.1 BW0.0
    }
    ```

    `placement` says which chunks a rank has: with `roundrobin` (default), chunk c of rank r of p ranks is stage
    c * p + r; with `v`, odd chunks run from the last rank to the first. `activations` limits what a rank holds, in the
    activations of one micro-batch on all chunks of a rank.
  }];
  let constraints = [
    "C1. the numbers of ranks, chunks and micro-batches are at least 1",
    "C2. jobs have existing micro-batches and chunks",
    "C3. each micro-batch has F and either BW or both B and W on each stage, once",
    "C4. a rank has its jobs in the order of their dependencies",
    "C5. ranks do not wait for each other in a cycle, also if sends wait for their receivers",
    "C6. no rank holds more activations than the limit"
  ];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$ranks, I64Attr:$microbatches,
    DefaultValuedAttr<I64Attr, "1">:$chunks, DefaultValuedAttr<StrAttr, "\"roundrobin\"">:$placement,
    OptionalAttr<F64Attr>:$activations);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The schedule. The op is valid.
    ::proa::pipeline::Schedule toSchedule();
    static ScheduleOp create(::mlir::OpBuilder &builder, ::mlir::Location location, ::llvm::StringRef name,
                             const ::proa::pipeline::Schedule &schedule);
  }];
}

#endif
