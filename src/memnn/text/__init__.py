"""From text to words and sentences: everything that is done before a network reads."""
