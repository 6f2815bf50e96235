"""Memories in Milvus, beyond one machine."""
