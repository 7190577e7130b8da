"""OAUTHBEARER: logins by tokens that somebody else has signed."""
