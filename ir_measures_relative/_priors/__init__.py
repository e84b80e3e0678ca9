"""Prior runs as values, what they leave unseen, leave-one-out."""

from ir_measures_relative._priors.judged_priors import JudgedPriors, leave_unseen, other_runs, previous_runs
from ir_measures_relative._priors.prior_runs import PriorRuns, register_prior
