"""Steps: eta_t. t counts visits, and passes for the batch order."""

from .part import Part

STEPS = {
    "constant": Part(0, "eta0"),
    "1/t": Part(1, "eta0 / t"),
    "1/sqrt(t)": Part(2, "eta0 / sqrt(t)"),
    "pegasos": Part(3, "1 / (alpha t), for an L2 penalty alpha"),
    "pa": Part(4, "loss / ||x||^2: just enough to make the loss of this row 0"),
    "pa1": Part(5, "min(C, loss / ||x||^2)"),
    "pa2": Part(6, "loss / (||x||^2 + 1 / (2 C))"),
}

PASSIVE_AGGRESSIVE = ("pa", "pa1", "pa2")
