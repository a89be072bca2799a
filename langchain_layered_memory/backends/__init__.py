"""Where records live: each backend answers the storage requests; none knows a stage."""
