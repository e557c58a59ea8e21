"""Formulas of statisticians, such as "ill ~ age + C(drug):dose", as rows of numbers."""
