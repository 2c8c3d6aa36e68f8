// Positions of rows in sequences: integer ops that sequence ops decompose into.
#ifndef PROA_DIALECTS_PD_SEQUENCE_ROWS
#define PROA_DIALECTS_PD_SEQUENCE_ROWS

include "dialects/pd/ir/Base.td"

def Pd_RowPositionsOp : Pd_Op<"row_positions"> {
  let onnx = [OnnxWritten<"exportRowPositions">];
  let sharding = "whole: sequences are rows of one tensor, and a shard could end inside of one";
  let summary = "For each row of x the index of its sequence, and its position in it";
  let description = [{
    `offsets` [sequences + 1] ascends from 0 to the number of rows of x, of which only the first dim is used. Both
    results are int64 vectors with one element for each row.
  }];
  let constraints = ["C1. offsets is an int64 vector of one element or more, and x has a rank of at least 1"];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$offsets);
  let results = (outs Pd_IntTensor:$sequence, Pd_IntTensor:$position);
  let infer = "inferRowPositions";
  let library = "row_positions";
  let referenceInCode = 1;
  let batching = "unbatched";
}

def Pd_RangesOp : Pd_Op<"ranges"> {
  let onnx = [OnnxWritten<"exportRanges">];
  let sharding = "whole: sequences are rows of one tensor, and a shard could end inside of one";
  let summary = "Concatenated ranges of integers, and their offsets";
  let description = [{
    `rows` is starts[0], starts[0] + 1, ... (lengths[0] numbers), then the other ranges; `offsets` [n + 1] is 0, then
    the cumulative sums of lengths. At run time: lengths are not negative.
  }];
  let constraints = ["C1. starts and lengths are int64 vectors of the same length"];
  let arguments = (ins Pd_IntTensor:$starts, Pd_IntTensor:$lengths);
  let results = (outs Pd_IntTensor:$rows, Pd_IntTensor:$offsets);
  let infer = "inferRanges";
  let library = "ranges";
  let referenceInCode = 1;
  let batching = "refused";
}

#endif
