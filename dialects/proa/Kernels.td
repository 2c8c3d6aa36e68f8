// Attributes of kernels and of their ops: how blocks and threads compute them. Passes write them where they choose, and
// all later passes read them. A person or a tuner may write them before: passes choose only fields that are not set.
#ifndef PROA_DIALECTS_PROA_KERNELS
#define PROA_DIALECTS_PROA_KERNELS

include "mlir/IR/AttrTypeBase.td"
include "dialects/proa/Dialect.td"
include "dialects/proa/MatmulKind.td"

// Numbered constraints are checked by the attribute's verifier; messages cite the number.
class Proa_KernelAttr<string name, string mnemonic_> : AttrDef<Proa_Dialect, name> {
  let mnemonic = mnemonic_;
  let genVerifyDecl = 1;
}

// A field that is not set is not printed.
class Proa_OptionalField<string type, string desc> : OptionalParameter<"std::optional<" # type # ">", desc>;
class Proa_OptionalSizes<string desc> : OptionalArrayRefParameter<"int64_t", desc>;

def Proa_ContractionAttr : Proa_KernelAttr<"Contraction", "contraction"> {
  let summary = "How a block computes a tile of a contraction";
  let description = [{
    On a linalg op `out[.., m, n] += x[.., m, k] * y[.., k, n]`, and on `pd.grouped_matmul` and its gradient, whose
    loops are m, n and k:

    ```mlir
    #proa.contraction<kind = wgmma, tile = [128, 256, 64], warp = [64, 256], stages = 3, split_k = 4>
    ```

    | field | meaning |
    |---|---|
    | `kind` | `fma`, `mma` or `wgmma` |
    | `tile` | size of the tile of a block in each loop of the op; for k, the part in shared memory at once |
    | `warp` | rows and columns of the tile of a warp (`mma`), of a warpgroup (`wgmma`), or of a thread (`fma`) |
    | `stages` | k tiles of the operands in shared memory at once; from 2 on, later ones are copied during the matmul |
    | `split_k` | blocks that divide k of a tile among them, and with it all reductions of the kernel |
    | `whole_steps` | split-K slices are multiples of the k tile, except the last; `proa-split-reductions` sets it |

    Fields that are not set are chosen by `proa-choose-contraction`, and `split_k` by `proa-choose-parts`. On tensor
    cores operands of f32 are rounded to TF32.

    Constraints:
    - C1. sizes of `tile` are at least 1
    - C2. `warp` has two sizes, multiples of 4 x 4 (`fma`), 16 x 16 (`mma`) or 64 x 8 (`wgmma`)
    - C3. `stages` is 1 to 8, and at least 2 with `wgmma`
    - C4. `split_k` is 1 to 4096
    - C5. `tile` and `warp` are set together, and need `kind`
  }];
  let parameters = (ins
    Proa_OptionalField<"::proa::MatmulKind", "how threads multiply">:$kind,
    Proa_OptionalSizes<"tile of a block">:$tile,
    Proa_OptionalSizes<"tile of a warp, a warpgroup or a thread">:$warp,
    Proa_OptionalField<"int64_t", "k tiles in shared memory">:$stages,
    Proa_OptionalField<"int64_t", "blocks that divide k">:$split_k,
    DefaultValuedParameter<"bool", "false", "whether slices of k have whole k tiles">:$whole_steps);
  let assemblyFormat = [{
    `<` struct(custom<MatmulKind>($kind), custom<Sizes>($tile), custom<Sizes>($warp), $stages, $split_k,
               custom<Flag>($whole_steps)) `>`
  }];
  let extraClassDeclaration = [{
    /// Whether only `stages` and `split_k`, which have defaults, are missing.
    bool isComplete() const { return !getTile().empty(); }
    /// The same with `split_k`, and with `whole_steps`.
    ContractionAttr withSplitK(int64_t blocks) const;
    ContractionAttr withWholeSteps() const;
  }];
}

def Proa_AttentionAttr : Proa_KernelAttr<"Attention", "attention"> {
  let summary = "How a block computes a tile of attention";
  let description = [{
    On `pd.fused_attention`, a gradient of it or `pd.paged_attention`:

    ```mlir
    proa.attention = #proa.attention<kind = wgmma, tile = [128, 64], stages = 4>
    ```

    | field | meaning |
    |---|---|
    | `kind` | `fma`, `mma` or `wgmma` |
    | `tile` | queries and keys of a tile |
    | `stages` | tiles of keys and of values in shared memory at once; for gradients pairs of tiles |
    | `split_keys` | blocks that share the keys of a tile of queries; `pd.paged_attention` only |

    Fields that are not set are chosen by `proa-choose-attention`.

    Constraints:
    - C1. `tile` has two sizes, multiples of 16 up to 128
    - C2. `stages` is 1 to 8
    - C3. `split_keys` is 1 to 4096
    - C4. `tile` needs `kind`
  }];
  let parameters = (ins
    Proa_OptionalField<"::proa::MatmulKind", "how threads multiply">:$kind,
    Proa_OptionalSizes<"queries and keys of a tile">:$tile,
    Proa_OptionalField<"int64_t", "tiles in shared memory">:$stages,
    Proa_OptionalField<"int64_t", "blocks that share keys">:$split_keys);
  let assemblyFormat = [{
    `<` struct(custom<MatmulKind>($kind), custom<Sizes>($tile), $stages, $split_keys) `>`
  }];
}

#endif
