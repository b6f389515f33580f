"""What symbolic execution finds, checked: paths are printed, verified and run here."""
