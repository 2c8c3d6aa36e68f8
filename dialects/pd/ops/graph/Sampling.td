// Sampling of neighbors in graphs and of nodes in trees.
#ifndef PROA_DIALECTS_PD_GRAPH_SAMPLING
#define PROA_DIALECTS_PD_GRAPH_SAMPLING

include "dialects/pd/ir/Base.td"

def Pd_GraphSampleNeighborsOp : Pd_Op<"graph_sample_neighbors"> {
  let sharding = "whole: the neighbours of a node may be anywhere";
  let summary = "At most sample_size neighbors of each node, sampled without replacement";
  let description = [{
    The neighbors of node i are row[colptr[i]] to row[colptr[i + 1] - 1]. `out` has the neighbors of x[0], then of x[1],
    ...; out_count has their numbers. A node with at most sample_size neighbors, or any node if sample_size is -1,
    gets all of them in order. With return_eids, `out_eids` has the elements of eids at the indices of `out` in row.
    At run time: elements of x are nodes, colptr ascends up to the size of row.
  }];
  let constraints = ["C1. row, colptr, x and eids have the same element type"];
  let pure = 0;
  let arguments = (ins Pd_IntTensor:$row, Pd_IntTensor:$colptr, Pd_IntTensor:$x, Optional<Pd_IntTensor>:$eids,
    DefaultValuedAttr<I64Attr, "-1">:$sample_size, DefaultValuedAttr<BoolAttr, "false">:$return_eids);
  let results = (outs Res<Pd_IntTensor, "", [MemAlloc]>:$out, Pd_IntTensor:$out_count, Pd_IntTensor:$out_eids);
  let infer = "inferSampleNeighbors";
  let library = "graph_sample_neighbors";
  let decomposesInCode = 1;
  let samples = "1";
  let lod = "none";
  let legacy = [Legacy<"graph_sample_neighbors", ["Row", "Col_Ptr", "X", "Eids"], ["Out", "Out_Count", "Out_Eids"],
    ["sample_size", "return_eids"], ["slot Perm_Buffer", "flag_perm_buffer=any"]>];
  let referenceInCode = 1;
}

def Pd_TdmChildOp : Pd_Op<"tdm_child"> {
  let summary = "The children of nodes of a tree, and a mask of the leaves";
  let description = [{
    Row i of tree_info describes node i: its item (0: not a leaf), its layer, its parent, then its child_nums children
    (0: none). Node 0 is not a node. The results have the dimensions of x and child_nums.
  }];
  let constraints = ["C1. tree_info has rank 2 and 3 + child_nums columns"];
  let arguments = (ins Pd_IntTensor:$x, Pd_IntTensor:$tree_info, I64Attr:$child_nums, OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Pd_IntTensor:$child, Pd_IntTensor:$leaf_mask);
  let infer = "inferTdmChild";
  let decomposesInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"tdm_child", ["X", "TreeInfo"], ["Child", "LeafMask"], ["child_nums", "dtype"]>];
}

def Pd_WeightedSampleNeighborsOp : Pd_Op<"weighted_sample_neighbors"> {
  let sharding = "whole: the neighbours of a node may be anywhere";
  let summary = "As pd.graph_sample_neighbors, with edge weights";
  let description = [{
    edge_weight has a positive weight for each element of row. Of a node's neighbors, the sample_size ones with the
    largest log(u) / weight are kept in ascending order of it, with u uniform in (0, 1). At run time: elements of
    input_nodes are nodes, colptr ascends up to the size of row.
  }];
  let constraints = ["C1. row, colptr, input_nodes and eids have the same element type"];
  let pure = 0;
  let arguments = (ins Pd_IntTensor:$row, Pd_IntTensor:$colptr, Pd_FloatTensor:$edge_weight, Pd_IntTensor:$input_nodes,
    Optional<Pd_IntTensor>:$eids, DefaultValuedAttr<I64Attr, "-1">:$sample_size, DefaultValuedAttr<BoolAttr,
      "false">:$return_eids);
  let results = (outs Res<Pd_IntTensor, "", [MemAlloc]>:$out_neighbors, Pd_IntTensor:$out_count,
    Pd_IntTensor:$out_eids);
  let infer = "inferWeightedSampleNeighbors";
  let library = "weighted_sample_neighbors";
  let decomposesInCode = 1;
  let samples = "1";
  let lod = "none";
  let legacy = [Legacy<"weighted_sample_neighbors", ["row", "colptr", "edge_weight", "input_nodes", "eids"],
    ["out_neighbors", "out_count", "out_eids"], ["sample_size", "return_eids"]>];
  let referenceInCode = 1;
}

def Pd_GraphKhopSamplerOp : Pd_Op<"graph_khop_sampler"> {
  let sharding = "whole: the neighbours of a node may be anywhere";
  let summary = "The sampled subgraph around nodes: their neighbors, the neighbors of these, and so on, renumbered";
  let description = [{
    Step i samples neighbors of each of its nodes as pd.graph_sample_neighbors with sample_sizes[i]. The nodes of the
    first step are the elements of x without adjacent repetitions; the nodes of the next step are the sampled neighbors
    that are not nodes of this step, in ascending order. `sample_index` lists the nodes of all steps, then all other
    sampled nodes. Edge k goes from index out_src[k] to index out_dst[k] in this list; a node that occurs several times
    has its last index. `reindex_x` has the indices of x. At run time: elements of x are nodes, colptr ascends up to the
    size of row.
  }];
  let constraints = [
    "C1. row, colptr, x and eids have the same element type",
    "C2. there is at least one sample size, and eids is given if return_eids is set"
  ];
  let pure = 0;
  let arguments = (ins Pd_IntTensor:$row, Pd_IntTensor:$colptr, Pd_IntTensor:$x, Optional<Pd_IntTensor>:$eids,
    DenseI64ArrayAttr:$sample_sizes, DefaultValuedAttr<BoolAttr, "false">:$return_eids);
  let results = (outs Res<Pd_IntTensor, "", [MemAlloc]>:$out_src, Pd_IntTensor:$out_dst, Pd_IntTensor:$sample_index,
    Pd_IntTensor:$reindex_x, Pd_IntTensor:$out_eids);
  let infer = "inferGraphKhopSampler";
  let library = "graph_khop_sampler";
  let decomposesInCode = 1;
  let samples = "1";
  let lod = "none";
  let legacy = [Legacy<"graph_khop_sampler", ["Row", "Col_Ptr", "X", "Eids"], ["Out_Src", "Out_Dst", "Sample_Index",
    "Reindex_X", "Out_Eids"], ["sample_sizes", "return_eids"]>];
  let referenceInCode = 1;
}

def Pd_TdmSamplerOp : Pd_Op<"tdm_sampler"> {
  let sharding = "whole: its samples follow from the whole operand";
  let summary = "For each layer of a tree, the node on the path to an item, and sampled other nodes";
  let description = [{
    Row i of travel lists the nodes on the path to item i, one for each layer (0: none); layer lists the nodes of
    layer l from index layer_offset_lod[l] on. For each item of x and each layer, `out` has the node on the path with
    label 1 (if output_positive is set), then neg_samples_num_list[l] distinct other nodes of the layer with label 0,
    sampled at random (seed 0: from the generator of the run). Without a node on the path all are 0 and the mask is 0,
    else the mask is 1. At run time: elements of x are rows of travel.
  }];
  let constraints = [
    "C1. layer_offset_lod has one element more than neg_samples_num_list, and ascends",
    "C2. each layer has more nodes than are sampled of it"
  ];
  let pure = 0;
  let arguments = (ins Pd_IntTensor:$x, Pd_IntTensor:$travel, Pd_IntTensor:$layer,
    DenseI64ArrayAttr:$neg_samples_num_list, DenseI64ArrayAttr:$layer_offset_lod, DefaultValuedAttr<BoolAttr,
    "true">:$output_positive,
      DefaultValuedAttr<I64Attr, "0">:$seed,
    OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Res<Pd_IntTensor, "", [MemAlloc]>:$out, Pd_IntTensor:$labels, Pd_IntTensor:$mask);
  let infer = "inferTdmSampler";
  let library = "tdm_sampler";
  let decomposesInCode = 1;
  let samples = "op.getSeed() == 0 ? 1 : 0";
  let lod = "none";
  let legacy = [Legacy<"tdm_sampler", ["X", "Travel", "Layer"], ["Out", "Labels", "Mask"], ["neg_samples_num_list",
    "layer_offset_lod", "output_positive", "seed", "dtype"]>];
  let referenceInCode = 1;
}

#endif
