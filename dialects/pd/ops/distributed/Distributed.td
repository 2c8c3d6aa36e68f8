// Communication between processes.
#ifndef PROA_DIALECTS_PD_DISTRIBUTED_DISTRIBUTED
#define PROA_DIALECTS_PD_DISTRIBUTED_DISTRIBUTED

include "dialects/pd/ir/Base.td"

// A process group is a set of processes that run the same program. `ring_id` names it, `root` or `peer` is the rank of
// a process in it, `nranks` the number of processes. An op that communicates has an effect: it is not removed, merged,
// or moved across another one, since all processes must reach it.
//
// The CPU runtime runs one process: a process group has one member. Reductions, broadcasts and gathers of one shard are
// then the identity, which is their decomposition. Ops that name a second process (nranks above 1, send, receive) have
// no decomposition, and the compiler reports that they lack a kernel.
// Derivatives are of the sum of the losses of all processes. Where values are equal on all processes, as in
// tensor parallelism, that counts a loss once for each; c_identity and mp_allreduce_sum are the pair for it: their
// derivatives are each other.
defvar GroupConstraint = "C1. ring_id is not negative";
defvar RanksConstraint = "C2. nranks is above 0";
defvar ProcessConstraint = "C3. a rank (rank, root, peer) is not negative, and below nranks if that is given";
def Pd_Network : Resource<"::proa::pd::Network">;
def Pd_Communicates : MemoryEffects<[MemWrite<Pd_Network>]>;

class Pd_CommunicationOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t # [Pd_Communicates]> {
  let pure = 0;
}

class Number<string value> : DefaultValuedAttr<I64Attr, value>;
class Flag<string value> : DefaultValuedAttr<BoolAttr, value>;

// The stream of a kernel is irrelevant here.
defvar Streams = ["use_calc_stream=any", "use_model_parallel=any", "sync_mode=any"];

//===-- All processes give and get a tensor of the same shape -----------------------------------------------------===//

class Pd_ReductionInProcessGroup<string mnemonic, string what, string legacyType> : Pd_CommunicationOp<mnemonic> {
  let summary = what;
  let arguments = (ins Pd_NumberTensor:$x, Number<"0">:$ring_id);
  let results = (outs Pd_NumberTensor:$out);
  let vjpInCode = 1;
  let infer = "inferInProcessGroup";
  let decomposesInCode = 1;
  let legacy = [Legacy<legacyType, ["X"], ["Out"], ["ring_id"], !listconcat(Streams, ["slot Cond"])>];
}

def Pd_CAllreduceSumOp : Pd_ReductionInProcessGroup<"c_allreduce_sum",
  "The sum of x over all processes, on all processes", "c_allreduce_sum">;
def Pd_CAllreduceMaxOp : Pd_ReductionInProcessGroup<"c_allreduce_max",
  "The maximum of x over all processes, on all processes", "c_allreduce_max">;
def Pd_CAllreduceMinOp : Pd_ReductionInProcessGroup<"c_allreduce_min",
  "The minimum of x over all processes, on all processes", "c_allreduce_min">;
def Pd_CAllreduceProdOp : Pd_ReductionInProcessGroup<"c_allreduce_prod",
  "The product of x over all processes, on all processes", "c_allreduce_prod">;
def Pd_MpAllreduceSumOp : Pd_ReductionInProcessGroup<"mp_allreduce_sum",
  "The sum of x over all processes, on all processes, between the shards of one model: its gradient is the identity",
    "mp_allreduce_sum"> {
  let newIrGradients = ["mp_allreduce_sum_grad(dout)"];
}

class Pd_ReductionToRoot<string mnemonic, string what> : Pd_CommunicationOp<mnemonic> {
  let summary = what;
  let description = "`out` is defined only on the process `root`.";
  let arguments = (ins Pd_NumberTensor:$x, Number<"0">:$ring_id, Number<"0">:$root);
  let results = (outs Pd_NumberTensor:$out);
  let vjpInCode = 1;
  let infer = "inferInProcessGroup";
  let decomposesInCode = 1;
  let legacy = [Legacy<mnemonic, ["X"], ["Out"], ["ring_id", "root=root_id"], Streams>];
}

def Pd_CReduceSumOp : Pd_ReductionToRoot<"c_reduce_sum", "The sum of x over all processes, on process `root`">;
def Pd_CReduceMaxOp : Pd_ReductionToRoot<"c_reduce_max", "The maximum of x over all processes, on process `root`">;
def Pd_CReduceMinOp : Pd_ReductionToRoot<"c_reduce_min", "The minimum of x over all processes, on process `root`">;
def Pd_CReduceProdOp : Pd_ReductionToRoot<"c_reduce_prod", "The product of x over all processes, on process `root`">;

def Pd_AllReduceOp : Pd_CommunicationOp<"all_reduce"> {
  let summary = "The reduction of x over all processes, on all processes";
  let description = "reduce_type: 0 sum, 1 maximum, 2 minimum, 3 product, 4 mean.";
  let arguments = (ins Pd_NumberTensor:$x, Number<"0">:$ring_id, Number<"0">:$reduce_type);
  let results = (outs Pd_NumberTensor:$out);
  let vjpInCode = 1;
  let infer = "inferInProcessGroup";
  let decomposesInCode = 1;
  let precision = "follow";
  let legacy = [Legacy<"all_reduce", ["x"], ["out"], ["ring_id", "reduce_type"]>];
}

def Pd_ReduceOp : Pd_CommunicationOp<"reduce"> {
  let summary = "The reduction of x over all processes, on process `root`";
  let description = "reduce_type: as pd.all_reduce.";
  let arguments = (ins Pd_NumberTensor:$x, Number<"0">:$ring_id, Number<"0">:$root, Number<"0">:$reduce_type);
  let results = (outs Pd_NumberTensor:$out);
  let vjpInCode = 1;
  let infer = "inferInProcessGroup";
  let decomposesInCode = 1;
  let legacy = [Legacy<"reduce", ["x"], ["out"], ["ring_id", "root=root_id", "reduce_type"]>];
}

def Pd_BroadcastOp : Pd_CommunicationOp<"broadcast"> {
  let summary = "x of the process `root`, on all processes";
  let description = [{
    nranks of 0 means an unknown number of processes. The derivative needs it, and `rank`, the number of this process.
  }];
  let arguments = (ins Pd_Tensor:$x, Number<"0">:$ring_id, Number<"0">:$root, Number<"0">:$rank, Number<"0">:$nranks);
  let results = (outs Pd_Tensor:$out);
  let vjpInCode = 1;
  let infer = "inferInProcessGroup";
  let decomposesInCode = 1;
  let legacy = [Legacy<"c_broadcast", ["X"], ["Out"], ["ring_id", "root"], Streams>,
                Legacy<"broadcast", ["x"], ["out"], ["ring_id", "root"]>];
}

def Pd_BarrierOp : Pd_CommunicationOp<"barrier"> {
  let summary = "x, after all processes have reached this op";
  let arguments = (ins Pd_Tensor:$x, Number<"0">:$ring_id);
  let results = (outs Pd_Tensor:$out);
  let vjpInCode = 1;
  let infer = "inferInProcessGroup";
  let decomposesInCode = 1;
  let legacy = [Legacy<"barrier", ["X"], ["Out"], ["ring_id"]>];
}

//===-- Shards
//------------------------------------------------------------------------------------------------------===//

def Pd_AllGatherOp : Pd_CommunicationOp<"all_gather"> {
  let summary = "x of all processes, concatenated along the first dimension, on all processes";
  let description = "nranks of 0 means an unknown number of processes.";
  let constraints = [GroupConstraint, "C4. x has a dimension"];
  let arguments = (ins Pd_Tensor:$x, Number<"0">:$ring_id, Number<"0">:$nranks);
  let results = (outs Pd_Tensor:$out);
  let vjpInCode = 1;
  let infer = "inferGatherShards";
  let decomposesInCode = 1;
  let legacy = [Legacy<"c_allgather", ["X"], ["Out"], ["ring_id", "nranks"], Streams>,
                Legacy<"all_gather", ["x"], ["out"], ["ring_id", "nranks"]>,
                Legacy<"dist_concat", ["x"], ["out"], ["ring_id", "nranks"]>];
}

def Pd_CConcatOp : Pd_CommunicationOp<"c_concat"> {
  let summary = "x of all processes, concatenated along the last dimension, on all processes";
  let constraints = [GroupConstraint, RanksConstraint, ProcessConstraint, "C4. x has a dimension"];
  let arguments = (ins Pd_Tensor:$x, Number<"0">:$rank, Number<"1">:$nranks, Number<"0">:$ring_id);
  let results = (outs Pd_Tensor:$out);
  let vjpInCode = 1;
  let infer = "inferConcatShards";
  let decomposesInCode = 1;
  let precision = "follow";
  let legacy = [Legacy<"c_concat", ["X"], ["Out"], ["rank", "nranks", "ring_id"], Streams>];
  let newIrGradients = ["c_concat_grad(dout)"];
}

def Pd_ReduceScatterOp : Pd_CommunicationOp<"reduce_scatter"> {
  let summary = "The sum of x over all processes, split into nranks shards along the first dimension; the result is "
    "this process's shard";
  let constraints = [GroupConstraint, RanksConstraint, "C4. x has a dimension that nranks divides"];
  let arguments = (ins Pd_NumberTensor:$x, Number<"0">:$ring_id, Number<"1">:$nranks);
  let results = (outs Pd_NumberTensor:$out);
  let vjpInCode = 1;
  let infer = "inferFirstShard";
  let decomposesInCode = 1;
  let legacy = [Legacy<"c_reducescatter", ["X"], ["Out"], ["ring_id", "nranks"], Streams>,
                Legacy<"reduce_scatter", ["x"], ["out"], ["ring_id", "nranks"]>];
}

def Pd_CScatterOp : Pd_CommunicationOp<"c_scatter"> {
  let summary = "x of the process `root`, split into nranks shards along the first dimension; the result is this "
    "process's shard";
  let constraints = [GroupConstraint, RanksConstraint, ProcessConstraint, "C4. x has a dimension that nranks divides"];
  let arguments = (ins Pd_Tensor:$x, Number<"0">:$ring_id, Number<"0">:$root, Number<"1">:$nranks);
  let results = (outs Pd_Tensor:$out);
  let vjpInCode = 1;
  let infer = "inferFirstShard";
  let decomposesInCode = 1;
  let legacy = [Legacy<"c_scatter", ["X"], ["Out"], ["ring_id", "root", "nranks"], Streams>];
}

def Pd_AllToAllOp : Pd_CommunicationOp<"all_to_all"> {
  let summary = "x split along the first dimension into one shard for each process; `out` concatenates the shards "
    "received from all";
  let arguments = (ins Pd_Tensor:$x, Number<"0">:$ring_id);
  let results = (outs Pd_Tensor:$out);
  let vjpInCode = 1;
  let infer = "inferInProcessGroup";
  let decomposesInCode = 1;
  let legacy = [Legacy<"alltoall", ["X"], ["Out"], ["ring_id"], Streams>,
                Legacy<"all_to_all", ["x"], ["out"], ["ring_id"]>];
}

def Pd_PartialAllgatherOp : Pd_CommunicationOp<"partial_allgather"> {
  let summary = "x of which each process has one of nranks equal shards, completed by the shards of the others";
  let constraints = [GroupConstraint, RanksConstraint, ProcessConstraint];
  let arguments = (ins Pd_Tensor:$x, Number<"0">:$ring_id, Number<"1">:$nranks, Number<"0">:$rank);
  let results = (outs Pd_Tensor:$out);
  let vjpInCode = 1;
  let infer = "inferRankedInProcessGroup";
  let decomposesInCode = 1;
  let legacy = [Legacy<"partial_allgather", ["X"], ["Out"], ["ring_id", "nranks", "rank"], Streams>];
}

class Pd_GlobalExchangeOp<string mnemonic, string what> : Pd_CommunicationOp<mnemonic> {
  let summary = what;
  let description = [{
    local_count and global_count have the number of rows sent to and received from each expert of each process.
  }];
  let constraints = [GroupConstraint, "C4. x has rank 2, both counts have rank 1"];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$local_count, Pd_IntTensor:$global_count, Number<"0">:$ring_id);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferExchange";
  let legacy = [Legacy<mnemonic, ["X", "local_count", "global_count"], ["Out"], ["ring_id"], Streams>];
}
def Pd_GlobalScatterOp : Pd_GlobalExchangeOp<"global_scatter", "Sends rows of x to the processes of their experts"> {
  let sharding = "whole: its process group has other devices; dist-from-process-groups maps it to a mesh";
  let vjp = ["e.wrap(e.create<GlobalGatherOp>(dout, local_count, global_count, static_cast<int64_t>(op.getRingId())))",
    "", ""];
  let newIrGradients = ["global_scatter_grad(local_count, global_count)"];
}
def Pd_GlobalGatherOp : Pd_GlobalExchangeOp<"global_gather", "Sends rows of x back from their experts"> {
  let sharding = "whole: its process group has other devices; dist-from-process-groups maps it to a mesh";
  let vjp = ["e.wrap(e.create<GlobalScatterOp>(dout, local_count, global_count, static_cast<int64_t>(op.getRingId())))",
    "", ""];
  let newIrGradients = ["global_gather_grad(local_count, global_count)"];
}

//===-- Two processes ---------------------------------------------------------------------------------------------===//

def Pd_SendV2Op : Pd_CommunicationOp<"send_v2"> {
  let sharding = "whole: its process group has other devices; dist-from-process-groups maps it to a mesh";
  let summary = "Sends x to the process `peer`";
  let constraints = [GroupConstraint, ProcessConstraint];
  let arguments = (ins Pd_Tensor:$x, Number<"0">:$ring_id, Number<"0">:$peer, Flag<"false">:$dynamic_shape);
  let infer = "inferSend";
  let legacy = [Legacy<"send_v2", ["X"], [], ["ring_id", "peer", "dynamic_shape"], Streams>,
                Legacy<"p_send", ["x"], [], ["ring_id", "peer", "dynamic_shape"]>];
}

class Pd_ReceiveOp<string mnemonic> : Pd_CommunicationOp<mnemonic> {
  let results = (outs Pd_Tensor:$out);
  let infer = "inferReceive";
}

def Pd_RecvV2Op : Pd_ReceiveOp<"recv_v2"> {
  let sharding = "whole: its process group has other devices; dist-from-process-groups maps it to a mesh";
  let summary = "Receives a tensor from the process `peer`";
  let description = [{
    With `dynamic_shape` the sender sends the shape, and out_shape gives only the rank. Negative dim sizes are
    dynamic.
  }];
  let constraints = [GroupConstraint, ProcessConstraint];
  let arguments = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$out_shape, TypeAttr:$dtype, Number<"0">:$peer,
    Number<"0">:$ring_id, Flag<"false">:$dynamic_shape);
  let legacy = [Legacy<"recv_v2", [], ["Out"], ["out_shape", "dtype", "peer", "ring_id", "dynamic_shape"], Streams>,
                Legacy<"p_recv", [], ["out"], ["dtype", "peer", "ring_id", "dynamic_shape"]>];
}

def Pd_PartialSendOp : Pd_CommunicationOp<"partial_send"> {
  let sharding = "whole: its process group has other devices; dist-from-process-groups maps it to a mesh";
  let summary = "Sends shard `id` of `num` equal shards of x to the process `peer`";
  let constraints = [GroupConstraint, ProcessConstraint, "C4. id is in [0, num)"];
  let arguments = (ins Pd_Tensor:$x, Number<"0">:$ring_id, Number<"0">:$peer, Number<"1">:$num, Number<"0">:$id);
  let infer = "inferPartialSend";
  let legacy = [Legacy<"partial_send", ["X"], [], ["ring_id", "peer", "num", "id"], Streams>];
}

def Pd_PartialRecvOp : Pd_ReceiveOp<"partial_recv"> {
  let sharding = "whole: its process group has other devices; dist-from-process-groups maps it to a mesh";
  let summary = "Receives shard `id` of `num` equal shards of a tensor from the process `peer`";
  let constraints = [GroupConstraint, ProcessConstraint, "C4. id is in [0, num)"];
  let arguments = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$out_shape, TypeAttr:$dtype, Number<"0">:$peer,
    Number<"0">:$ring_id, Number<"1">:$num, Number<"0">:$id);
  let infer = "inferPartialReceive";
  let legacy = [Legacy<"partial_recv", [], ["Out"], ["out_shape", "dtype", "peer", "ring_id", "num", "id"], Streams>];
}

//===-- Without communication -------------------------------------------------------------------------------------===//

def Pd_CIdentityOp : Pd_Op<"c_identity"> {
  let summary = "x, whose gradient is summed over the process group";
  let arguments = (ins Pd_Tensor:$x, Number<"0">:$ring_id);
  let results = (outs Pd_Tensor:$out);
  let vjpInCode = 1;
  let infer = "inferInProcessGroup";
  let decomposesInCode = 1;
  let precision = "follow";
  let legacy = [Legacy<"c_identity", ["X"], ["Out"], ["ring_id"], Streams>];
}

def Pd_CSplitOp : Pd_Op<"c_split"> {
  let summary = "Shard `rank` of x, split into nranks shards along the last dimension";
  let constraints = [GroupConstraint, RanksConstraint, ProcessConstraint, "C4. x has a dimension that nranks divides"];
  let arguments = (ins Pd_Tensor:$x, Number<"0">:$rank, Number<"1">:$nranks, Number<"0">:$ring_id);
  let results = (outs Pd_Tensor:$out);
  let vjpInCode = 1;
  let infer = "inferLastShard";
  let decomposesInCode = 1;
  let legacy = [Legacy<"c_split", ["X"], ["Out"], ["rank", "nranks", "ring_id"], Streams>];
}

def Pd_CEmbeddingOp : Pd_Op<"c_embedding"> {
  let summary = "Embedding lookup in a table of which this process has the rows from start_index on";
  let description = [{
    Row x - start_index of weight for each x, or zeros if this process does not have it; the sum over the processes is
    the embedding. vocab_size is the number of rows of all processes.
  }];
  let constraints = ["C4. weight has rank 2"];
  let arguments = (ins Pd_FloatTensor:$weight, Pd_IntTensor:$x, Number<"0">:$start_index, Number<"-1">:$vocab_size);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferPartialEmbedding";
  let decomposesInCode = 1;
  let legacy = [Legacy<"c_embedding", ["W", "Ids"], ["Out"], ["start_index:long", "vocab_size:long"]>];
}

def Pd_CSoftmaxWithCrossEntropyOp : Pd_CommunicationOp<"c_softmax_with_cross_entropy"> {
  let summary = "cross_entropy_with_softmax along the last dimension, which is split over the processes";
  let description = [{
    label has class indices among the classes of all processes, and dim size 1 in the last dimension. On one process
    the op is cross_entropy_with_softmax.
  }];
  let constraints = [
    GroupConstraint,
    ProcessConstraint,
    "C4. label has the dimensions of logits but for the last one, which is 1"
  ];
  let arguments = (ins Pd_FloatTensor:$logits, Pd_IntTensor:$label, Number<"-100">:$ignore_index, Number<"0">:$ring_id,
    Number<"0">:$rank, Number<"0">:$nranks);
  let results = (outs Pd_FloatTensor:$softmax, Pd_FloatTensor:$loss);
  let vjpInCode = 1;
  let infer = "inferParallelCrossEntropy";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"c_softmax_with_cross_entropy", ["Logits", "Label"], ["Softmax", "Loss"], ["ignore_index:long",
    "ring_id", "rank", "nranks"]>];
  let newIrGradients = ["c_softmax_with_cross_entropy_grad(softmax, label, dloss)"];
}

#endif
