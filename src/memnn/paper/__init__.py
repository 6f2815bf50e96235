"""The paper's tables and figures, and experiments beyond it: `memnn reproduce`."""
