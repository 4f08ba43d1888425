"""Signing in and out, invitations, and what belongs to a person alone."""
