"""Large-scale question answering over triples (§5.1): training, indices, evaluation."""
