"""Whether a hyperplane separates two classes: the verdict, and the search for its proof."""
