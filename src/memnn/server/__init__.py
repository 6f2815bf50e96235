"""The same memory for programs: over HTTP with a web page, and as an MCP server."""
