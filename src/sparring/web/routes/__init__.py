"""The routes of the API, by topic."""
