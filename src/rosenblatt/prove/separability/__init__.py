"""Can a hyperplane separate two classes? The verdict, and the search for its proof."""
