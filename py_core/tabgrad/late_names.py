"""What is imported late: names by the file that has them."""

# Written by build_scripts/stubs.py.

FUNCTIONS: dict[str, str] = {
    "tabgrad.ops.rare.constant_pad": "constant_pad_nd",
    "tabgrad.ops.rare.diagonals": "diagonal diagonal_scatter diag_embed diag diagflat trace",
    "tabgrad.ops.rare.joined": "atleast_1d atleast_2d atleast_3d hstack vstack row_stack dstack column_stack block_diag broadcast_shapes broadcast_tensors meshgrid cartesian_prod combinations",
    "tabgrad.ops.rare.parts": "select unbind split_with_sizes unsafe_split unsafe_split_with_sizes unsafe_chunk tensor_split hsplit vsplit dsplit",
    "tabgrad.ops.rare.picked": "take take_along_dim put put_ index_reduce index_reduce_ unravel_index",
    "tabgrad.ops.rare.rearranged": "movedim moveaxis swapaxes swapdims adjoint expand_as view_as reshape_as ravel sum_to_size roll fliplr flipud rot90",
    "tabgrad.ops.rare.scattered_parts": "select_scatter slice_scatter",
    "tabgrad.ops.rare.strided": "storage_offset as_strided as_strided_scatter",
    "tabgrad.ops.rare.trigonometric": "tan tan_ atan atan_ arctan arctan_",
    "tabgrad.ops.rare.view_copies": "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy narrow_copy permute_copy select_copy split_copy split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy view_copy",
    "tabgrad.ops.rare.windows": "unfold_dim unfold",
    "tabgrad.host_ops.fill_diagonal": "fill_diagonal_",
    "tabgrad.host_ops.index_put": "index_put index_put_",
    "tabgrad.host_ops.places": "nonzero argwhere nonzero_static masked_select repeat_interleave",
    "tabgrad.host_ops.shape_in_place": "squeeze_ unsqueeze_ t_ transpose_ swapaxes_ swapdims_ as_strided_ resize_ resize_as_",
}
CLASSES: dict[str, dict[str, str]] = {"nn": {}, "optim": {}}
