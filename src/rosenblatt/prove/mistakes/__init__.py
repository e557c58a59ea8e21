"""How many mistakes a perceptron can make, and how few any hyperplane makes."""
