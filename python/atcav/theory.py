"""What the paper predicts before anything is fitted: laws of the scores, of CAVs, of their accuracy; planning.

    mean, sd = theory.alpha_tcav_law(mu=0.2, sigma=1, samples=100, alpha=3)
    theory.plan_random(0.8, 0.3, standard_error=0.02, n_concept=60)["n_random"]
    classes = theory.TwoClasses(zeros, identity, shift, identity, n_random=100, n_concept=50)
    classes.predict_error("fast")["error"], classes.ridge(lambda_=0.5)["total_variance"]
"""
from ._atcav import (TwoClasses, alpha_tcav_law, multi_tcav_law, plan_cheapest, plan_concept, plan_random, tcav_law,
                     toeplitz_covariance, variance_ratio, variance_ratio_approximate)

__all__ = ["TwoClasses", "alpha_tcav_law", "multi_tcav_law", "plan_cheapest", "plan_concept", "plan_random",
           "tcav_law", "toeplitz_covariance", "variance_ratio", "variance_ratio_approximate"]
