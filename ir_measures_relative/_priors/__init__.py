"""Prior runs: what a measure's ``prior`` may be, and what is left unseen once users have looked at them."""

from ir_measures_relative._priors.judged_priors import JudgedPriors, leave_unseen
from ir_measures_relative._priors.leave_one_out import LeaveOneOut
from ir_measures_relative._priors.prior_runs import PriorRuns, register_prior
