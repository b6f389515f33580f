"""What passes between the stages: the loop language, effects and paths, summaries."""
