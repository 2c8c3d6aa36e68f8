// Messages along the edges of a graph, and reductions by segment.
#ifndef PROA_DIALECTS_PD_GRAPH_GRAPH
#define PROA_DIALECTS_PD_GRAPH_GRAPH

include "dialects/pd/ir/Base.td"

class Pd_GraphOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let decomposesInCode = 1;
  let lod = "none";
}

defvar ReduceKinds = "SUM, MEAN, MAX or MIN; a row without inputs is 0.";

def Pd_SegmentPoolOp : Pd_GraphOp<"segment_pool"> {
  let summary = "Reduction by segment: row i of the result reduces the rows of x whose segment id is i";
  let description = "segment_ids is ascending; the result has one row more than its last element. pooltype: "
    # ReduceKinds # [{
    `summed_ids` is the number of rows of each segment, as a column.
  }];
  let constraints = [
    "C1. segment_ids is a vector with as many elements as x has rows"
  ];
  let infer = "inferSegmentPool";
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$segment_ids, Pd_DefaultEnum<Pd_SegmentReduceAttr, "Sum">:$pooltype);
  let results = (outs Pd_Tensor:$out, Pd_Tensor:$summed_ids);
  let legacy = [Legacy<"segment_pool", ["X", "SegmentIds"], ["Out", "SummedIds"], ["pooltype"]>];
  let newIrGradients = ["segment_pool_grad(x, segment_ids, out, summed_ids)"];
}

def Pd_SendURecvOp : Pd_GraphOp<"send_u_recv"> {
  let summary = "Row dst_index[i] of the result reduces the rows src_index[i] of x that are sent to it";
  let description = "The result has out_size rows (or the number in out_size_tensor), or as many as x if that is "
    "below 1. " #
    "reduce_op: " # ReduceKinds # [{
    `dst_count` is the number of rows sent to each row.
  }];
  let constraints = [
    "C1. src_index and dst_index are vectors (or columns) of the same length",
    "C3. x has rows"
  ];
  let infer = "inferSendURecv";
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$src_index, Pd_IntTensor:$dst_index,
    Optional<Pd_IntTensor>:$out_size_tensor, Pd_DefaultEnum<Pd_SegmentReduceAttr, "Sum">:$reduce_op,
    DefaultValuedAttr<DenseI64ArrayAttr, "{0}">:$out_size);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$dst_count);
  let legacy = [Legacy<"graph_send_recv", ["X", "Src_index", "Dst_index", "Out_size"], ["Out", "Dst_count"],
    ["reduce_op", "out_size:long"]>];
  let newIrGradients = ["send_u_recv_grad(x, src_index, dst_index, out, dst_count, dout)"];
}

def Pd_SendUeRecvOp : Pd_GraphOp<"send_ue_recv"> {
  let summary = "As pd.send_u_recv, with row i of y added to, or multiplied with, the row sent along edge i";
  let description = [{
    message_op: ADD or MUL. The dimensions of x and y after the first broadcast.
  }];
  let constraints = [
    "C1. src_index and dst_index are vectors (or columns) of the same length",
    "C3. x and y have rows of the same element type",
    "C4. the rows of x and y broadcast"
  ];
  let infer = "inferSendUeRecv";
  let arguments = (ins Pd_Tensor:$x, Pd_Tensor:$y, Pd_IntTensor:$src_index, Pd_IntTensor:$dst_index,
    Optional<Pd_IntTensor>:$out_size_tensor, Pd_DefaultEnum<Pd_MessageOpAttr, "Add">:$message_op,
    Pd_DefaultEnum<Pd_SegmentReduceAttr, "Sum">:$reduce_op, DefaultValuedAttr<DenseI64ArrayAttr, "{0}">:$out_size);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$dst_count);
  let legacy = [Legacy<"graph_send_ue_recv", ["X", "Y", "Src_index", "Dst_index", "Out_size"], ["Out", "Dst_count"],
    ["message_op", "reduce_op", "out_size:long"]>];
  let newIrGradients = ["send_ue_recv_grad(x, y, src_index, dst_index, out, dst_count, dout)"];
}

def Pd_SendUvOp : Pd_GraphOp<"send_uv"> {
  let summary = "For each edge, the row of x at its source plus, or times, the row of y at its target";
  let description = [{
    The dimensions of x and y after the first broadcast.
  }];
  let constraints = [
    "C1. src_index and dst_index are vectors (or columns) of the same length",
    "C3. x and y have rows of the same element type",
    "C4. the rows of x and y broadcast"
  ];
  let infer = "inferSendUv";
  let arguments = (ins Pd_Tensor:$x, Pd_Tensor:$y, Pd_IntTensor:$src_index, Pd_IntTensor:$dst_index,
    Pd_DefaultEnum<Pd_MessageOpAttr, "Add">:$message_op);
  let results = (outs Pd_Tensor:$out);
  let legacy = [Legacy<"graph_send_uv", ["x", "y", "src_index", "dst_index"], ["out"], ["message_op"]>];
}

class Pd_GraphLibraryOp<string mnemonic> : Pd_Op<mnemonic> {
  let library = mnemonic;
  let lod = "none";
}

def Pd_ReindexGraphOp : Pd_GraphLibraryOp<"reindex_graph"> {
  let sharding = "whole: the neighbours of a node may be anywhere";
  let summary = "Nodes of a sampled neighborhood numbered from 0, starting with the nodes of x";
  let description = [{
    `neighbors` has count[i] neighbors of each x[i]. out_nodes lists each node once: x, then new neighbors in order.
    An edge goes from reindex_src (a neighbor) to reindex_dst (an element of x).
  }];
  let constraints = ["C1. x, neighbors and count are vectors; count has as many elements as x"];
  let infer = "inferReindexGraph";
  let decomposesInCode = 1;
  let arguments = (ins Pd_IntTensor:$x, Pd_IntTensor:$neighbors, Pd_IntTensor:$count);
  let results = (outs Pd_IntTensor:$reindex_src, Pd_IntTensor:$reindex_dst, Pd_IntTensor:$out_nodes);
  let legacy = [Legacy<"graph_reindex", ["X", "Neighbors", "Count"], ["Reindex_Src", "Reindex_Dst", "Out_Nodes"], [],
    ["slot HashTable_Value", "slot HashTable_Index"]>];
  let referenceInCode = 1;
  let batching = "refused";
}

#endif
