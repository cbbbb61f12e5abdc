"""What is imported late: names by the file that has them."""

# Written by build_scripts/stubs.py.

FUNCTIONS: dict[str, str] = {
    "tabgrad.ops.rare.bins": "searchsorted bucketize isin histc histogram",
    "tabgrad.ops.rare.differences": "diff gradient trapezoid trapz cumulative_trapezoid",
    "tabgrad.ops.rare.einsum": "einsum",
    "tabgrad.ops.rare.linalg_products": "chain_matmul",
    "tabgrad.ops.rare.linalg_views": "",
    "tabgrad.ops.rare.multinomial": "multinomial",
    "tabgrad.ops.rare.products": "vdot outer ger inner addmm addmm_ addmv addmv_ addr addr_ baddbmm baddbmm_ addbmm addbmm_ tensordot kron cross",
    "tabgrad.ops.rare.quantiles": "quantile nanquantile nanmedian mode",
    "tabgrad.ops.rare.statistics": "aminmax var_mean std_mean nansum nanmean count_nonzero trace cov corrcoef",
    "tabgrad.ops.rare.trigonometric": "tan tan_ atan atan_ arctan arctan_",
    "tabgrad.ops.rare.vandermonde": "vander",
    "tabgrad.ops.rare.vector_norms": "dist renorm renorm_ cdist pdist",
    "tabgrad.host_ops.determinants": "matrix_power",
    "tabgrad.host_ops.eigenvalues": "",
    "tabgrad.host_ops.exponentials": "matrix_exp",
    "tabgrad.host_ops.factoring": "cholesky cholesky_solve cholesky_inverse qr",
    "tabgrad.host_ops.linalg_factors": "",
    "tabgrad.host_ops.linalg_lu_solve": "",
    "tabgrad.host_ops.linalg_powers": "",
    "tabgrad.host_ops.lu_use": "lu_solve lu_unpack lu",
    "tabgrad.host_ops.matrix_norms": "",
    "tabgrad.host_ops.norms": "norm",
    "tabgrad.host_ops.pseudo_inverses": "pinverse svd",
    "tabgrad.host_ops.solving": "inverse triangular_solve det slogdet logdet",
    "tabgrad.host_ops.unique": "unique unique_consecutive",
}
CLASSES: dict[str, dict[str, str]] = {"nn": {}, "optim": {}}
