"""A table of two classes for each verdict."""

TABLES = {
    "complete": "a,b,kind\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n",
    "overlap": "a,b,kind\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n",
    "quasi": "a,b,kind\n1,0.1,no\n2,0.1,no\n3,0.1,yes\n3,0.1,no\n",
}
