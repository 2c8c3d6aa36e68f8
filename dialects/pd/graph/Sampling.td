// Neighbours in graphs and trees.
#ifndef PROA_DIALECTS_PD_GRAPH_SAMPLING
#define PROA_DIALECTS_PD_GRAPH_SAMPLING

include "dialects/pd/Base.td"

def Pd_GraphSampleNeighborsOp : Pd_Op<"graph_sample_neighbors"> {
  let summary = "Neighbours of nodes, of each at most sample_size ones that are drawn without replacement";
  let description = [{
    The neighbours of node i are row[colptr[i]] to row[colptr[i + 1] - 1]. `out` lists those of x[0], then those of x[1], ...;
    out_count says how many each has. Where a node has no more than sample_size neighbours, or sample_size is -1, it gets all of
    them in their order. `out_eids` holds the elements of eids at the places of `out` in row, with return_eids.

    Constraints:
      C1. row, colptr and x have one element type, and eids too
    At run time: elements of x are nodes, colptr ascends up to the size of row.
  }];
  let pure = 0;
  let arguments = (ins Pd_IntTensor:$row, Pd_IntTensor:$colptr, Pd_IntTensor:$x, Optional<Pd_IntTensor>:$eids,
    DefaultValuedAttr<I64Attr, "-1">:$sample_size, DefaultValuedAttr<BoolAttr, "false">:$return_eids);
  let results = (outs Res<Pd_IntTensor, "", [MemAlloc]>:$out, Pd_IntTensor:$out_count, Pd_IntTensor:$out_eids);
  let infer = "inferSampleNeighbors";
  let library = "graph_sample_neighbors";
  let lod = "none";
  let legacy = [Legacy<"graph_sample_neighbors", ["Row", "Col_Ptr", "X", "Eids"], ["Out", "Out_Count", "Out_Eids"],
    ["sample_size", "return_eids"], ["Perm_Buffer", "flag_perm_buffer"]>];
}

def Pd_TdmChildOp : Pd_Op<"tdm_child"> {
  let summary = "The children of nodes of a tree, and which of them are leaves";
  let description = [{
    Row i of tree_info describes node i: its item (0: no leaf), its layer, its parent, then its child_nums children (0: none).
    Node 0 is no node. The results have the dimensions of x and child_nums.

    Constraints:
      C1. tree_info has rank 2 and 3 + child_nums columns
  }];
  let arguments = (ins Pd_IntTensor:$x, Pd_IntTensor:$tree_info, I64Attr:$child_nums, OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Pd_IntTensor:$child, Pd_IntTensor:$leaf_mask);
  let infer = "inferTdmChild";
  let decomposesInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"tdm_child", ["X", "TreeInfo"], ["Child", "LeafMask"], ["child_nums", "dtype"]>];
}

#endif
