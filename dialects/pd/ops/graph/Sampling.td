// Neighbours in graphs and trees.
#ifndef PROA_DIALECTS_PD_GRAPH_SAMPLING
#define PROA_DIALECTS_PD_GRAPH_SAMPLING

include "dialects/pd/ir/Base.td"

def Pd_GraphSampleNeighborsOp : Pd_Op<"graph_sample_neighbors"> {
  let summary = "Neighbours of nodes, of each at most sample_size ones that are drawn without replacement";
  let description = [{
    The neighbours of node i are row[colptr[i]] to row[colptr[i + 1] - 1]. `out` lists those of x[0], then those of x[1], ...;
    out_count says how many each has. Where a node has no more than sample_size neighbours, or sample_size is -1, it gets all of
    them in their order. `out_eids` holds the elements of eids at the places of `out` in row, with return_eids.
    At run time: elements of x are nodes, colptr ascends up to the size of row.
  }];
  let constraints = ["C1. row, colptr and x have one element type, and eids too"];
  let pure = 0;
  let arguments = (ins Pd_IntTensor:$row, Pd_IntTensor:$colptr, Pd_IntTensor:$x, Optional<Pd_IntTensor>:$eids,
    DefaultValuedAttr<I64Attr, "-1">:$sample_size, DefaultValuedAttr<BoolAttr, "false">:$return_eids);
  let results = (outs Res<Pd_IntTensor, "", [MemAlloc]>:$out, Pd_IntTensor:$out_count, Pd_IntTensor:$out_eids);
  let infer = "inferSampleNeighbors";
  let library = "graph_sample_neighbors";
  let lod = "none";
  let legacy = [Legacy<"graph_sample_neighbors", ["Row", "Col_Ptr", "X", "Eids"], ["Out", "Out_Count", "Out_Eids"],
    ["sample_size", "return_eids"], ["Perm_Buffer", "flag_perm_buffer"]>];
  let referenceInCode = 1;
}

def Pd_TdmChildOp : Pd_Op<"tdm_child"> {
  let summary = "The children of nodes of a tree, and which of them are leaves";
  let description = [{
    Row i of tree_info describes node i: its item (0: no leaf), its layer, its parent, then its child_nums children (0: none).
    Node 0 is no node. The results have the dimensions of x and child_nums.
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
  let summary = "Neighbours of nodes as graph_sample_neighbors, drawn by the weights of their edges";
  let description = [{
    edge_weight has a positive weight for each element of row; of a node's neighbours the sample_size ones of the greatest
    log(u) / weight, u being uniform in (0, 1), stay, the least one first.
    At run time: elements of input_nodes are nodes, colptr ascends up to the size of row.
  }];
  let constraints = ["C1. row, colptr and input_nodes have one element type, and eids too"];
  let pure = 0;
  let arguments = (ins Pd_IntTensor:$row, Pd_IntTensor:$colptr, Pd_FloatTensor:$edge_weight, Pd_IntTensor:$input_nodes,
    Optional<Pd_IntTensor>:$eids, DefaultValuedAttr<I64Attr, "-1">:$sample_size, DefaultValuedAttr<BoolAttr, "false">:$return_eids);
  let results = (outs Res<Pd_IntTensor, "", [MemAlloc]>:$out_neighbors, Pd_IntTensor:$out_count, Pd_IntTensor:$out_eids);
  let infer = "inferWeightedSampleNeighbors";
  let library = "weighted_sample_neighbors";
  let lod = "none";
  let legacy = [Legacy<"weighted_sample_neighbors", ["row", "colptr", "edge_weight", "input_nodes", "eids"],
    ["out_neighbors", "out_count", "out_eids"], ["sample_size", "return_eids"]>];
  let referenceInCode = 1;
}

def Pd_GraphKhopSamplerOp : Pd_Op<"graph_khop_sampler"> {
  let summary = "The graph around nodes: neighbours of theirs, neighbours of these, and so on, numbered anew";
  let description = [{
    Step i draws for each of its nodes neighbours as graph_sample_neighbors with sample_sizes[i]; the nodes of the first step are those of
    x but for repetitions next to each other, those of the next step the neighbours just drawn that are no nodes of this step, in ascending
    order. `sample_index` lists the nodes of all steps, then all others that were drawn. Edge k goes from number out_src[k] in this
    list to number out_dst[k]; a node that stands there several times has its last number. `reindex_x` has the numbers of x.
    At run time: elements of x are nodes, colptr ascends up to the size of row.
  }];
  let constraints = [
    "C1. row, colptr and x have one element type, and eids too",
    "C2. there is a sample size, and with return_eids there are eids"
  ];
  let pure = 0;
  let arguments = (ins Pd_IntTensor:$row, Pd_IntTensor:$colptr, Pd_IntTensor:$x, Optional<Pd_IntTensor>:$eids,
    DenseI64ArrayAttr:$sample_sizes, DefaultValuedAttr<BoolAttr, "false">:$return_eids);
  let results = (outs Res<Pd_IntTensor, "", [MemAlloc]>:$out_src, Pd_IntTensor:$out_dst, Pd_IntTensor:$sample_index,
    Pd_IntTensor:$reindex_x, Pd_IntTensor:$out_eids);
  let infer = "inferGraphKhopSampler";
  let library = "graph_khop_sampler";
  let lod = "none";
  let legacy = [Legacy<"graph_khop_sampler", ["Row", "Col_Ptr", "X", "Eids"], ["Out_Src", "Out_Dst", "Sample_Index", "Reindex_X", "Out_Eids"],
    ["sample_sizes", "return_eids"]>];
  let referenceInCode = 1;
}

def Pd_TdmSamplerOp : Pd_Op<"tdm_sampler"> {
  let summary = "The nodes on the way to leaves of a tree, and of each of their layers others that are not";
  let description = [{
    Row i of travel lists the nodes on the way to item i, one a layer (0: none); layer lists the nodes of layer l from
    layer_offset_lod[l] on. For each item of x and each layer `out` has, with output_positive, the node on the way, label 1, then
    neg_samples_num_list[l] different other nodes of the layer, label 0, drawn at random (seed 0: from the generator of the run).
    Where there is no node on the way all are 0, with a mask of 0, else 1.
    At run time: elements of x are rows of travel.
  }];
  let constraints = [
    "C1. layer_offset_lod has one element more than neg_samples_num_list, and ascends",
    "C2. a layer has at least one node more than are drawn of it"
  ];
  let pure = 0;
  let arguments = (ins Pd_IntTensor:$x, Pd_IntTensor:$travel, Pd_IntTensor:$layer, DenseI64ArrayAttr:$neg_samples_num_list,
    DenseI64ArrayAttr:$layer_offset_lod, DefaultValuedAttr<BoolAttr, "true">:$output_positive, DefaultValuedAttr<I64Attr, "0">:$seed,
    OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Res<Pd_IntTensor, "", [MemAlloc]>:$out, Pd_IntTensor:$labels, Pd_IntTensor:$mask);
  let infer = "inferTdmSampler";
  let library = "tdm_sampler";
  let lod = "none";
  let legacy = [Legacy<"tdm_sampler", ["X", "Travel", "Layer"], ["Out", "Labels", "Mask"], ["neg_samples_num_list", "layer_offset_lod",
    "output_positive", "seed", "dtype"]>];
  let referenceInCode = 1;
}

#endif
