"""Classification: a network in which the class is a parent of every other variable.

Arcs among the features go into `augmentations`, smoothing into `smoothed_counts`, the fit of the
class probabilities into `class_weights`, and the choice between candidates into `model_choice`.
"""
