"""The arena over HTTP: pages to vote and to see results, and an API to build on."""
