"""What is imported late: names by the file that has them."""

# Written by build_scripts/stubs.py.

FUNCTIONS: dict[str, str] = {
    "tabgrad.ops.rare.ctc": "ctc_loss",
    "tabgrad.ops.rare.distances": "cosine_similarity pairwise_distance",
    "tabgrad.ops.rare.margin_losses": "hinge_embedding_loss cosine_embedding_loss margin_ranking_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss soft_margin_loss triplet_margin_loss triplet_margin_with_distance_loss",
    "tabgrad.ops.rare.multi_head_attention": "multi_head_attention_forward",
    "tabgrad.ops.rare.probability_losses": "binary_cross_entropy kl_div huber_loss poisson_nll_loss gaussian_nll_loss",
    "tabgrad.ops.rare.recurrent": "lstm gru rnn_tanh rnn_relu lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell",
    "tabgrad.ops.rare.trigonometric": "tan tan_ atan atan_ arctan arctan_",
}
CLASSES: dict[str, dict[str, str]] = {
    "nn": {
        "tabgrad.nn.rare.losses": "BCELoss CTCLoss CosineEmbeddingLoss CosineSimilarity GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss PairwiseDistance PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss",
        "tabgrad.nn.rare.recurrent": "GRU LSTM RNN GRUCell LSTMCell RNNBase RNNCell RNNCellBase",
        "tabgrad.nn.rare.transformer": "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer",
    },
    "optim": {},
}
