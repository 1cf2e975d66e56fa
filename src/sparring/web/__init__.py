"""The arena over HTTP: pages to vote on and to look at, an API to build on."""
