"""Schedule topics: records that go on to another topic at their time."""
