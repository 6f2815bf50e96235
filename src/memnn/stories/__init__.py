"""Networks over stories (§3): who went where, followed over k hops with write time."""
