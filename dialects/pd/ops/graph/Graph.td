// Rows sent along the edges of a graph, and reduced by group.
#ifndef PROA_DIALECTS_PD_GRAPH_GRAPH
#define PROA_DIALECTS_PD_GRAPH_GRAPH

include "dialects/pd/ir/Base.td"

class Pd_GraphOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let decomposesInCode = 1;
  let lod = "none";
}

defvar ReduceKinds = "SUM, MEAN, MAX or MIN; a row that gets nothing is 0.";

def Pd_SegmentPoolOp : Pd_GraphOp<"segment_pool"> {
  let summary = "Row i of the result: the rows of x whose segment id is i, reduced";
  let description = "segment_ids ascends; the result has as many rows as its last element says. pooltype: " # ReduceKinds # [{
    `summed_ids` holds how many rows each segment has, as a column.
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
  let summary = "Row dst_index[i] of the result gets row src_index[i] of x; what meets there is reduced";
  let description = "The result has out_size rows (or what out_size_tensor says), or as many as x where that is below 1. " #
    "reduce_op: " # ReduceKinds # [{
    `dst_count` holds how many rows each row gets.
  }];
  let constraints = [
    "C1. src_index and dst_index are vectors (or columns) of one extent",
    "C3. x has rows"
  ];
  let infer = "inferSendURecv";
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$src_index, Pd_IntTensor:$dst_index, Optional<Pd_IntTensor>:$out_size_tensor,
    Pd_DefaultEnum<Pd_SegmentReduceAttr, "Sum">:$reduce_op, DefaultValuedAttr<DenseI64ArrayAttr, "{0}">:$out_size);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$dst_count);
  let legacy = [Legacy<"graph_send_recv", ["X", "Src_index", "Dst_index", "Out_size"], ["Out", "Dst_count"],
    ["reduce_op", "out_size:long"]>];
  let newIrGradients = ["send_u_recv_grad(x, src_index, dst_index, out, dst_count, dout)"];
}

def Pd_SendUeRecvOp : Pd_GraphOp<"send_ue_recv"> {
  let summary = "As send_u_recv, with row i of y added to, or multiplied with, what is sent along edge i";
  let description = [{
    message_op: ADD or MUL. The dimensions of x and y after the first are broadcast together.
  }];
  let constraints = [
    "C1. src_index and dst_index are vectors (or columns) of one extent",
    "C3. x and y have rows of one element type"
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
  let summary = "For each edge the row of x at its source plus, or times, the row of y at its end";
  let description = [{
    The dimensions of x and y after the first are broadcast together.
  }];
  let constraints = [
    "C1. src_index and dst_index are vectors (or columns) of one extent",
    "C3. x and y have rows of one element type"
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
  let summary = "Nodes of a sampled neighbourhood numbered from 0 on, those of x first";
  let description = [{
    `neighbors` holds count[i] neighbours of each x[i]. out_nodes lists all nodes, each once: x, then the new neighbours in
    their order; an edge goes from reindex_src (a neighbour) to reindex_dst (an element of x).
  }];
  let constraints = ["C1. x, neighbors and count are vectors; count has as many elements as x"];
  let infer = "inferReindexGraph";
  let arguments = (ins Pd_IntTensor:$x, Pd_IntTensor:$neighbors, Pd_IntTensor:$count);
  let results = (outs Pd_IntTensor:$reindex_src, Pd_IntTensor:$reindex_dst, Pd_IntTensor:$out_nodes);
  let legacy = [Legacy<"graph_reindex", ["X", "Neighbors", "Count"], ["Reindex_Src", "Reindex_Dst", "Out_Nodes"], [],
    ["HashTable_Value", "HashTable_Index"]>];
}

#endif
