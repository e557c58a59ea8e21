"""The parts of a recipe: losses, penalties, orders, steps, keeps, stops, features, kernels.

May import `foundation` and below.
"""
