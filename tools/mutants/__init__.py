"""Are the tests awake? Changes one line of the code that decides, and sees whether a test fails."""
