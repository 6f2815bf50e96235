"""Facts in Milvus: the engine finds candidates, the scorer of every other index ranks them."""
