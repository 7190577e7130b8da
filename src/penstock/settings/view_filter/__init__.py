"""The filters of views: their language. What a filter means for a record is in `delivery.views`."""
