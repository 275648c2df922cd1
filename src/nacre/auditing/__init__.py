"""From a file to an answer: which labels are wrong, why, and what to do about it."""
