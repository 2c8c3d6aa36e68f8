// All records of the dist dialect, for the page docs/dist-reference.md.
include "dialects/dist/Schedule.td"
