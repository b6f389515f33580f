"""What the lowering of a function knows, and the table that its descent goes through."""
